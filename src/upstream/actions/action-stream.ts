// Holds the states of running actions for one reader until it takes them.
import type { PollerCause } from '../../observer.ts';
import type { Abortable } from '../abortable.ts';
import { isMissing } from '../errors.ts';
import type { CallMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../json.ts';

/** How a stream reads. */
export interface StreamOptions {
  /** Minimum time between two values, in milliseconds; default 0. */
  readonly minInterval?: number;
  /** Closes the stream, even where no reader has called `next()`. */
  readonly signal?: Abortable | undefined;
  /** Counts the polls; default: they are not counted. */
  readonly meter?: CallMeter;
  readonly cause?: PollerCause;
}

/**
 * The states of actions for one reader: the latest one of each. A slow reader skips intermediate states, never the last one. An error is the
 * end of one action, after which the others go on.
 */
export class ActionStream implements AsyncIterableIterator<JsonObject | Error> {
  /** The actions that it still follows, the last of which ends it; null: all unfinished ones. */
  readonly ids: Set<string> | null;
  readonly #values = new Map<string, { readonly value: JsonObject | Error; readonly isUrgent: boolean }>();
  readonly #minInterval: number;
  readonly #onReturn: () => void;
  /** Wakes the reader that waits, to look again. */
  #wake: () => void = () => undefined;
  #lastDelivery = Number.NEGATIVE_INFINITY;
  #end: { readonly error: unknown } | 'finished' | null = null;
  #isClosed = false;

  /**
   * @param minInterval Minimum time between two deliveries, in milliseconds. Urgent values skip it.
   * @param onReturn Called once, when the reader returns or has read the end.
   */
  constructor(ids: Set<string> | null, minInterval: number, onReturn: () => void) {
    this.ids = ids;
    this.#minInterval = minInterval;
    this.#onReturn = onReturn;
  }

  /** Whether it can still receive states. */
  get isOpen(): boolean {
    return this.#end === null;
  }

  /** Replaces the value of an action; without effect after the end. */
  put(id: string, value: JsonObject | Error, isUrgent: boolean): void {
    if (this.#end !== null) return;
    // An action whose value is replaced keeps its place, so that none starves.
    this.#values.set(id, { value, isUrgent });
    this.#wake();
  }

  /** Takes note of the end of an action. */
  endAction(id: string): void {
    if (this.ids?.delete(id) && this.ids.size === 0) this.finish();
  }

  /** Takes note that an action cannot be read. If it only does not exist, the stream goes on with its other actions. */
  failAction(id: string, error: unknown): void {
    if (this.ids === null) return;
    if (isMissing(error) && this.ids.size > 1) this.put(id, error, true);
    else this.fail(error);
  }

  /** Ends the stream after the values that it holds. */
  finish(): void {
    this.#end ??= 'finished';
    this.#wake();
  }

  /** Ends the stream with an error after the values that it holds. */
  fail(error: unknown): void {
    this.#end ??= { error };
    this.#wake();
  }

  async next(): Promise<IteratorResult<JsonObject | Error>> {
    for (;;) {
      const wait = this.#end === null ? this.#lastDelivery + this.#minInterval - Date.now() : 0;
      for (const [id, { value, isUrgent }] of this.#values) {
        if (wait > 0 && !isUrgent) continue;
        this.#values.delete(id);
        this.#lastDelivery = Date.now();
        return { value, done: false };
      }
      const end = this.#end;
      if (end !== null) {
        const done = await this.return();
        if (end !== 'finished') throw end.error;
        return done;
      }
      await new Promise<void>((resolve) => {
        const timer = this.#values.size === 0 ? undefined : setTimeout(resolve, wait);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  async return(): Promise<IteratorResult<JsonObject | Error>> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#end = 'finished';
      this.#values.clear();
      this.#wake();
      this.#onReturn();
    }
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
