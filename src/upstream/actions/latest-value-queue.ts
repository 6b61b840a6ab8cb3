// A queue between a producer and one reader that keeps only the latest value of each key.
import type { JsonObject } from '../json.ts';
import type { Turns } from './turns.ts';

/** The states of actions for one reader, by id. An error is the end of one action, after which the others go on. */
export type ActionStream = LatestValueQueue<JsonObject | Error>;

/** Keeps the latest value of each key until the reader takes it. A slow reader skips intermediate values, never the last one. */
export class LatestValueQueue<T> implements AsyncIterableIterator<T> {
  /** Null while there is none, which is the usual case. */
  #values: Map<string, { readonly value: T; readonly isUrgent: boolean }> | null = null;
  readonly #minInterval: number;
  readonly #turns: Turns;
  readonly #onReturn: () => void;
  /** Resolves the promise that the reader waits for. */
  #wakeReader: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #lastDelivery = Number.NEGATIVE_INFINITY;
  #end: { readonly error: unknown } | 'finished' | null = null;
  #isClosed = false;

  /**
   * @param minInterval Minimum time between two deliveries, in milliseconds. Urgent values skip it.
   * @param turns Keeps values from the reader until other replicas get them, and wakes the reader.
   * @param onReturn Called once, when the reader returns or has read the end.
   */
  constructor(minInterval: number, turns: Turns, onReturn: () => void) {
    this.#minInterval = minInterval;
    this.#turns = turns;
    this.#onReturn = onReturn;
  }

  /** Replaces the value of a key; without effect after the end. */
  put(key: string, value: T, isUrgent: boolean): void {
    this.#change(() => {
      if (this.#end !== null) return;
      // A key whose value is replaced keeps its place in the queue, so that no key starves.
      this.#values ??= new Map();
      this.#values.set(key, { value, isUrgent });
    });
  }

  /** Ends the queue after the values that it holds. */
  finish(): void {
    this.#change(() => {
      this.#end ??= 'finished';
    });
  }

  /** Ends the queue with an error after the values that it holds. */
  fail(error: unknown): void {
    this.#change(() => {
      this.#end ??= { error };
    });
  }

  #change(change: () => void): void {
    this.#turns.afterSending(() => {
      change();
      this.#wakeWhenReady();
    });
  }

  async next(): Promise<IteratorResult<T>> {
    for (;;) {
      const values = this.#values;
      const isDue = this.#end !== null || this.#lastDelivery + this.#minInterval <= Date.now();
      for (const [key, { value, isUrgent }] of values ?? []) {
        if (!isDue && !isUrgent) continue;
        values?.delete(key);
        if (values?.size === 0) this.#values = null;
        this.#lastDelivery = Date.now();
        return { value, done: false };
      }
      const end = this.#end;
      if (end !== null) {
        await this.return();
        if (end !== 'finished') throw end.error;
        return { value: undefined, done: true };
      }
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve;
        this.#wakeWhenReady();
      });
    }
  }

  async return(): Promise<IteratorResult<T>> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#end = 'finished';
      this.#values = null;
      this.#wakeWhenReady();
      this.#onReturn();
    }
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Milliseconds until `next` has something to return; infinite when nothing is known. */
  #delay(): number {
    if (this.#end !== null) return 0;
    if (this.#values === null) return Number.POSITIVE_INFINITY;
    const delay = this.#lastDelivery + this.#minInterval - Date.now();
    if (delay <= 0) return 0;
    for (const { isUrgent } of this.#values.values()) if (isUrgent) return 0;
    return delay;
  }

  #wakeWhenReady(): void {
    const wake = this.#wakeReader;
    if (wake === null) return;
    const delay = this.#delay();
    if (delay === 0) {
      this.#wakeReader = null;
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#timer = null;
      this.#turns.add(wake);
    } else if (delay < Number.POSITIVE_INFINITY)
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        this.#wakeWhenReady();
      }, delay);
  }
}
