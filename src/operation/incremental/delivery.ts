// Delivers a result in parts, each when it has been executed.
import type { ExecutionResult } from 'graphql';
import type { Execution } from '../execution/execution.ts';
import { AnnouncedParts } from './announced-parts.ts';
import type { IncrementalResult, PartsFormat } from './incremental-result.ts';
import { Part } from './part.ts';

/** A result whose parts come one after another. */
export type Delivered = AsyncIterableIterator<IncrementalResult>;

/** The delivery of one result. The parts that are ready at the same time are delivered together. */
export class Delivery {
  /** The result itself, which all parts follow. */
  readonly #whole: Part;
  /** Parts that are neither delivered nor dropped. */
  #expected = 0;
  #ready: Part[] = [];
  /** Null where parts are written with their paths. */
  readonly #announced: AnnouncedParts | null;
  #hasEnded = false;
  #wake: () => void = () => undefined;

  /** @param execute Makes what executes the whole. */
  constructor(execute: (whole: Part) => Execution, format: PartsFormat) {
    this.#announced = format === 'pending' ? new AnnouncedParts() : null;
    this.#whole = new Part({ kind: 'data', label: null, path: undefined }, execute, this);
  }

  get execution(): Execution {
    return this.#whole.execution;
  }

  /** Says that a part has begun. */
  expect(): void {
    this.#expected += 1;
  }

  /** Returns a result with the parts that follow it, if there are any. */
  follow(result: ExecutionResult): ExecutionResult | Delivered {
    this.#whole.settle(() => result.data);
    this.#prepare(this.#allowAfter(this.#whole));
    if (this.#expected === 0) return result;
    return this.#iterate({ ...result, ...this.#announced?.begin(this.#whole), hasNext: true });
  }

  /** Delivers a part that is ready, and those after it that have been executed already. */
  deliver(part: Part): void {
    this.#prepare([part]);
    this.#wake();
  }

  #prepare(ready: Part[]): void {
    // The list grows meanwhile.
    for (const part of ready) {
      this.#ready.push(part);
      ready.push(...this.#allowAfter(part));
    }
  }

  /** Lets the followers of a part be delivered, but for those whose place is null by now. Returns those that are ready. */
  #allowAfter(part: Part): Part[] {
    for (const follower of part.followers) {
      if (part.lacks(follower)) this.#drop(follower);
      else follower.allow();
    }
    return part.followers.filter(({ isReady }) => isReady);
  }

  #drop(part: Part): void {
    const dropped = [part];
    for (const next of dropped) {
      next.abandon();
      for (const follower of next.followers) dropped.push(follower);
    }
    this.#expected -= dropped.length;
  }

  #iterate(first: IncrementalResult): Delivered {
    let initial: IncrementalResult | null = first;
    const end = async (): Promise<IteratorResult<IncrementalResult>> => {
      this.#hasEnded = true;
      this.#wake();
      return { value: undefined, done: true };
    };
    const delivered: Delivered = {
      next: async () => {
        const value = initial ?? (await this.#next());
        initial = null;
        return value === null ? end() : { value, done: false };
      },
      return: end,
      [Symbol.asyncIterator]: () => delivered,
    };
    return delivered;
  }

  /** Waits for parts; null at the end. */
  async #next(): Promise<IncrementalResult | null> {
    while (!this.#hasEnded && this.#ready.length === 0 && this.#expected > 0)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    if (this.#hasEnded) return null;
    const ready = this.#ready;
    this.#ready = [];
    this.#expected -= ready.length;
    this.#hasEnded = this.#expected === 0;
    const hasNext = !this.#hasEnded;
    if (ready.length === 0) return { hasNext };
    const written = this.#announced?.write(ready) ?? { incremental: ready.map((part) => part.toResult()) };
    return { ...written, hasNext };
  }
}
