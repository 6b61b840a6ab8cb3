// One running action that a caller watches, with its readers and its last known state.
import type { PollerCause } from '../../telemetry/observer.ts';
import { type CallMeter, sharedMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../json.ts';
import type { ActionStream } from './latest-value-queue.ts';

/** Longest pause between two reads of a running action that the list omits, in milliseconds. */
const MAX_CHECK_DELAY = 30_000;

/** One running action of one caller, and the streams that read its state. */
export class WatchedAction {
  readonly id: string;
  /** Its first reader, for telemetry. */
  readonly cause: PollerCause;
  state: JsonObject | null = null;
  /** The fencing token of the read that gave the state. */
  token = Number.NEGATIVE_INFINITY;
  /** Number of the change that gave the state. By it, the leader knows whether a follower has the state. */
  change = 0;
  /** Whether a read of the action is in progress because the list omits it. */
  isBeingRead = false;
  /** When an action that the list omits is read. */
  nextCheck = 0;
  /** Pause after that read, in milliseconds. */
  #checkDelay: number;
  /** In the order of joining; null for readers whose polls are not counted. */
  readonly #readers = new Map<ActionStream, CallMeter | null>();
  /** The other replicas with readers of it; null before the first. */
  #replicas: Set<string> | null = null;
  #isPollOpen = false;

  /** @param interval First pause between two reads of an action that the list omits, in milliseconds. */
  constructor(id: string, interval: number, cause: PollerCause) {
    this.id = id;
    this.cause = cause;
    this.#checkDelay = interval;
  }

  /** Makes a meter for polls: it counts each for the reader that has watched longest, and as shared for the others. */
  openMeter(): CallMeter {
    const meter = sharedMeter(() => this.meters);
    return {
      ...meter,
      sent: (place) => {
        const end = meter.sent(place);
        this.#isPollOpen = true;
        return (status) => {
          this.#isPollOpen = false;
          end(status);
        };
      },
    };
  }

  get readers(): readonly ActionStream[] {
    return [...this.#readers.keys()];
  }

  /** The meters of the readers, in the order of joining. */
  get meters(): Iterable<CallMeter | null> {
    return this.#readers.values();
  }

  /** Adds a reader. It receives the last known state at once, and the open poll counts as shared for it. */
  addReader(stream: ActionStream, meter: CallMeter | null): void {
    this.#readers.set(stream, meter);
    if (this.#isPollOpen) meter?.shared('OTHER_OPERATION');
    if (this.state !== null) stream.put(this.id, this.state, false);
  }

  /** The action runs although the list omits it, so that it is read again after a pause, and then ever less often. */
  postponeCheck(): void {
    this.nextCheck = Date.now() + this.#checkDelay;
    this.#checkDelay = Math.min(this.#checkDelay * 2, MAX_CHECK_DELAY);
  }

  removeReader(stream: ActionStream): void {
    this.#readers.delete(stream);
  }

  addReplica(replica: string): void {
    this.#replicas ??= new Set();
    this.#replicas.add(replica);
  }

  /** @returns Whether the replica had readers of it. */
  removeReplica(replica: string): boolean {
    return this.#replicas?.delete(replica) ?? false;
  }

  /** Whether this replica or another one has readers of it. */
  get isWatched(): boolean {
    return this.#readers.size > 0 || (this.#replicas?.size ?? 0) > 0;
  }
}

const COMPARED_VALUES = ['finished', 'status', 'current', 'total', 'label', 'can_cancel', 'unit'] as const;

/** Whether readers should receive a state: a value that the API exposes differs from the state before. */
export function hasChanged(before: JsonObject, after: JsonObject): boolean {
  return COMPARED_VALUES.some((name) => before[name] !== after[name]);
}
