// Repeats polls of a running action, and reads of the list of unfinished ones, ever more rarely while nothing changes.
import type { Observer } from '../../observer.ts';
import type { CallMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../json.ts';
import { type ActionStateApi, hasChanged, haveChanged } from './action-state-api.ts';
import type { WatchedAction } from './action-stream.ts';

/** Minimum time between the starts of two polls, in milliseconds. */
const MIN_POLL_INTERVAL = 100;
/** Longest pause between two reads of the list, in milliseconds. */
const MAX_LIST_PAUSE = 10_000;
/** Intervals without a change after which pauses between long polls begin, and the length of the longest pause. */
const QUIET_INTERVALS = 60;

/** A poll that has been answered, with the time since one has shown a change, or since haste was asked for. Milliseconds. */
interface Answered {
  readonly duration: number;
  readonly unchangedFor: number;
}

/** The pause before the next poll, in milliseconds: the shortest, where haste is asked for, and the usual one if that is longer. */
type Pauses = readonly [shortest: number, usual: number];

/**
 * The pauses after a long poll. An action that does not change for long is polled ever more rarely; what it does then is seen late by a tenth
 * of that time, or sixty intervals, at most.
 * @param answersAtOnce Whether the server does not wait for a change, so that it is polled at intervals.
 */
function pauseAfterPoll(
  { duration, unchangedFor }: Answered,
  interval: number,
  answersAtOnce: boolean,
): Pauses {
  const longest = QUIET_INTERVALS * interval;
  const quiet = unchangedFor < longest ? 0 : Math.min(unchangedFor / 10, longest);
  return [MIN_POLL_INTERVAL - duration, Math.max(quiet, answersAtOnce ? interval : 0)];
}

/** The pauses after a read of the list, which is read twice in an interval while it changes. After a slow read, they are as long as it was. */
function pauseAfterList({ duration, unchangedFor }: Answered, interval: number): Pauses {
  const rest = Math.min(duration, interval);
  const quiet = Math.min(unchangedFor / 2, MAX_LIST_PAUSE);
  return [Math.max(MIN_POLL_INTERVAL - duration, rest), Math.max(interval / 2 - duration, rest, quiet)];
}

/** What is polled. */
interface PollParts {
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
  /** Shortens the pause to the shortest, or ends it. */
  #shorten: (isOver: boolean) => void = () => undefined;

  constructor(parts: PollParts) {
    this.#parts = parts;
    void this.#run(this.#controller.signal);
  }

  stop(): void {
    this.#controller.abort();
    this.#shorten(true);
  }

  /** Has it poll as soon as that is allowed, and more often from now on: a change is likely. */
  hurry(): void {
    this.#changedAt = performance.now();
    this.#isHurried = true;
    this.#shorten(false);
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
        if (!signal.aborted) await this.#pause(this.#parts.pauseAfter(answered));
      }
    } catch (error) {
      if (!signal.aborted) this.#parts.onFailure(error);
    } finally {
      this.#parts.onEnd();
    }
  }

  #pause([shortest, usual]: Pauses): Promise<void> {
    const startedAt = performance.now();
    return new Promise((resolve) => {
      const resumeAfter = (ms: number): NodeJS.Timeout =>
        setTimeout(resolve, startedAt + ms - performance.now());
      let timer = resumeAfter(this.#isHurried ? shortest : Math.max(shortest, usual));
      this.#shorten = (isOver) => {
        clearTimeout(timer);
        if (isOver) resolve();
        else timer = resumeAfter(shortest);
      };
    });
  }
}

/** What polls are made with. */
export interface PollSource {
  readonly api: ActionStateApi;
  readonly limits: { readonly interval: number };
  readonly observer: Observer;
}

/** Receives what is read. */
interface PollListener<T> extends Pick<PollParts, 'onFailure' | 'onEnd'> {
  /** A state, or the list, has been read, whether it has changed or not. @param startedAt When the read began, as `performance.now()`. */
  onAnswer(answer: T, startedAt: number): void;
}

/** Polls an action by long polls. */
export function pollAction(
  action: WatchedAction,
  { api, observer, limits: { interval } }: PollSource,
  { onAnswer, onFailure, onEnd }: PollListener<JsonObject>,
): RepeatedPoll {
  const cause = { poller: 'action', cause: action.cause } as const;
  const end = observer.poller?.(cause);
  let answersAtOnce = false;
  return new RepeatedPoll({
    poll: async (signal) => {
      const before = action.state;
      const startedAt = performance.now();
      const state = await api.poll(action.id, before, { signal, meter: action.openMeter(), cause });
      if (signal.aborted) return false;
      const isNew = before === null || hasChanged(before, state);
      // A server that answers at once without a change does not support long polls, so it is polled at intervals.
      answersAtOnce = !isNew && performance.now() - startedAt < interval / 2;
      onAnswer(state, startedAt);
      return isNew;
    },
    pauseAfter: (answered) => pauseAfterPoll(answered, interval, answersAtOnce),
    onFailure,
    onEnd() {
      end?.();
      onEnd();
    },
  });
}

/** Reads the list of unfinished states, by id, again and again. */
export function pollList(
  meter: CallMeter,
  { api, observer, limits }: PollSource,
  { onAnswer, onFailure }: Omit<PollListener<ReadonlyMap<string, JsonObject>>, 'onEnd'>,
): RepeatedPoll {
  const cause = { poller: 'list', cause: null } as const;
  const end = observer.poller?.(cause);
  let before: ReadonlyMap<string, JsonObject> | null = null;
  return new RepeatedPoll({
    poll: async (signal) => {
      const startedAt = performance.now();
      const states = await api.listUnfinished({ signal, meter, cause });
      if (signal.aborted) return false;
      const isNew = before === null || haveChanged(before, states);
      before = states;
      onAnswer(states, startedAt);
      return isNew;
    },
    pauseAfter: (answered) => pauseAfterList(answered, limits.interval),
    onFailure,
    onEnd: () => end?.(),
  });
}
