// Holds a running action with the streams that read it.
import type { PollerCause } from '../../observer.ts';
import { type CallMeter, IGNORED_END } from '../http/call-meter.ts';
import type { JsonObject } from '../json.ts';
import type { ActionStream } from './action-stream.ts';
import type { RepeatedRead } from './repeated-read.ts';

/** A running action with the streams that read it. */
export class WatchedAction {
  readonly id: string;
  /** Its first reader, for telemetry. */
  cause: PollerCause = null;
  /** The last known state, and when it was read (`performance.now()`); null for none. */
  state: JsonObject | null = null;
  readAt = Number.NEGATIVE_INFINITY;
  /** In the order of joining, with what counts their polls; null for nothing. */
  readonly readers = new Map<ActionStream, CallMeter | null>();
  /** Number of readers that do not follow all unfinished actions. */
  ownReaders = 0;
  /** Its long poll; null where it is read through the list. */
  poll: RepeatedRead | null = null;
  /** Aborts the read of it alone that is under way; null for none. */
  read: AbortController | null = null;
  /** When it is read alone if the list omits it, and the pause after that. */
  nextCheck = 0;
  checkDelay: number;

  constructor(id: string, checkDelay: number) {
    this.id = id;
    this.checkDelay = checkDelay;
  }

  /** Adds a stream. It receives the last known state at once, and the long poll counts as shared for it. */
  addReader(stream: ActionStream, meter: CallMeter | null = null, cause: PollerCause = null): void {
    if (this.readers.has(stream)) return;
    this.readers.set(stream, meter);
    if (stream.ids !== null) {
      if (this.ownReaders === 0) this.cause = cause;
      this.ownReaders += 1;
    }
    if (this.poll !== null) meter?.shared('OTHER_OPERATION');
    if (this.state !== null) stream.put(this.id, this.state, false);
  }

  removeReader(stream: ActionStream): void {
    if (this.readers.delete(stream) && stream.ids !== null) this.ownReaders -= 1;
  }

  /** Gives a state that has been read to all streams. Returns whether it has changed. */
  publish(state: JsonObject): boolean {
    this.readAt = performance.now();
    if (this.state !== null && !hasChanged(this.state, state)) return false;
    this.state = state;
    for (const stream of this.readers.keys()) stream.put(this.id, state, state['finished'] === true);
    return true;
  }
}

const COMPARED_VALUES = ['finished', 'status', 'current', 'total', 'label', 'can_cancel', 'unit'] as const;

/** Whether readers should receive a state: a value that the API exposes differs from the state before. */
export function hasChanged(before: JsonObject, after: JsonObject): boolean {
  return COMPARED_VALUES.some((name) => before[name] !== after[name]);
}

/** Creates a meter for calls that serve several operations: each is counted for the first one, and as shared for the others. */
export const meterFor = (actions: () => Iterable<WatchedAction>): CallMeter => ({
  sent(place) {
    const readers = [...actions()].flatMap((action) => [...action.readers]);
    // A stream of all unfinished actions needs the call of no single one.
    const meters = readers.flatMap(([stream, meter]) => (stream.ids === null ? [] : [meter]));
    const [first, ...others] = meters;
    for (const other of others) other?.shared('OTHER_OPERATION');
    return first?.sent(place) ?? IGNORED_END;
  },
  shared: () => IGNORED_END,
  // A small answer to all; one reader's limit must not end it for others.
  received: () => undefined,
});
