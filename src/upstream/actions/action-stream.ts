// Holds the states of running actions: the last known one of an action, and those of a reader until it takes them.
import type { PollerCause } from '../../observer.ts';
import { isMissing } from '../errors.ts';
import { type CallMeter, IGNORED_END } from '../http/call-meter.ts';
import type { JsonObject } from '../json.ts';
import { hasChanged } from './action-state-api.ts';
import type { RepeatedPoll } from './repeated-poll.ts';

/**
 * The states of actions for one reader: the latest one of each. A slow reader skips intermediate states, never the last one. An error is the
 * end of one action, after which the others go on.
 */
export class ActionStream implements AsyncIterableIterator<JsonObject | Error> {
  readonly #values = new Map<string, { readonly value: JsonObject | Error; readonly isUrgent: boolean }>();
  /** The actions that it still follows. It ends with the last one. */
  #actions: number;
  readonly #minInterval: number;
  readonly #onReturn: () => void;
  /** Wakes the reader that waits, to look again. */
  #wake: () => void = () => undefined;
  #lastDelivery = Number.NEGATIVE_INFINITY;
  #end: { readonly error: unknown } | 'finished' | null = null;
  #isClosed = false;

  /**
   * @param actions The number of actions that it follows; 0 for one that follows all unfinished ones.
   * @param minInterval Minimum time between two deliveries, in milliseconds. Urgent values skip it.
   * @param onReturn Called once, when the reader returns or has read the end.
   */
  constructor(actions: number, minInterval: number, onReturn: () => void) {
    this.#actions = actions;
    this.#minInterval = minInterval;
    this.#onReturn = onReturn;
  }

  /** Replaces the value of an action; without effect after the end. */
  put(id: string, value: JsonObject | Error, isUrgent: boolean): void {
    if (this.#end !== null) return;
    // An action whose value is replaced keeps its place, so that none starves.
    this.#values.set(id, { value, isUrgent });
    this.#wake();
  }

  /** Whether no action follows the next end of one. */
  get isAtLastAction(): boolean {
    return this.#actions === 1;
  }

  /** Takes note of the end of an action. */
  endAction(): void {
    this.#actions -= 1;
    if (this.#actions === 0) this.finish();
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

/** A running action with the streams that read it. */
export class WatchedAction {
  readonly id: string;
  /** Its first reader, for telemetry. */
  cause: PollerCause = null;
  /** The last known state, and when it was read (`performance.now()`); null for none. */
  state: JsonObject | null = null;
  readAt = Number.NEGATIVE_INFINITY;
  /** In the order of joining; null for streams whose polls are not counted. */
  readonly readers = new Map<ActionStream, CallMeter | null>();
  /** Whether the streams of all unfinished actions show it. */
  isPending = false;
  /** Its long poll; null where it is read through the list. */
  poll: RepeatedPoll | null = null;
  /** Aborts the read of it alone that is under way; null for none. */
  read: AbortController | null = null;
  /** When it is read alone if the list omits it, and the pause after that. */
  nextCheck = 0;
  checkDelay: number;
  #isCallOpen = false;

  constructor(id: string, checkDelay: number) {
    this.id = id;
    this.checkDelay = checkDelay;
  }

  /** Adds a stream. It receives the last known state at once, and the open poll counts as shared for it. */
  addReader(stream: ActionStream, meter: CallMeter | null, cause: PollerCause): void {
    if (this.readers.size === 0) this.cause = cause;
    this.readers.set(stream, meter);
    if (this.#isCallOpen) meter?.shared('OTHER_OPERATION');
    if (this.state !== null) stream.put(this.id, this.state, false);
  }

  /** Shows it to the streams of all unfinished actions from now on. */
  showTo(pending: Iterable<ActionStream>): void {
    if (this.isPending) return;
    this.isPending = true;
    if (this.state !== null) for (const stream of pending) stream.put(this.id, this.state, false);
  }

  /** Gives a state that has been read to all streams, if it has changed. */
  publish(state: JsonObject, pending: Iterable<ActionStream>): void {
    this.readAt = performance.now();
    if (this.state !== null && !hasChanged(this.state, state)) return;
    this.state = state;
    const streams = [...this.readers.keys(), ...(this.isPending ? pending : [])];
    for (const stream of streams) stream.put(this.id, state, state['finished'] === true);
  }

  /** Gives an error to the streams that read it. If it only does not exist, those of other actions go on. */
  fail(error: unknown): void {
    for (const stream of this.readers.keys()) {
      if (isMissing(error) && !stream.isAtLastAction) stream.put(this.id, error, true);
      else stream.fail(error);
    }
  }

  /** Counts each poll for the stream that has read longest, and as shared for the others. */
  openMeter(): CallMeter {
    const meter = sharedMeter(() => this.readers.values());
    return {
      ...meter,
      sent: (place) => {
        const end = meter.sent(place);
        this.#isCallOpen = true;
        return (status) => {
          this.#isCallOpen = false;
          end(status);
        };
      },
    };
  }
}

/** Creates a meter for a call that serves several operations: it is counted for the first one, and as shared for the others. */
export function sharedMeter(meters: () => Iterable<CallMeter | null>): CallMeter {
  return {
    sent(place) {
      const [first, ...others] = meters();
      for (const other of others) other?.shared('OTHER_OPERATION');
      return first?.sent(place) ?? IGNORED_END;
    },
    shared(from) {
      for (const meter of meters()) meter?.shared(from);
      return IGNORED_END;
    },
    // A small answer to all; one reader's limit must not end it for others.
    received: () => undefined,
  };
}
