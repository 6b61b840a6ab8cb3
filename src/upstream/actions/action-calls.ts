// Calls the protocol's `action_state` actions for one caller.
import type { ObservedPoller, Observer } from '../../telemetry/observer.ts';
import type { Action, Resource, ValueParameter } from '../description/description.ts';
import { UpstreamProtocolError } from '../errors.ts';
import type { ActionClient, ActionResult, CallOptions } from '../http/action-client.ts';
import type { Caller } from '../http/caller.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { CallPace } from './call-pace.ts';
import type { LeaseTimes } from './shared-polling.ts';

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

/** The long polls that may still be opened, over all callers. */
export interface PollBudget {
  remaining: number;
}

/** Limits and times of watching actions. Durations in milliseconds. */
export interface WatchOptions {
  /** Maximum number of open streams for each caller; default 1,000. */
  readonly streams: number;
  /** Maximum number of actions that each caller watches at a time; default 10,000. */
  readonly actions: number;
  /** Calls of each caller that may be sent at once, and the time after which one more may; default 100 and 50. */
  readonly pace: readonly [burst: number, spacing: number];
  /**
   * Pause between two polls of a server that answers polls without waiting; default 1,000. The list of unfinished states is read twice
   * in that time, so that half of the changes are seen within a quarter of it.
   */
  readonly interval: number;
  /** Time after which calls that keep failing are no longer retried; default 120,000. */
  readonly retryDeadline: number;
  /** First and longest pause before a retry; default 500 and 15,000. */
  readonly retryDelay: readonly [first: number, longest: number];
  /**
   * How long a replica may poll for all others after it was last seen, and how often it is seen; default 3,000 and 1,000. The actions of
   * a replica that dies are polled by another one after both times at most.
   */
  readonly lease: LeaseTimes;
}

export const DEFAULT_WATCH: WatchOptions = {
  streams: 1_000,
  actions: 10_000,
  pace: [100, 50],
  interval: 1_000,
  retryDeadline: 120_000,
  retryDelay: [500, 15_000],
  lease: [3_000, 1_000],
};

/** Receives the key of a caller, and the id of one of the caller's actions that has ended. */
export type OnActionEnd = (caller: string, id: string) => void;

/** Requested duration of a long poll, in seconds; the description may allow less. */
const POLL_SECONDS = 15;

/** Calls the state actions for one caller. Each call waits for its turn. */
export class ActionStateCalls {
  readonly #client: ActionClient;
  readonly #caller: Caller;
  readonly #actions: StateActions;
  readonly #pace: CallPace;
  readonly #onPoller: Observer['poller'];
  readonly #onEnd: OnActionEnd;

  /** @param onEnd Called when an action is seen to have ended, before its state is returned. */
  constructor(
    client: ActionClient,
    caller: Caller,
    actions: StateActions,
    pace: CallPace,
    { poller }: Observer,
    onEnd: OnActionEnd,
  ) {
    this.#onPoller = poller;
    this.#client = client;
    this.#caller = caller;
    this.#actions = actions;
    this.#pace = pace;
    this.#onEnd = onEnd;
  }

  /** Records that an action has ended, as this replica or another one has seen. */
  recordEnd(id: string): void {
    this.#onEnd(this.#caller.key, id);
  }

  /** Reports that a poller starts. Its calls name the cause. */
  beginPoller(observed: ObservedPoller): { readonly cause: ObservedPoller; end(): void } {
    const end = this.#onPoller?.(observed);
    return { cause: observed, end: () => end?.() };
  }

  /** Reads a state. A long poll without a known state also answers at once. */
  async show(id: string, options: CallOptions): Promise<JsonObject> {
    return this.#readState(this.#actions.show ?? this.#actions.poll, id, {}, options);
  }

  /**
   * Waits until a state differs from the last known one. The server treats a value that is missing from the request as
   * changed, so the last known values are sent. Without a last known state the server answers at once.
   */
  async poll(id: string, lastState: JsonObject | null, options: CallOptions): Promise<JsonObject> {
    const { poll } = this.#actions;
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

  /** Lists the caller's unfinished states by id, page by page; empty where the description offers no list. */
  async listUnfinished(options: CallOptions): Promise<Map<string, JsonObject>> {
    const { index } = this.#actions;
    const states = new Map<string, JsonObject>();
    if (index === null) return states;
    const limit = maxLimit(index);
    const canContinue = limit !== null && findValue(index, 'from_id') !== null;
    const first = { ...(limit === null ? {} : { limit }), ...oldestFirst(index) };
    for (let input: JsonObject = first; ; ) {
      const output = await this.#call(index, [], input, options);
      const rows = Array.isArray(output) ? output : [];
      const known = states.size;
      for (const row of rows) states.set(String(row['id']), row);
      // A server that does not follow `from_id` answers a full page of states that are known.
      if (!canContinue || rows.length < limit || states.size === known) return states;
      input = { ...first, from_id: rows.at(-1)?.['id'] };
    }
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
    const output = await this.#call(action, [id], input, options);
    if (isObject(output)) {
      if (output['finished'] === true) this.recordEnd(id);
      return output;
    }
    throw new UpstreamProtocolError(
      'The management API answered with the state of an action that is not an object.',
      { action: action.scope },
    );
  }

  async #call(
    action: Action,
    path: readonly string[],
    input: JsonObject,
    options: CallOptions,
  ): Promise<ActionResult['output']> {
    await this.#pace.takeTurn(options.signal);
    const { output } = await this.#client.call({ action, path, input, meta: {} }, options);
    return output;
  }
}

/** The largest `limit` that a list accepts; null where it has no such parameter. */
function maxLimit(index: Action): number | null {
  const limit = findValue(index, 'limit');
  return limit && (limit.validators.number?.max ?? 1000);
}

/** The input that makes a list begin with its oldest row: from there, `from_id` continues it. Empty where it cannot. */
function oldestFirst(index: Action): JsonObject {
  const { values = [] } = findValue(index, 'order')?.validators.include ?? {};
  return values.some(({ value }) => value === 'oldest') ? { order: 'oldest' } : {};
}

function pollSeconds(poll: Action): number {
  return Math.min(POLL_SECONDS, findValue(poll, 'timeout')?.validators.number?.max ?? POLL_SECONDS);
}

/** The input parameter of an action with this name; null where there is none. */
function findValue({ input: { parameters } }: Action, name: string): ValueParameter | null {
  const found = parameters.find((parameter) => parameter.name === name);
  return found === undefined || found.type === 'Resource' ? null : found;
}
