// One running action that a caller watches, with its readers and its last known state.
import { type CallMeter, sharedMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../reader.ts';
import type { ActionStream } from './latest-value-queue.ts';

/** One running action of one caller, and the streams that read its state. */
export class WatchedAction {
  readonly id: string;
  /** Aborts the long poll of the action. */
  readonly abortController = new AbortController();
  state: JsonObject | null = null;
  /** Whether a read of the action is in progress because the list omits it. */
  isRead = false;
  /** An action that runs although the list omits it is read again at `nextCheck`; `delay` follows that read, in milliseconds. */
  absence: { readonly nextCheck: number; readonly delay: number };
  /** Counts each poll for the reader that has watched longest, and as shared for the others. */
  readonly meter: CallMeter;
  /** In the order of joining; null for readers whose polls are not counted. */
  readonly #readers = new Map<ActionStream, CallMeter | null>();
  #isPollOpen = false;

  /** @param interval First `absence.delay`, in milliseconds. */
  constructor(id: string, interval: number) {
    this.id = id;
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

  /** Removes a reader. @returns Whether it was the last one. */
  removeReader(stream: ActionStream): boolean {
    return this.#readers.delete(stream) && this.#readers.size === 0;
  }
}

const COMPARED_VALUES = ['finished', 'status', 'current', 'total', 'label', 'can_cancel', 'unit'] as const;

/** Whether readers should receive a state: a value that the API exposes differs from the state before. */
export function hasChanged(before: JsonObject, after: JsonObject): boolean {
  return COMPARED_VALUES.some((name) => before[name] !== after[name]);
}
