// Holds the states of running actions for one reader until it takes them.
import type { JsonObject } from '../json.ts';

/**
 * The states of actions for one reader: the latest one of each. A slow reader skips intermediate states, never the last one. An error is the
 * end of one action, after which the others go on.
 */
export class ActionStream implements AsyncIterableIterator<JsonObject | Error> {
  /** Null while there is none, which is the usual case. */
  #values: Map<string, { readonly value: JsonObject | Error; readonly isUrgent: boolean }> | null = null;
  readonly #minInterval: number;
  readonly #onReturn: () => void;
  /** Resolves the promise that the reader waits for. */
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

  /** Replaces the value of an action; without effect after the end. */
  put(id: string, value: JsonObject | Error, isUrgent: boolean): void {
    if (this.#end !== null) return;
    // An action whose value is replaced keeps its place, so that none starves.
    this.#values ??= new Map();
    this.#values.set(id, { value, isUrgent });
    this.#wakeWhenReady();
  }

  /** Ends the stream after the values that it holds. */
  finish(): void {
    this.#end ??= 'finished';
    this.#wakeWhenReady();
  }

  /** Ends the stream with an error after the values that it holds. */
  fail(error: unknown): void {
    this.#end ??= { error };
    this.#wakeWhenReady();
  }

  async next(): Promise<IteratorResult<JsonObject | Error>> {
    for (;;) {
      const values = this.#values;
      const isDue = this.#end !== null || this.#lastDelivery + this.#minInterval <= Date.now();
      for (const [id, { value, isUrgent }] of values ?? []) {
        if (!isDue && !isUrgent) continue;
        values?.delete(id);
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

  async return(): Promise<IteratorResult<JsonObject | Error>> {
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
      wake();
    } else if (delay < Number.POSITIVE_INFINITY)
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        this.#wakeWhenReady();
      }, delay);
  }
}
