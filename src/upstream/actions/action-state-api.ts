// Calls the protocol's resource `action_state` for one caller: again after faults, and repeatedly.
import { setTimeout as pause } from 'node:timers/promises';
import type { Action, Resource, ValueParameter } from '../description/description.ts';
import {
  ActionFailedError,
  OptiongraphError,
  UpstreamProtocolError,
  UpstreamUnreachableError,
} from '../errors.ts';
import type { ActionClient, ActionResult, CallOptions } from '../http/action-client.ts';
import { isObject, type JsonObject } from '../json.ts';

/** Name of the protocol's resource whose objects are the states of blocking actions. */
export const ACTION_STATE = 'action_state';
/** Scope of the protocol's long poll. */
export const POLL_SCOPE = `${ACTION_STATE}#poll`;

/** The actions that read the states of blocking actions; null for each that is not described. */
export interface ActionStateResource {
  readonly show: Action | null;
  readonly poll: Action | null;
  readonly index: Action | null;
}

/** Finds the top-level resource `action_state` in a description. */
export function findActionStates(resources: readonly Resource[]): ActionStateResource {
  const actions = resources.find(({ name }) => name === ACTION_STATE)?.actions ?? [];
  const find = (name: string): Action | null => actions.find((action) => action.name === name) ?? null;
  return { show: find('show'), poll: find('poll'), index: find('index') };
}

/** When failing calls are repeated. Milliseconds. */
export interface RetryOptions {
  /** Time after which calls that keep failing are no longer retried; default 120,000. */
  readonly retryDeadline: number;
  /** First and longest pause before a retry; default 500 and 15,000. */
  readonly retryDelay: readonly [first: number, longest: number];
}

/** How a state is read. Aborting the signal ends the call and its retries. */
type ReadOptions = Omit<CallOptions, 'kind'> & { readonly signal: AbortSignal };

/** Requested duration of a long poll, in seconds; the description may allow less. */
const POLL_SECONDS = 15;

/**
 * Reads the states of one caller's actions. Each call is retried while the API cannot be reached.
 * @throws UpstreamUnreachableError after the deadline, and the error of a call that a retry cannot help.
 */
export class ActionStateApi {
  readonly #client: ActionClient;
  readonly #resource: ActionStateResource;
  readonly #retries: RetryOptions;

  constructor(client: ActionClient, resource: ActionStateResource, retries: RetryOptions) {
    this.#client = client;
    this.#resource = resource;
    this.#retries = retries;
  }

  /** Reads a state. A long poll without a known state also answers at once. */
  show(id: string, options: ReadOptions): Promise<JsonObject> {
    return this.#readState(this.#resource.show ?? this.#resource.poll, id, {}, options);
  }

  /**
   * Waits until a state differs from the last known one. The server treats a value that is missing from the request as
   * changed, so the last known values are sent. Without a last known state the server answers at once.
   */
  poll(id: string, last: JsonObject | null, options: ReadOptions): Promise<JsonObject> {
    const { poll } = this.#resource;
    if (poll === null) return this.show(id, options);
    const timeout = Math.min(
      POLL_SECONDS,
      findValue(poll, 'timeout')?.validators.number?.max ?? POLL_SECONDS,
    );
    const known = last && { status: last['status'], current: last['current'], total: last['total'] };
    const described = new Set(poll.input.parameters.map(({ name }) => name));
    const input = Object.entries({ timeout, update_in: 1, ...known }).filter(
      ([name, value]) => described.has(name) && value !== undefined,
    );
    return this.#readState(poll, id, Object.fromEntries(input), options);
  }

  /** Lists the caller's unfinished states by id, page by page; empty where the description offers no list. */
  async listUnfinished(options: ReadOptions): Promise<Map<string, JsonObject>> {
    const { index } = this.#resource;
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
    options: ReadOptions,
  ): Promise<JsonObject> {
    const output = action && (await this.#call(action, [id], input, options));
    if (isObject(output)) return output;
    const message =
      action === null
        ? 'The management API describes no action that reads the state of an action.'
        : 'The management API answered with the state of an action that is not an object.';
    throw new UpstreamProtocolError(message, { action: action?.scope });
  }

  /** Calls until that succeeds, with growing pauses between the attempts. */
  async #call(
    action: Action,
    path: readonly string[],
    input: JsonObject,
    options: ReadOptions,
  ): Promise<ActionResult['output']> {
    const { signal } = options;
    const { retryDeadline, retryDelay } = this.#retries;
    const [first, longest] = retryDelay;
    // The deadline begins with the first failure, not with the call, because a poll may wait for long before it fails.
    let deadline: number | null = null;
    for (let delay = first; ; delay = Math.min(2 * delay, longest)) {
      try {
        const sent = { ...options, kind: 'poll' } as const;
        return (await this.#client.call({ action, path, input, meta: {} }, sent)).output;
      } catch (error) {
        if (signal.aborted || !isTransient(error)) throw error;
        deadline ??= Date.now() + retryDeadline;
        if (Date.now() >= deadline)
          throw new UpstreamUnreachableError(
            'The management API did not answer the state of the action for too long; the action itself may continue.',
            { action: error.action, status: error.status },
            { mayHaveArrived: true },
          );
      }
      await pause(delay, undefined, { signal });
    }
  }
}

/** Minimum time between the starts of two repetitions of a read, in milliseconds. */
const MIN_INTERVAL = 100;
/** Longest pause while nothing changes, in milliseconds. */
const LONGEST_PAUSE = 10_000;

/** Repeats a read until it is stopped, ever more rarely while nothing changes. */
export class RepeatedRead {
  readonly #controller = new AbortController();
  readonly #quiet: number;
  #changedAt = performance.now();
  #isHurried = false;
  /** Has the pause computed again. */
  #wake: () => void = () => undefined;

  /** @param quiet The part of the time since the last change for which it pauses at least. What changes then is seen late by that part. */
  constructor(quiet: number) {
    this.#quiet = quiet;
  }

  stop(): void {
    this.#controller.abort();
    this.#wake();
  }

  /** Reads as soon as that is allowed, and more often from now on: a change is likely. */
  hurry(): void {
    this.#changedAt = performance.now();
    this.#isHurried = true;
    this.#wake();
  }

  /**
   * Resolves when it is stopped, and rejects when a read fails.
   * @param read Reads once. Returns whether something has changed.
   * @param pauseAfter The pause after a read that took some time. Milliseconds.
   */
  async run(
    read: (signal: AbortSignal) => Promise<boolean>,
    pauseAfter: (duration: number, hasChanged: boolean) => number,
  ): Promise<void> {
    const { signal } = this.#controller;
    try {
      while (!signal.aborted) {
        this.#isHurried = false;
        const startedAt = performance.now();
        const hasChanged = await read(signal);
        const now = performance.now();
        if (hasChanged) this.#changedAt = now;
        const pause = Math.min(this.#quiet * (now - this.#changedAt), LONGEST_PAUSE);
        const next = now + Math.max(pause, pauseAfter(now - startedAt, hasChanged));
        await this.#sleepUntil(startedAt + MIN_INTERVAL, next);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Waits until the next read: at the earliest time if it is hurried. */
  async #sleepUntil(earliest: number, usual: number): Promise<void> {
    for (;;) {
      const ms = Math.max(earliest, this.#isHurried ? 0 : usual) - performance.now();
      if (ms <= 0 || this.#controller.signal.aborted) return;
      await sleep(ms, (wake) => {
        this.#wake = wake;
      });
    }
  }
}

/** Resolves after some milliseconds, or earlier by the function that is passed to `onWake`. Without a time, only by that. */
export function sleep(ms: number | undefined, onWake: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    onWake(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Whether a retry may succeed: the connection, a proxy or the server failed, and the state itself is unknown. */
function isTransient(error: unknown): error is OptiongraphError {
  if (error instanceof ActionFailedError) return (error.status ?? 0) >= 500 || error.status === 429;
  return (
    error instanceof OptiongraphError &&
    error.code !== 'INPUT_INVALID' &&
    error.code !== 'CREDENTIALS_UNKNOWN'
  );
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

/** The input parameter of an action with this name; null where there is none. */
function findValue({ input: { parameters } }: Action, name: string): ValueParameter | null {
  const found = parameters.find((parameter) => parameter.name === name);
  return found === undefined || found.type === 'Resource' ? null : found;
}
