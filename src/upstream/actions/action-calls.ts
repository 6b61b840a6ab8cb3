import { setTimeout as pause } from 'node:timers/promises';
import type { Action, Resource } from '../description/description.ts';
import { OptiongraphError } from '../errors/optiongraph-error.ts';
import {
  ActionFailedError,
  UpstreamProtocolError,
  UpstreamUnreachableError,
} from '../errors/upstream-errors.ts';
import type { ActionClient, Caller, CallOptions } from '../http/action-client.ts';
import { isObject, type JsonObject } from '../reader.ts';

/** The protocol's actions on the states of blocking actions, as far as they are described. */
export interface StateActions {
  readonly show: Action | null;
  readonly poll: Action | null;
  readonly index: Action | null;
}

/** Finds them in a description. */
export function findStateActions(resources: readonly Resource[]): StateActions {
  const actions = resources.find(({ name }) => name === 'action_state')?.actions ?? [];
  const of = (name: string): Action | null => actions.find((action) => action.name === name) ?? null;
  return { show: of('show'), poll: of('poll'), index: of('index') };
}

/** How actions are watched. Times in milliseconds. */
export interface WatchOptions {
  /** Streams that one caller may have open. */
  readonly streams: number;
  /** Between two looks at the list of unfinished states, and at a server that answers polls at once. */
  readonly interval: number;
  /** How long faults of the upstream are borne. */
  readonly retryDeadline: number;
  /** First and longest pause after a fault. */
  readonly retryDelay: readonly [first: number, longest: number];
}

/** A thousand streams; one second, two minutes, half a second to fifteen. */
export const DEFAULT_WATCH: WatchOptions = {
  streams: 1_000,
  interval: 1_000,
  retryDeadline: 120_000,
  retryDelay: [500, 15_000],
};

/** Longest long poll asked for, in seconds; less where the description allows less. */
const POLL_SECONDS = 15;

/** Calls the state actions for one caller. */
export class ActionStateCalls {
  readonly #client: ActionClient;
  readonly #caller: Caller;
  readonly actions: StateActions;

  constructor(client: ActionClient, caller: Caller, actions: StateActions) {
    this.#client = client;
    this.#caller = caller;
    this.actions = actions;
  }

  async show(id: string, options: CallOptions): Promise<JsonObject> {
    return this.#one(this.actions.show, id, {}, options);
  }

  /**
   * Waits for a change of a state. What was last seen is echoed, since the server takes a value that is not sent for
   * changed; without anything seen it answers at once.
   */
  async poll(id: string, seen: JsonObject | null, options: CallOptions): Promise<JsonObject> {
    const { poll } = this.actions;
    if (poll === null) return this.show(id, options);
    const echo =
      seen === null ? {} : { status: seen['status'], current: seen['current'], total: seen['total'] };
    const wanted: JsonObject = { timeout: timeoutOf(poll), update_in: 1, ...echo };
    const described = new Set(poll.input.parameters.map(({ name }) => name));
    const entries = Object.entries(wanted).filter(
      ([name, value]) => described.has(name) && value !== undefined,
    );
    return this.#one(poll, id, Object.fromEntries(entries), options);
  }

  /** The caller's unfinished states. */
  async pending(options: CallOptions): Promise<readonly JsonObject[]> {
    const { index } = this.actions;
    if (index === null) return [];
    const limit = limitOf(index);
    const { output } = await this.#client.call(
      { action: index, path: [], input: limit === null ? {} : { limit }, meta: {} },
      this.#caller,
      options,
    );
    return Array.isArray(output) ? output : [];
  }

  async #one(
    action: Action | null,
    id: string,
    input: JsonObject,
    options: CallOptions,
  ): Promise<JsonObject> {
    if (action === null)
      throw new UpstreamProtocolError('The management API describes no way to look at an action.');
    const call = { action, path: [id], input, meta: {} };
    const { output } = await this.#client.call(call, this.#caller, options);
    if (isObject(output)) return output;
    throw new UpstreamProtocolError('A state of an action came as something else than an object.', {
      action: action.scope,
    });
  }
}

/** The most rows that a list may be asked for; null where it takes no limit. */
function limitOf(index: Action): number | null {
  const limit = index.input.parameters.find(({ name }) => name === 'limit');
  if (limit === undefined || limit.type === 'Resource') return null;
  return limit.validators.number?.max ?? 1000;
}

function timeoutOf(poll: Action): number {
  const timeout = poll.input.parameters.find(({ name }) => name === 'timeout');
  const max =
    timeout === undefined || timeout.type === 'Resource' ? null : (timeout.validators.number?.max ?? null);
  return max === null ? POLL_SECONDS : Math.min(POLL_SECONDS, max);
}

/** Repeats a call through faults of the upstream, with growing pauses, until patience ends. */
export class Backoff {
  readonly #times: WatchOptions;
  #since: number | null = null;
  #pause: number;

  constructor(times: WatchOptions) {
    this.#times = times;
    this.#pause = times.retryDelay[0];
  }

  reset(): void {
    this.#since = null;
    this.#pause = this.#times.retryDelay[0];
  }

  /** Waits before the next try. @throws The error itself when it is no passing fault, or patience has ended. */
  async waitOrThrow(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted || !isTransient(error)) throw error;
    this.#since ??= Date.now();
    if (Date.now() - this.#since + this.#pause > this.#times.retryDeadline) {
      throw new UpstreamUnreachableError(
        'The management API could not be asked for the state of the action for too long; the action itself may go on.',
        error instanceof OptiongraphError ? { action: error.action, status: error.status } : {},
        { mayHaveArrived: true },
      );
    }
    await pause(this.#pause, undefined, { signal });
    this.#pause = Math.min(this.#pause * 2, this.#times.retryDelay[1]);
  }
}

/** Whether a failure says nothing of the state: a connection, a proxy, a fault of the server. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ActionFailedError) return (error.status ?? 0) >= 500 || error.status === 429;
  return (
    error instanceof OptiongraphError &&
    error.code !== 'INPUT_INVALID' &&
    error.code !== 'CREDENTIALS_UNKNOWN'
  );
}
