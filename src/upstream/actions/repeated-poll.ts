// Repeats a poll of the management API, ever more rarely while nothing changes.
import { setTimeout as pause } from 'node:timers/promises';

/** Minimum time between the starts of two polls, in milliseconds. */
const MIN_POLL_INTERVAL = 100;
/** Longest pause between two reads of the list, in milliseconds. */
const MAX_LIST_PAUSE = 10_000;
/** Intervals without a change after which pauses between long polls begin, and the length of the longest pause. */
const QUIET_INTERVALS = 60;

/** A poll that has been answered. Milliseconds. */
interface Answered {
  readonly duration: number;
  /** Time since a poll has shown a change, or since somebody has asked for haste. */
  readonly unchangedFor: number;
}

/** The pause before the next poll, in milliseconds: the shortest, for one who asks for haste, and the usual one. */
type Pauses = readonly [shortest: number, usual: number];

/**
 * The pauses after a long poll. An action that does not change for long is polled ever more rarely; what it does then is seen late by a tenth
 * of that time, or sixty intervals, at most.
 * @param answersAtOnce Whether the server does not wait for a change, so that it is polled at intervals.
 */
export function pauseAfterPoll(
  { duration, unchangedFor }: Answered,
  interval: number,
  answersAtOnce: boolean,
): Pauses {
  const shortest = MIN_POLL_INTERVAL - duration;
  const longest = QUIET_INTERVALS * interval;
  const quiet = unchangedFor < longest ? 0 : Math.min(unchangedFor / 10, longest);
  return [shortest, Math.max(shortest, quiet, answersAtOnce ? interval : 0)];
}

/** The pauses after a read of the list, which is read twice in an interval while it changes. After a slow read, they are as long as it was. */
export function pauseAfterList({ duration, unchangedFor }: Answered, interval: number): Pauses {
  const rest = Math.min(duration, interval);
  const quiet = Math.min(unchangedFor / 2, MAX_LIST_PAUSE);
  return [Math.max(MIN_POLL_INTERVAL - duration, rest), Math.max(interval / 2 - duration, rest, quiet)];
}

/** What is polled. */
export interface PollParts {
  /** Polls once. Returns whether something has changed. */
  poll(signal: AbortSignal): Promise<boolean>;
  pauseAfter(answered: Answered): Pauses;
  /** Called when a poll has failed, after which none follows. */
  onFailure(error: unknown): void;
  /** Called once, at the end. */
  onEnd(): void;
}

/** Polls from its creation until it is stopped or a poll fails. */
export class RepeatedPoll {
  readonly #parts: PollParts;
  readonly #controller = new AbortController();
  #changedAt = performance.now();
  #isHurried = false;
  #endPause: () => void = () => undefined;

  constructor(parts: PollParts) {
    this.#parts = parts;
    void this.#run(this.#controller.signal);
  }

  stop(): void {
    this.#controller.abort();
  }

  /** Has it poll as soon as that is allowed, and more often from now on: a change is likely. */
  hurry(): void {
    this.#changedAt = performance.now();
    this.#isHurried = true;
    this.#endPause();
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        this.#isHurried = false;
        const startedAt = performance.now();
        const hasChanged = await this.#parts.poll(signal);
        const now = performance.now();
        if (hasChanged) this.#changedAt = now;
        const answered = { duration: now - startedAt, unchangedFor: now - this.#changedAt };
        if (!signal.aborted) await this.#pause(this.#parts.pauseAfter(answered), signal);
      }
    } catch (error) {
      if (!signal.aborted) this.#parts.onFailure(error);
    } finally {
      this.#parts.onEnd();
    }
  }

  async #pause([shortest, usual]: Pauses, signal: AbortSignal): Promise<void> {
    if (shortest > 0) await pause(shortest, undefined, { signal });
    const rest = usual - Math.max(0, shortest);
    if (this.#isHurried || rest <= 0) return;
    const hurried = new Promise<void>((resolve) => {
      this.#endPause = resolve;
    });
    const ending = new AbortController();
    const rested = pause(rest, undefined, { signal: AbortSignal.any([signal, ending.signal]) });
    await Promise.race([rested, hurried]).finally(() => {
      rested.catch(() => undefined);
      ending.abort();
    });
  }
}
