// Simulates running actions of one caller, without a server.
import { setTimeout as pause } from 'node:timers/promises';
import { findActionStates } from '../../src/upstream/actions/action-state-api.ts';
import { parseDescription } from '../../src/upstream/description/parse-description.ts';
import { ActionFailedError } from '../../src/upstream/errors.ts';
import type { ActionClient } from '../../src/upstream/http/action-client.ts';
import type { JsonObject } from '../../src/upstream/json.ts';
import { describeApi } from './describe-api.ts';
import { ACTION_STATE } from './running-actions.ts';

/** Longest time of a call other than a long poll, and of a long poll. Milliseconds. */
const MAX_LATENCY = 20;
const POLL_TIME = 15_000;

/** A call that has not been answered yet. */
export interface OpenCall {
  readonly by: string;
  readonly kind: string;
  readonly id: string;
}

/** The protocol's resource of running actions. */
export const SIMULATED_RESOURCE = findActionStates(
  parseDescription(describeApi({ action_state: ACTION_STATE })).resources,
);

/** Running actions, each with the number of its changes as `current`. */
export class SimulatedActions {
  readonly #states = new Map<string, JsonObject>();
  readonly #watchers = new Set<() => void>();
  readonly openCalls = new Set<OpenCall>();
  /** Whether all calls fail with 503. */
  isDown = false;
  #calls = 0;

  /** The actions that have not finished. */
  get unfinished(): readonly string[] {
    return [...this.#states].filter(([, { finished }]) => finished === false).map(([id]) => id);
  }

  stateOf(id: string): JsonObject | undefined {
    return this.#states.get(id);
  }

  /** Begins an action, or changes it. Without effect when it has finished. */
  change(id: string, finished: boolean): void {
    const { current = 0, finished: hasFinished = false } = this.#states.get(id) ?? {};
    if (hasFinished === true) return;
    this.#states.set(id, { id, finished, status: true, current: Number(current) + 1, total: 1_000_000 });
    for (const watcher of [...this.#watchers]) watcher();
  }

  /** @param by Names the replica that calls. */
  clientOf(by: string): ActionClient {
    return {
      call: async ({ action: { name }, path: [id = ''], input }, { signal } = {}) => {
        const call: OpenCall = { by, kind: name, id };
        this.openCalls.add(call);
        try {
          const options = { signal: signal as AbortSignal };
          this.#calls += 1;
          await pause((this.#calls * 7) % MAX_LATENCY, undefined, options);
          if (name === 'poll') await this.#waitForChange(id, input, options.signal);
          const output =
            name === 'index' ? this.unfinished.map((other) => this.#read(other)) : this.#read(id);
          await pause((this.#calls * 13) % MAX_LATENCY, undefined, options);
          return { status: 200, output, meta: {} };
        } finally {
          this.openCalls.delete(call);
        }
      },
    };
  }

  #read(id: string): JsonObject {
    const state = this.#states.get(id);
    const place = { action: 'action_state#show', status: this.isDown ? 503 : 404 };
    if (this.isDown || state === undefined) throw new ActionFailedError(place, 'failed', new Map());
    return state;
  }

  async #waitForChange(id: string, { current }: JsonObject, signal: AbortSignal): Promise<void> {
    const state = this.#states.get(id);
    if (this.isDown || state === undefined || state['finished'] === true || state['current'] !== current)
      return;
    let end = (): void => undefined;
    const changed = new Promise<void>((resolve) => {
      end = () => {
        if (this.#states.get(id) !== state) resolve();
      };
    });
    this.#watchers.add(end);
    await Promise.race([changed, pause(POLL_TIME, undefined, { signal })]).finally(() =>
      this.#watchers.delete(end),
    );
  }
}
