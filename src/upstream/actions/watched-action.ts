// Holds the last known state of a running action, and the streams that read it.
import type { PollerCause } from '../../observer.ts';
import { type CallMeter, sharedMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../json.ts';
import type { ActionStream } from './action-stream.ts';

/** An action with the streams that read it. */
export class WatchedAction {
  readonly id: string;
  /** Its first reader, for telemetry. */
  readonly cause: PollerCause;
  /** The last known state; null for none. */
  state: JsonObject | null = null;
  /** In the order of joining; null for streams whose polls are not counted. */
  readonly readers = new Map<ActionStream, CallMeter | null>();
  #isPollOpen = false;

  constructor(id: string, cause: PollerCause) {
    this.id = id;
    this.cause = cause;
  }

  get meters(): Iterable<CallMeter | null> {
    return this.readers.values();
  }

  /** Counts each poll for the stream that has read longest, and as shared for the others. */
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

  /** Adds a stream. It receives the last known state at once, and the open poll counts as shared for it. */
  addReader(stream: ActionStream, meter: CallMeter | null): void {
    this.readers.set(stream, meter);
    if (this.#isPollOpen) meter?.shared('OTHER_OPERATION');
    if (this.state !== null) stream.put(this.id, this.state, false);
  }
}
