// Watches blocking actions for all callers and shares the pollers of each credential.
import { LRUCache } from 'lru-cache';
import { LocalDeployment } from '../../sharing/local-replicas.ts';
import type { Replicas } from '../../sharing/replicas.ts';
import type { ActionWait, ObservedOperation, Observer } from '../../telemetry/observer.ts';
import type { Abortable } from '../abortable.ts';
import { atMost } from '../cache-bounds.ts';
import { ShuttingDownError } from '../errors.ts';
import type { ActionClient } from '../http/action-client.ts';
import type { CallMeter } from '../http/call-meter.ts';
import type { Caller } from '../http/caller.ts';
import type { JsonObject } from '../json.ts';
import {
  ActionStateCalls,
  DEFAULT_WATCH,
  type OnActionEnd,
  type PollBudget,
  type StateActions,
  type WatchOptions,
} from './action-calls.ts';
import { CallPace } from './call-pace.ts';
import { CallerWatcher } from './caller-watcher.ts';
import { EndedActions } from './ended-actions.ts';
import type { ActionStream } from './latest-value-queue.ts';
import { Turns } from './turns.ts';

/** The running actions of one caller. */
export interface CallerActions {
  /**
   * Streams the states of actions: the current state of each, then each change, until all have finished. A slow reader
   * receives only the latest state of each action. An action that does not exist is an error among the states; the last action of
   * a stream ends it with the error.
   * @param minInterval Minimum time between two values, in milliseconds.
   * @param signal Ends the stream, even before its first read.
   * @throws SubscriptionLimitError when the caller has too many open streams, or watches too many actions.
   */
  watch(ids: readonly string[], minInterval: number, signal?: Abortable): ActionStream;
  /**
   * Streams the states of all unfinished actions of the caller: the current ones, new ones, each change and each end.
   * @throws SubscriptionLimitError when the caller has too many open streams.
   */
  pending(signal?: Abortable): ActionStream;
  /**
   * Waits until an action has finished, for at most `ms` milliseconds. Returns the last known state; null where none is known.
   * @param meter Counts the polls. A poll with several readers is counted for the one that has waited longest, and as
   *   shared for the others.
   */
  wait(id: string, ms: number, meter: CallMeter, signal?: Abortable): Promise<JsonObject | null>;
}

/** Maximum number of concurrent long polls over all callers. Each occupies a worker of the server. */
export const MAX_TOTAL_POLLS = 64;

/** Callers whose pace is remembered. The least recently seen are forgotten. */
const MAX_CALLERS = 10_000;

/** Watches blocking actions. Each pair of credential and action has one poller, shared by its readers; it stops with the last one. */
export class ActionStates {
  readonly #budget: PollBudget = { remaining: MAX_TOTAL_POLLS };
  readonly #turns: Turns;
  readonly #ended = new EndedActions();
  readonly #options: WatchOptions;
  readonly #observer: Observer;
  readonly #callers = new Map<string, CallerWatcher>();
  /** Kept when a watcher ends, so that no caller gets around the pace by subscribing again. */
  readonly #paces: LRUCache<string, CallPace>;
  readonly #onEnd: OnActionEnd;
  readonly #replicas: Replicas;
  readonly #api: string;

  /**
   * @param onEnd Called when an action of a caller is seen to have ended, before its watchers learn it.
   * @param replicas Those that share pollers; default: there are no others.
   * @param api Distinguishes the API from others whose replicas share.
   */
  constructor(
    options: Partial<WatchOptions> = {},
    observer: Observer = {},
    onEnd: OnActionEnd = () => undefined,
    replicas: Replicas = new LocalDeployment().join(),
    api = '',
  ) {
    this.#replicas = replicas;
    this.#turns = new Turns(replicas);
    this.#api = api;
    this.#observer = observer;
    this.#options = { ...DEFAULT_WATCH, ...options };
    this.#onEnd = onEnd;
    const [burst, spacing] = this.#options.pace;
    this.#paces = new LRUCache({ ...atMost(MAX_CALLERS), memoMethod: () => new CallPace(burst, spacing) });
  }

  /** Number of actions and streams of unfinished actions that are watched, over all callers. */
  get watched(): number {
    return [...this.#callers.values()].reduce((sum, watcher) => sum + watcher.size, 0);
  }

  /** Ends every stream with SHUTTING_DOWN. */
  close(): void {
    const error = new ShuttingDownError('The facade is shutting down; subscribe again in a moment.');
    for (const watcher of [...this.#callers.values()]) watcher.close(error);
  }

  /**
   * Returns the running actions of a caller. Pollers are never shared across credentials.
   * @param key Identifies those who share pollers and limits.
   * @param client Used by the pollers that the returned object starts.
   * @param actions The state actions of the caller's description.
   * @param observed The operation that watches the actions, for telemetry.
   */
  actionsFor(
    key: string,
    caller: Caller,
    client: ActionClient,
    actions: StateActions,
    observed: ObservedOperation | null = null,
  ): CallerActions {
    const openWatcher = (): CallerWatcher => {
      let watcher = this.#callers.get(key);
      if (watcher === undefined) {
        const pace = this.#paces.memo(key);
        watcher = new CallerWatcher({
          calls: new ActionStateCalls(client, caller, actions, pace, this.#observer, this.#onEnd),
          options: this.#options,
          budget: this.#budget,
          turns: this.#turns,
          replicas: this.#replicas,
          ended: this.#replicas.hasOthers ? this.#ended.endsFor(key) : null,
          name: JSON.stringify(['actions', this.#api, nameOf(caller, key)]),
          onIdle: () => this.#callers.delete(key),
        });
        this.#callers.set(key, watcher);
      }
      return watcher;
    };
    return new WatchedActions(openWatcher, this.#observer, observed);
  }
}

class WatchedActions implements CallerActions {
  readonly #openWatcher: () => CallerWatcher;
  readonly #observer: Observer;
  readonly #observed: ObservedOperation | null;

  constructor(openWatcher: () => CallerWatcher, observer: Observer, observed: ObservedOperation | null) {
    this.#openWatcher = openWatcher;
    this.#observer = observer;
    this.#observed = observed;
  }

  watch(ids: readonly string[], minInterval: number, signal?: Abortable): ActionStream {
    return this.#openWatcher().watch(ids, minInterval, signal, null, this.#observed);
  }

  pending(signal?: Abortable): ActionStream {
    return this.#openWatcher().watchUnfinished(signal);
  }

  async wait(id: string, ms: number, meter: CallMeter, signal?: Abortable): Promise<JsonObject | null> {
    const wait: ActionWait = { cause: this.#observed };
    const end = this.#observer.actionWait?.(wait);
    let last: JsonObject | null = null;
    try {
      last = await readLast(this.#openWatcher().watch([id], 0, signal, meter, wait), ms);
      return last;
    } finally {
      end?.({ isFinished: last?.['finished'] === true });
    }
  }
}

/** Names a caller in the same way in each replica. */
const nameOf = ({ credential }: Caller, key: string): readonly string[] =>
  credential === null ? [key] : [credential.header, credential.value];

/** Reads a stream to its end, for at most `ms` milliseconds. Returns the last state; null for none. */
async function readLast(states: ActionStream, ms: number): Promise<JsonObject | null> {
  const timer = setTimeout(() => void states.return(), ms);
  let last: JsonObject | null = null;
  try {
    for await (const state of states) if (!(state instanceof Error)) last = state;
  } finally {
    clearTimeout(timer);
  }
  return last;
}
