// Reads the list of one caller's unfinished actions again and again.
import { setTimeout as pause } from 'node:timers/promises';
import type { Observer } from '../../telemetry/observer.ts';
import type { CallMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../json.ts';
import type { ActionStateApi } from './action-state-api.ts';

/** Minimum time between the starts of two polls of one action, or of the list, in milliseconds. */
export const MIN_POLL_INTERVAL = 100;

/** Receives what is read. */
export interface ListListener {
  onList(states: ReadonlyMap<string, JsonObject>): void;
  /** The list cannot be read, and is read no longer. */
  onFailure(error: unknown): void;
}

/** Reads the list twice in an interval, so that half of the changes are seen within a quarter of it. */
export class ListReader {
  readonly #api: ActionStateApi;
  readonly #interval: number;
  readonly #observer: Observer;
  readonly #meter: CallMeter;
  readonly #listener: ListListener;
  /** Aborts the reads; null while there are none. */
  #controller: AbortController | null = null;
  /** The last list until another one may be read. Without what may have been read singly since, which is later. */
  #recent: Map<string, JsonObject> | null = null;
  /** Whether an action waits for its first state from the list. */
  #isAwaited = false;
  /** Ends the pause before the next read, if that is allowed by now. */
  #endPause = (): void => undefined;

  /** @param interval In milliseconds. */
  constructor(
    api: ActionStateApi,
    interval: number,
    observer: Observer,
    meter: CallMeter,
    listener: ListListener,
  ) {
    this.#api = api;
    this.#interval = interval;
    this.#observer = observer;
    this.#meter = meter;
    this.#listener = listener;
  }

  /** Reads from now on. Without effect while it reads. */
  start(): void {
    if (this.#controller !== null) return;
    this.#controller = new AbortController();
    void this.#read(this.#controller.signal);
  }

  stop(): void {
    this.#controller?.abort();
    this.#controller = null;
    this.#recent = null;
  }

  /** The state of an action in a list so recent that another one may not be read yet; undefined for none. */
  recentState(id: string): JsonObject | undefined {
    return this.#recent?.get(id);
  }

  /** Forgets the recent state of an action that is read otherwise from now on: nobody must get an earlier state than before. */
  forget(id: string): void {
    this.#recent?.delete(id);
  }

  /** Has the list read as soon as that is allowed. */
  readSoon(): void {
    this.#isAwaited = true;
    this.#endPause();
  }

  async #read(signal: AbortSignal): Promise<void> {
    const cause = { poller: 'list', cause: null } as const;
    const end = this.#observer.poller?.(cause);
    try {
      while (!signal.aborted) {
        const startedAt = Date.now();
        this.#isAwaited = false;
        const states = await this.#api.listUnfinished({ signal, meter: this.#meter, cause });
        if (signal.aborted) return;
        this.#recent = states;
        this.#listener.onList(states);
        if (!signal.aborted) await this.#pause(Date.now() - startedAt, signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.stop();
      this.#listener.onFailure(error);
    } finally {
      end?.();
    }
  }

  /** More reads begin while actions wait for their first state. */
  async #pause(duration: number, signal: AbortSignal): Promise<void> {
    const longest = this.#pauseAfterRead(duration, this.#interval / 2);
    const shortest = Math.min(longest, this.#pauseAfterRead(duration, MIN_POLL_INTERVAL));
    await pause(shortest, undefined, { signal });
    this.#recent = null;
    const rest = longest - shortest;
    if (this.#isAwaited || rest <= 0) return;
    const ended = new Promise<void>((resolve) => {
      this.#endPause = resolve;
    });
    await Promise.race([pause(rest, undefined, { signal }), ended]);
  }

  /** After a slow read, the pause is as long as the read was, up to an interval. */
  #pauseAfterRead(duration: number, spacing: number): number {
    return Math.max(spacing - duration, Math.min(duration, this.#interval));
  }
}
