import { type CallMeter, sharedMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../reader.ts';
import type { LatestValueQueue } from './latest-value-queue.ts';

/** One running action of one caller, and those who watch it. */
export class WatchedAction {
  readonly id: string;
  /** Aborts its poll. */
  readonly stop = new AbortController();
  state: JsonObject | null = null;
  /** Watched by a long poll of its own, or with others through the list of unfinished ones. */
  mode: 'poll' | 'list';
  /** Until when an action that the list leaves out although it runs is not asked for, and the pause after that. */
  absence: { readonly until: number; readonly pause: number };
  /** Counts its polls: each for the reader who has watched longest, and as shared for the others. */
  readonly meter: CallMeter;
  /** Longest first; null for readers whose polls are not counted. */
  readonly #readers = new Map<LatestValueQueue<JsonObject>, CallMeter | null>();
  #isPollOpen = false;

  /** @param interval Pause, in milliseconds, until an action that the list leaves out is asked for again. */
  constructor(id: string, mode: 'poll' | 'list', interval: number) {
    this.id = id;
    this.mode = mode;
    this.absence = { until: 0, pause: interval };
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

  /** Of its readers, in their order. */
  get meters(): readonly (CallMeter | null)[] {
    return [...this.#readers.values()];
  }

  isReadBy(box: LatestValueQueue<JsonObject>): boolean {
    return this.#readers.has(box);
  }

  /** Adds a reader, who gets the state that is known, and shares the poll that is open. */
  join(box: LatestValueQueue<JsonObject>, meter: CallMeter | null): void {
    this.#readers.set(box, meter);
    if (this.#isPollOpen) meter?.shared();
    if (this.state !== null) box.put(this.id, this.state, false);
  }

  /** Removes a reader. @returns Whether it was the last one. */
  leave(box: LatestValueQueue<JsonObject>): boolean {
    return this.#readers.delete(box) && this.#readers.size === 0;
  }
}
