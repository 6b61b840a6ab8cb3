// Creates handlers for the protocol’s resource of running actions.
import type { ServerResponse } from 'node:http';
import { action, resource } from './describe-api.ts';
import { type Handler, ok, refuse } from './stub-upstream.ts';

/** The state of an action, as the API sends it. */
export interface State {
  readonly id: number;
  readonly label: string;
  readonly finished: boolean;
  readonly status: boolean;
  readonly current: number | null;
  readonly total: number | null;
}

const STATE = {
  id: 'Integer',
  label: 'String',
  finished: 'Boolean',
  status: 'Boolean',
  current: 'Integer',
  total: 'Integer',
  can_cancel: 'Boolean',
} as const;
const POLL_INPUT = { status: 'Boolean', current: 'Integer', total: 'Integer' } as const;
const stateOutput = { namespace: 'action_state', output: STATE, layout: 'hash' } as const;

/** The protocol's resource of running actions. */
export const ACTION_STATE = resource({
  index: action({
    path: '/action_states',
    ...stateOutput,
    outputNamespace: 'action_states',
    layout: 'hash_list',
  }),
  show: action({ path: '/action_states/{action_state_id}', ...stateOutput }),
  poll: action({
    path: '/action_states/{action_state_id}/poll',
    ...stateOutput,
    input: { timeout: 'Float', update_in: 'Float', ...POLL_INPUT },
  }),
  cancel: action({
    path: '/action_states/{action_state_id}/cancel',
    method: 'POST',
    namespace: 'action_state',
    blocking: true,
  }),
});

/** Running actions, whose states a test sets. */
export interface RunningActions {
  readonly handlers: Readonly<Record<string, Handler>>;
  /** The number of waiting long polls. */
  readonly openPolls: number;
  /** The maximum number of concurrent long polls, of one action and of all actions. */
  readonly maxPollsOfOneAction: number;
  readonly maxOpenPolls: number;
  /** Adds or changes a state, and answers the polls that wait for it. */
  set(state: Partial<State> & { readonly id: number }): void;
  /** Removes all states. */
  clear(): void;
  /** Removes a state. Polls that wait for it get an error. */
  remove(id: number): void;
  /** Resolves when this number of long polls wait. */
  waitForOpenPolls(count: number): Promise<void>;
}

/** Creates running actions without states. A poll waits until the state differs from its input. */
export function createRunningActions(): RunningActions {
  const states = new Map<string, State>();
  const waiting = new Map<ServerResponse, { readonly id: string; readonly answer: () => void }>();
  const watchers = new Set<() => void>();
  let maxPollsOfOneAction = 0;
  let maxOpenPolls = 0;
  const updateCounts = (): void => {
    const counts = new Map<string, number>();
    for (const { id } of waiting.values()) counts.set(id, (counts.get(id) ?? 0) + 1);
    maxPollsOfOneAction = Math.max(maxPollsOfOneAction, ...counts.values());
    maxOpenPolls = Math.max(maxOpenPolls, waiting.size);
    for (const watcher of [...watchers]) watcher();
  };
  const answerState = (id: string) => {
    const state = states.get(id);
    return state === undefined ? refuse('Action state not found') : ok({ action_state: state });
  };
  const handlers: Record<string, Handler> = {
    'action_state#index': () =>
      ok({ action_states: [...states.values()].filter(({ finished }) => !finished) }),
    'action_state#show': ({ path: [id = ''] }) => answerState(id),
    'action_state#poll':
      ({ path: [id = ''], query }) =>
      (response) => {
        const state = states.get(id);
        const isUnchanged =
          state !== undefined &&
          !state.finished &&
          query.get('action_state[status]') === String(state.status) &&
          query.get('action_state[current]') === String(state.current) &&
          query.get('action_state[total]') === String(state.total);
        if (!isUnchanged) return answerState(id)(response);
        waiting.set(response, { id, answer: () => answerState(id)(response) });
        response.on('close', () => {
          waiting.delete(response);
          updateCounts();
        });
        updateCounts();
      },
  };
  return {
    handlers,
    get openPolls() {
      return waiting.size;
    },
    get maxPollsOfOneAction() {
      return maxPollsOfOneAction;
    },
    get maxOpenPolls() {
      return maxOpenPolls;
    },
    set(state) {
      const id = String(state.id);
      const before = states.get(id) ?? {
        label: `action ${id}`,
        finished: false,
        status: true,
        current: 0,
        total: 10,
      };
      states.set(id, { ...before, ...state });
      for (const [response, { id: waited, answer }] of [...waiting]) {
        if (waited !== id) continue;
        waiting.delete(response);
        answer();
      }
    },
    clear: () => states.clear(),
    remove(id) {
      states.delete(String(id));
      for (const [, { id: waited, answer }] of [...waiting]) if (waited === String(id)) answer();
    },
    waitForOpenPolls(count) {
      return new Promise((resolve) => {
        const watcher = (): void => {
          if (waiting.size !== count) return;
          watchers.delete(watcher);
          resolve();
        };
        watchers.add(watcher);
        watcher();
      });
    },
  };
}
