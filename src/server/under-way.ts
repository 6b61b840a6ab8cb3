// Counts the operations under way: to limit those of one client, and to let all finish before a facade closes.
import type { Client } from '../callers/requester.ts';
import type { EarlyEnd } from '../upstream/abortable.ts';
import { ShuttingDownError } from '../upstream/errors.ts';
import { OperationLimitError } from './errors.ts';
import type { Limits } from './limits.ts';

/** The queries and mutations of a facade that are under way. A stream counts until it has begun. */
export class OperationsUnderWay {
  readonly #limits: { readonly operationsUnderWay: number };
  readonly #counts = new Map<string, number>();

  constructor(limits: { readonly operationsUnderWay: number }) {
    this.#limits = limits;
  }

  /** Counts an operation of a client. Returns what ends that. @throws OperationLimitError when the client has too many. */
  enter({ network, key }: Client): () => void {
    const name = `${network} ${key}`;
    const count = this.#counts.get(name) ?? 0;
    if (count >= this.#limits.operationsUnderWay) throw new OperationLimitError(count);
    this.#counts.set(name, count + 1);
    return () => {
      const left = (this.#counts.get(name) ?? 1) - 1;
      if (left === 0) this.#counts.delete(name);
      else this.#counts.set(name, left);
    };
  }
}

/** The shutdown of one facade. Operations and transports ask it whether it has begun, and register what is under way. */
export class Shutdown {
  /** Operations whose answers are not complete. */
  readonly operations = new Tally();
  /** Writes that the upstream may be carrying out. */
  readonly writes = new Tally();
  readonly #ends = new Set<EarlyEnd>();
  #hasBegun = false;

  /** The error for an operation that begins now; null while operations may begin. */
  get refusal(): ShuttingDownError | null {
    return this.#hasBegun ? createError() : null;
  }

  /** Adds an operation that is being executed. Returns what removes it. */
  enter(end: EarlyEnd): () => void {
    const leave = this.operations.enter();
    this.#ends.add(end);
    return () => {
      this.#ends.delete(end);
      leave();
    };
  }

  /** Refuses new operations, ends waits, and refuses writes that have not begun. */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const error = createError();
    for (const end of this.#ends) end.close(error);
  }

  /** Begins, and aborts all reads. */
  abort(): void {
    this.begin();
    const error = createError();
    for (const end of this.#ends) end.abort(error);
  }

  /**
   * Begins, and resolves when no operation is under way. Reads are aborted after `shutdownTime`. Writes are waited for, each until
   * its own deadline, and their answers for up to `closeSpread`.
   */
  async finish({ shutdownTime, closeSpread }: Pick<Limits, 'shutdownTime' | 'closeSpread'>): Promise<void> {
    this.begin();
    if (await this.operations.isIdleWithin(shutdownTime)) return;
    this.abort();
    await this.writes.idle();
    await this.operations.isIdleWithin(closeSpread);
  }
}

/** Counts what is under way. */
class Tally {
  #count = 0;
  readonly #onIdle: (() => void)[] = [];

  get count(): number {
    return this.#count;
  }

  /** Counts one. The returned function uncounts it; later calls of it do nothing. */
  enter(): () => void {
    this.#count += 1;
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#count -= 1;
      if (this.#count === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    };
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  /** Waits as `idle` does, for up to `ms` milliseconds. Returns whether nothing is under way. */
  async isIdleWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const passed = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([this.idle(), passed]);
    clearTimeout(timer);
    return this.#count === 0;
  }
}

const createError = (): ShuttingDownError =>
  new ShuttingDownError('The server is shutting down; try again in a moment.');
