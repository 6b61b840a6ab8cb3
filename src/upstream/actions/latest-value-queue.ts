// A queue between a producer and one reader that keeps only the latest value of each key.
import type { JsonObject } from '../reader.ts';

/** The states of actions for one reader, by id. An error is the end of one action, after which the others go on. */
export type ActionStream = LatestValueQueue<JsonObject | Error>;

/** Keeps the latest value of each key until the reader takes it. A slow reader skips intermediate values, never the last one. */
export class LatestValueQueue<T> implements AsyncIterableIterator<T> {
  readonly #values = new Map<string, { readonly value: T; readonly isUrgent: boolean }>();
  readonly #minInterval: number;
  readonly #onReturn: () => void;
  #wakeReader: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #lastDelivery = Number.NEGATIVE_INFINITY;
  #end: { readonly error: unknown } | 'finished' | null = null;
  #isClosed = false;

  /**
   * @param minInterval Minimum time between two deliveries, in milliseconds. Urgent values skip it.
   * @param onReturn Called once, when the reader returns or has read the end.
   */
  constructor(minInterval: number, onReturn: () => void) {
    this.#minInterval = minInterval;
    this.#onReturn = onReturn;
  }

  /** Replaces the value of a key; without effect after the end. */
  put(key: string, value: T, isUrgent: boolean): void {
    if (this.#end !== null) return;
    // A key whose value is replaced keeps its place in the queue, so that no key starves.
    this.#values.set(key, { value, isUrgent });
    this.#wakeReader?.();
  }

  /** Ends the queue after the values that it holds. */
  finish(): void {
    this.#end ??= 'finished';
    this.#wakeReader?.();
  }

  /** Ends the queue with an error after the values that it holds. */
  fail(error: unknown): void {
    this.#end ??= { error };
    this.#wakeReader?.();
  }

  async next(): Promise<IteratorResult<T>> {
    for (;;) {
      const delay = this.#lastDelivery + this.#minInterval - Date.now();
      for (const [key, { value, isUrgent }] of this.#values) {
        if (delay > 0 && !isUrgent && this.#end === null) continue;
        this.#values.delete(key);
        this.#lastDelivery = Date.now();
        return { value, done: false };
      }
      if (this.#end !== null) {
        const end = this.#end;
        await this.return();
        if (end !== 'finished') throw end.error;
        return { value: undefined, done: true };
      }
      await this.#waitForChange(this.#values.size > 0 ? delay : null);
    }
  }

  async return(): Promise<IteratorResult<T>> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#end = 'finished';
      this.#values.clear();
      this.#wakeReader?.();
      this.#onReturn();
    }
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** @param timeout Longest wait, in milliseconds; null for no limit. */
  async #waitForChange(timeout: number | null): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wakeReader = resolve;
      if (timeout !== null) this.#timer = setTimeout(resolve, timeout);
    });
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#wakeReader = null;
  }
}
