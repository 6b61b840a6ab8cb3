// Calls the protocol's `action_state` actions for one caller.
import type { Action, Resource } from '../description/description.ts';
import { UpstreamProtocolError } from '../errors/upstream-errors.ts';
import type { ActionClient, CallOptions } from '../http/action-client.ts';
import type { Caller } from '../http/caller.ts';
import { isObject, type JsonObject } from '../reader.ts';

/** The protocol's actions that read the states of blocking actions; null for each that is not described. */
export interface StateActions {
  readonly show: Action | null;
  readonly poll: Action | null;
  readonly index: Action | null;
}

/** Finds the actions of the top-level resource `action_state` in a description. */
export function findStateActions(resources: readonly Resource[]): StateActions {
  const actions = resources.find(({ name }) => name === 'action_state')?.actions ?? [];
  const find = (name: string): Action | null => actions.find((action) => action.name === name) ?? null;
  return { show: find('show'), poll: find('poll'), index: find('index') };
}

/** Limits and times of watching actions. Durations in milliseconds. */
export interface WatchOptions {
  /** Maximum number of open streams for each caller; default 1,000. */
  readonly streams: number;
  /**
   * Pause between two reads of the list of unfinished states, and between two polls of a server that answers polls
   * without waiting; default 1,000.
   */
  readonly interval: number;
  /** Time after which calls that keep failing are no longer retried; default 120,000. */
  readonly retryDeadline: number;
  /** First and longest pause before a retry; default 500 and 15,000. */
  readonly retryDelay: readonly [first: number, longest: number];
}

export const DEFAULT_WATCH: WatchOptions = {
  streams: 1_000,
  interval: 1_000,
  retryDeadline: 120_000,
  retryDelay: [500, 15_000],
};

/** Requested duration of a long poll, in seconds; the description may allow less. */
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
    return this.#readState(this.actions.show, id, {}, options);
  }

  /**
   * Waits until a state differs from the last known one. The server treats a value that is missing from the request as
   * changed, so the last known values are sent. Without a last known state the server answers at once.
   */
  async poll(id: string, lastState: JsonObject | null, options: CallOptions): Promise<JsonObject> {
    const { poll } = this.actions;
    if (poll === null) return this.show(id, options);
    const lastValues =
      lastState === null
        ? {}
        : { status: lastState['status'], current: lastState['current'], total: lastState['total'] };
    const input: JsonObject = { timeout: pollSeconds(poll), update_in: 1, ...lastValues };
    const described = new Set(poll.input.parameters.map(({ name }) => name));
    const entries = Object.entries(input).filter(
      ([name, value]) => described.has(name) && value !== undefined,
    );
    return this.#readState(poll, id, Object.fromEntries(entries), options);
  }

  /** Lists the caller's unfinished states; empty where the description offers no list. */
  async listUnfinished(options: CallOptions): Promise<readonly JsonObject[]> {
    const { index } = this.actions;
    if (index === null) return [];
    const limit = maxLimit(index);
    const { output } = await this.#client.call(
      { action: index, path: [], input: limit === null ? {} : { limit }, meta: {} },
      this.#caller,
      options,
    );
    return Array.isArray(output) ? output : [];
  }

  async #readState(
    action: Action | null,
    id: string,
    input: JsonObject,
    options: CallOptions,
  ): Promise<JsonObject> {
    if (action === null)
      throw new UpstreamProtocolError(
        'The management API describes no action that reads the state of an action.',
      );
    const call = { action, path: [id], input, meta: {} };
    const { output } = await this.#client.call(call, this.#caller, options);
    if (isObject(output)) return output;
    throw new UpstreamProtocolError(
      'The management API answered a state of an action that is not an object.',
      {
        action: action.scope,
      },
    );
  }
}

/** The largest `limit` that a list accepts; null where it has no such parameter. */
function maxLimit(index: Action): number | null {
  const limit = index.input.parameters.find(({ name }) => name === 'limit');
  if (limit === undefined || limit.type === 'Resource') return null;
  return limit.validators.number?.max ?? 1000;
}

function pollSeconds(poll: Action): number {
  const timeout = poll.input.parameters.find(({ name }) => name === 'timeout');
  const max =
    timeout === undefined || timeout.type === 'Resource' ? null : (timeout.validators.number?.max ?? null);
  return max === null ? POLL_SECONDS : Math.min(POLL_SECONDS, max);
}
