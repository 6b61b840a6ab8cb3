// One running action that a caller watches, with its readers and its last known state.
import { type CallMeter, sharedMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../reader.ts';
import type { LatestValueQueue } from './latest-value-queue.ts';

/** One running action of one caller, and the streams that read its state. */
export class WatchedAction {
  readonly id: string;
  /** Aborts the long poll of the action. */
  readonly abortController = new AbortController();
  state: JsonObject | null = null;
  /** `poll`: the action has its own long poll; `list`: it is watched through the list of unfinished states. */
  mode: 'poll' | 'list';
  /** An action that runs although the list omits it is read again at `nextCheck`; `delay` follows that read, in milliseconds. */
  absence: { readonly nextCheck: number; readonly delay: number };
  /** Counts each poll for the reader that has watched longest, and as shared for the others. */
  readonly meter: CallMeter;
  /** In the order of joining; null for readers whose polls are not counted. */
  readonly #readers = new Map<LatestValueQueue<JsonObject>, CallMeter | null>();
  #isPollOpen = false;

  /** @param interval First `absence.delay`, in milliseconds. */
  constructor(id: string, mode: 'poll' | 'list', interval: number) {
    this.id = id;
    this.mode = mode;
    this.absence = { nextCheck: 0, delay: interval };
    const meter = sharedMeter(() => this.meters);
    this.meter = {
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

  get readers(): readonly LatestValueQueue<JsonObject>[] {
    return [...this.#readers.keys()];
  }

  /** The meters of the readers, in the order of joining. */
  get meters(): readonly (CallMeter | null)[] {
    return [...this.#readers.values()];
  }

  isReadBy(stream: LatestValueQueue<JsonObject>): boolean {
    return this.#readers.has(stream);
  }

  /** Adds a reader. It receives the last known state at once, and the open poll counts as shared for it. */
  addReader(stream: LatestValueQueue<JsonObject>, meter: CallMeter | null): void {
    this.#readers.set(stream, meter);
    if (this.#isPollOpen) meter?.shared();
    if (this.state !== null) stream.put(this.id, this.state, false);
  }

  /** Removes a reader. @returns Whether it was the last one. */
  removeReader(stream: LatestValueQueue<JsonObject>): boolean {
    return this.#readers.delete(stream) && this.#readers.size === 0;
  }
}

const COMPARED_VALUES = ['finished', 'status', 'current', 'total', 'label', 'can_cancel', 'unit'] as const;

/** Whether readers should receive a state: a value that the API exposes differs from the state before. */
export function hasChanged(before: JsonObject, after: JsonObject): boolean {
  return COMPARED_VALUES.some((name) => before[name] !== after[name]);
}
