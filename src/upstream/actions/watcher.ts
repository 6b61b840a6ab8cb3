// Watches the running actions of all callers: each pair of credential and action is polled once for all that read it.
import type { ActionWait, ObservedOperation, Observer } from '../../observer.ts';
import type { Abortable } from '../abortable.ts';
import { ShuttingDownError } from '../errors.ts';
import type { ActionClient } from '../http/action-client.ts';
import type { CallMeter } from '../http/call-meter.ts';
import type { Caller } from '../http/caller.ts';
import type { JsonObject } from '../json.ts';
import { ActionStateApi, type ActionStateResource, type RetryOptions } from './action-state-api.ts';
import type { ActionStream } from './action-stream.ts';
import { CallerPoller } from './caller-poller.ts';

/** Limits and times of watching actions. Durations in milliseconds. */
export interface WatchOptions extends RetryOptions {
  /** Open streams of each caller; default 1,000. */
  readonly streams: number;
  /** Actions that each caller watches at a time; default 10,000. */
  readonly actions: number;
  /** Pause between two polls of a server that answers polls without waiting; the list is read twice in it. Default 1,000. */
  readonly interval: number;
}

const DEFAULT_WATCH: WatchOptions = {
  streams: 1_000,
  actions: 10_000,
  interval: 1_000,
  retryDeadline: 120_000,
  retryDelay: [500, 15_000],
};

/**
 * Receives a caller, the id of one of the caller's actions that has ended, and whether it has succeeded. Called before its readers get the
 * last state. An end may come more than once.
 */
type OnActionEnd = (caller: Caller, id: string, hasSucceeded: boolean) => void;

/** Maximum number of concurrent long polls over all callers. Each occupies a worker of the server. */
const MAX_TOTAL_POLLS = 64;

/** Watches running actions. Polling begins with the first reader of an action, and stops with the last one. */
export class Watcher {
  readonly #budget = { remaining: MAX_TOTAL_POLLS };
  readonly #options: WatchOptions;
  readonly #observer: Observer;
  readonly #callers = new Map<string, CallerPoller>();
  readonly #onEnd: OnActionEnd;

  constructor(
    options: Partial<WatchOptions> = {},
    observer: Observer = {},
    onEnd: OnActionEnd = () => undefined,
  ) {
    this.#observer = observer;
    this.#options = { ...DEFAULT_WATCH, ...options };
    this.#onEnd = onEnd;
  }

  /** Number of actions and streams of unfinished actions that are watched, over all callers. */
  get watched(): number {
    return [...this.#callers.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Has changes seen soon of a caller who has written. @param key That of the caller, see `actionsFor`. */
  hurry(key: string): void {
    this.#callers.get(key)?.hurry();
  }

  /** Ends every stream with SHUTTING_DOWN. */
  close(): void {
    const error = new ShuttingDownError('The facade is shutting down; subscribe again in a moment.');
    for (const poller of [...this.#callers.values()]) poller.close(error);
  }

  /**
   * Returns the running actions of a caller. Pollers are never shared across credentials.
   * @param key Identifies those who share pollers and limits.
   * @param client Used by the pollers that the returned object starts.
   * @param resource What the caller's description offers to read states.
   * @param observed The operation that watches the actions, for telemetry.
   */
  actionsFor(
    key: string,
    caller: Caller,
    client: ActionClient,
    resource: ActionStateResource,
    observed: ObservedOperation | null = null,
  ): CallerActions {
    const options = this.#options;
    const pollerOf = (): CallerPoller => {
      let poller = this.#callers.get(key);
      if (poller === undefined) {
        poller = new CallerPoller({
          api: new ActionStateApi(client, resource, options),
          limits: options,
          budget: this.#budget,
          observer: this.#observer,
          onEnd: (id, hasSucceeded) => this.#onEnd(caller, id, hasSucceeded),
          onIdle: () => this.#callers.delete(key),
        });
        this.#callers.set(key, poller);
      }
      return poller;
    };
    return new CallerActions(pollerOf, observed, this.#observer);
  }
}

/** The running actions of one caller, as one operation watches them. */
export class CallerActions {
  readonly #pollerOf: () => CallerPoller;
  readonly #observed: ObservedOperation | null;
  readonly #observer: Observer;

  constructor(pollerOf: () => CallerPoller, observed: ObservedOperation | null, observer: Observer) {
    this.#pollerOf = pollerOf;
    this.#observed = observed;
    this.#observer = observer;
  }

  /**
   * Streams the states of actions: the current state of each, then each change, until all have finished. A slow reader
   * receives only the latest state of each action. An action that does not exist is an error among the states; the last action of
   * a stream ends it with the error.
   * @param minInterval Minimum time between two values, in milliseconds.
   * @param signal Ends the stream, even before its first read.
   * @throws SubscriptionLimitError when the caller has too many open streams, or watches too many actions.
   */
  watch(ids: readonly string[], minInterval: number, signal?: Abortable): ActionStream {
    return this.#pollerOf().open({ ids: new Set(ids), minInterval, cause: this.#observed }, signal);
  }

  /**
   * Streams the states of all unfinished actions of the caller: the current ones, new ones, each change and each end.
   * @throws SubscriptionLimitError when the caller has too many open streams.
   */
  pending(signal?: Abortable): ActionStream {
    return this.#pollerOf().open({ ids: null }, signal);
  }

  /**
   * Waits until an action has finished, for at most `ms` milliseconds. Returns the last known state; null where none is known.
   * @param meter Counts the polls. A poll with several readers is counted for the one that has waited longest, and as
   *   shared for the others.
   */
  async wait(id: string, ms: number, meter: CallMeter, signal?: Abortable): Promise<JsonObject | null> {
    const cause: ActionWait = { cause: this.#observed };
    const end = this.#observer.actionWait?.(cause);
    let last: JsonObject | null = null;
    let timer: NodeJS.Timeout | undefined;
    try {
      const states = this.#pollerOf().open({ ids: new Set([id]), meter, cause }, signal);
      timer = setTimeout(() => void states.return(), ms);
      for await (const state of states) if (!(state instanceof Error)) last = state;
      return last;
    } finally {
      clearTimeout(timer);
      end?.({ isFinished: last?.['finished'] === true });
    }
  }
}
