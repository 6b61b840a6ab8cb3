// Holds the running actions that are watched, and the streams that pass their states to readers.
import type { PollerCause } from '../../observer.ts';
import { isMissing } from '../errors.ts';
import type { CallMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../json.ts';
import { type RepeatedRead, sleep } from './action-state-api.ts';

/** How a stream reads. */
export interface StreamOptions {
  /** The actions that it follows, the last of which ends it; null: all unfinished ones. */
  readonly ids: ReadonlySet<string> | null;
  /** Minimum time between two values, in milliseconds; default 0. */
  readonly minInterval?: number;
  /** Counts the polls; default: they are not counted. */
  readonly meter?: CallMeter;
  /** Its reader, for telemetry; default null. */
  readonly cause?: PollerCause;
}

/**
 * The states of actions for one reader: the latest one of each. A slow reader skips intermediate states, never the last one. An error is the
 * end of one action, after which the others go on.
 */
export class ActionStream implements AsyncIterableIterator<JsonObject | Error> {
  /** The actions that it still follows; null: all unfinished ones. */
  readonly ids: Set<string> | null;
  readonly meter: CallMeter | undefined;
  readonly cause: PollerCause;
  /** What was not read yet, by action. An action whose value is replaced keeps its place, so that none starves. */
  readonly #values = new Map<string, JsonObject | Error>();
  readonly #minInterval: number;
  readonly #onReturn: () => void;
  /** Wakes the reader that waits, to look again. */
  #wake: () => void = () => undefined;
  #lastDelivery = Number.NEGATIVE_INFINITY;
  #end: { readonly error: unknown } | 'finished' | null = null;
  #isClosed = false;

  /** @param onReturn Called once, when the reader returns or has read the end. */
  constructor({ ids, minInterval = 0, meter, cause = null }: StreamOptions, onReturn: () => void) {
    this.ids = ids && new Set(ids);
    this.meter = meter;
    this.cause = cause;
    this.#minInterval = minInterval;
    this.#onReturn = onReturn;
  }

  /** Whether it can still receive states. */
  get isOpen(): boolean {
    return this.#end === null;
  }

  /** Replaces the value of an action; without effect after the end. */
  put(id: string, value: JsonObject | Error): void {
    if (this.#end !== null) return;
    this.#values.set(id, value);
    this.#wake();
  }

  /** Takes note of the end of an action. */
  endAction(id: string): void {
    if (this.ids?.delete(id) && this.ids.size === 0) this.finish();
  }

  /** Takes note that an action cannot be read. If it only does not exist, the stream goes on with its other actions. */
  failAction(id: string, error: unknown): void {
    if (this.ids === null) return;
    if (isMissing(error) && this.ids.size > 1) this.put(id, error);
    else this.finish({ error });
  }

  /** Ends the stream after the values that it holds. */
  finish(end: { readonly error: unknown } | 'finished' = 'finished'): void {
    this.#end ??= end;
    this.#wake();
  }

  async next(): Promise<IteratorResult<JsonObject | Error>> {
    for (;;) {
      const wait = this.#end === null ? this.#lastDelivery + this.#minInterval - Date.now() : 0;
      for (const [id, value] of this.#values) {
        // An error and the end of an action do not wait.
        if (wait > 0 && !(value instanceof Error) && value['finished'] !== true) continue;
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
      await sleep(this.#values.size === 0 ? undefined : wait, (wake) => {
        this.#wake = wake;
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
  /** The last known state, and when it was read (`performance.now()`); null for none. */
  state: JsonObject | null = null;
  readAt = Number.NEGATIVE_INFINITY;
  /** In the order of joining. */
  readonly readers = new Set<ActionStream>();
  /** Those that do not follow all unfinished actions. */
  readonly ownReaders = new Set<ActionStream>();
  /** Its long poll; null where it is read through the list. */
  poll: RepeatedRead | null = null;
  /** Ends the read of it alone, because the list omits it; null where it is not read so. */
  read: AbortController | null = null;
  /** When it may be read alone again. */
  nextCheck = 0;

  constructor(id: string) {
    this.id = id;
  }

  /** Adds a stream. It receives the last known state at once, and the long poll counts as shared for it. */
  addReader(stream: ActionStream): void {
    if (this.readers.has(stream)) return;
    this.readers.add(stream);
    if (stream.ids !== null) this.ownReaders.add(stream);
    if (this.poll !== null) stream.meter?.shared();
    if (this.state !== null) stream.put(this.id, this.state);
  }

  /** Returns whether it was a reader. */
  removeReader(stream: ActionStream): boolean {
    this.ownReaders.delete(stream);
    return this.readers.delete(stream);
  }

  /** Ends its calls. */
  stop(): void {
    this.poll?.stop();
    this.read?.abort();
  }

  /** Gives a state that has been read to all streams. Returns whether it has changed. */
  publish(state: JsonObject): boolean {
    const before = this.state;
    this.readAt = performance.now();
    if (before !== null && !COMPARED_VALUES.some((name) => before[name] !== state[name])) return false;
    this.state = state;
    for (const stream of this.readers) stream.put(this.id, state);
    return true;
  }
}

/** The values that the API exposes of a state. Readers receive a state where one differs from the state before. */
const COMPARED_VALUES = ['finished', 'status', 'current', 'total', 'label', 'can_cancel', 'unit'] as const;

/** Creates a meter for calls that serve several operations: each is counted for the first one, and as shared for the others. */
export const meterFor = (actions: () => readonly WatchedAction[]): CallMeter => ({
  sent(place) {
    // A stream of all unfinished actions needs the call of no single one.
    const [first, ...others] = actions().flatMap(({ ownReaders }) => [...ownReaders]);
    for (const other of others) other.meter?.shared();
    return first?.meter?.sent(place);
  },
  shared: () => undefined,
  // A small answer to all; one reader's limit must not end it for others.
  received: () => undefined,
});
