import { ShuttingDownError } from '../errors/request-errors.ts';
import type { ActionClient, Caller } from '../http/action-client.ts';
import { credentialKey } from '../http/authentication.ts';
import type { CallMeter } from '../http/call-meter.ts';
import type { JsonObject } from '../reader.ts';
import { ActionStateCalls, DEFAULT_WATCH, type StateActions, type WatchOptions } from './action-calls.ts';
import { CallerWatcher, type PollBudget } from './caller-watcher.ts';

/** The running actions of one caller. */
export interface CallerActions {
  /**
   * The states of some actions: each at once, then each change, until all have finished. The newest only: what changed
   * while nobody read is skipped.
   * @param minInterval Least time between two values, in milliseconds.
   * @param signal Ends the stream, also one that nobody reads.
   */
  watch(ids: readonly string[], minInterval: number, signal?: AbortSignal): AsyncIterableIterator<JsonObject>;
  /** The caller's unfinished actions as they come, move and end. */
  pending(signal?: AbortSignal): AsyncIterableIterator<JsonObject>;
  /**
   * The state at the end of the action or of the time, whichever is first; null when nothing was learnt till then.
   * @param meter Counts the polls. One that several wait on is counted for the one who has waited longest, and as shared
   *   for the others.
   */
  wait(id: string, ms: number, meter: CallMeter, signal?: AbortSignal): Promise<JsonObject | null>;
}

/** Long polls that are open for all callers together, each of which holds a worker of the server. */
const ALL_POLLS = 64;

/** Watches blocking actions: one poller a credential and action, shared by all who ask; none when nobody does. */
export class ActionStates {
  readonly #budget: PollBudget = { left: ALL_POLLS };
  readonly #options: WatchOptions;
  readonly #callers = new Map<string, CallerWatcher>();

  constructor(options: Partial<WatchOptions> = {}) {
    this.#options = { ...DEFAULT_WATCH, ...options };
  }

  /** Actions being watched now, over all callers. */
  get watched(): number {
    return [...this.#callers.values()].reduce((sum, watch) => sum + watch.size, 0);
  }

  /** Ends every stream with SHUTTING_DOWN. */
  close(): void {
    const error = new ShuttingDownError('The facade is closing; ask again in a moment.');
    for (const watch of [...this.#callers.values()]) watch.close(error);
  }

  /**
   * The actions of a caller. Nothing is ever shared across credentials.
   * @param client With which pollers ask that this call begins, by the state actions that the caller's description offers.
   */
  actionsFor(caller: Caller, client: ActionClient, actions: StateActions): CallerActions {
    const key = credentialKey(caller.credential);
    const watch = (): CallerWatcher => {
      let known = this.#callers.get(key);
      if (known === undefined) {
        known = new CallerWatcher(
          new ActionStateCalls(client, caller, actions),
          this.#options,
          this.#budget,
          () => this.#callers.delete(key),
        );
        this.#callers.set(key, known);
      }
      return known;
    };
    return {
      watch: (ids, minInterval, signal) => watch().watch(ids, minInterval, signal),
      pending: (signal) => watch().pending(signal),
      wait: (id, ms, meter, signal) => watch().wait(id, ms, meter, signal),
    };
  }
}
