import type { ServerResponse } from 'node:http';
import { action, resource } from './describe-api.ts';
import { type Handler, ok, refuse } from './stub-upstream.ts';

/** A state as the API tells it. */
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
const ECHO = { status: 'Boolean', current: 'Integer', total: 'Integer' } as const;
const one = { namespace: 'action_state', output: STATE, layout: 'hash' } as const;

/** The protocol's resource of running actions. */
export const ACTION_STATE = resource({
  index: action({ path: '/action_states', ...one, outputNamespace: 'action_states', layout: 'hash_list' }),
  show: action({ path: '/action_states/{action_state_id}', ...one }),
  poll: action({
    path: '/action_states/{action_state_id}/poll',
    ...one,
    input: { timeout: 'Float', update_in: 'Float', ...ECHO },
  }),
  cancel: action({
    path: '/action_states/{action_state_id}/cancel',
    method: 'POST',
    namespace: 'action_state',
    blocking: true,
  }),
});

/** Running actions that move when a test says so. */
export interface RunningActions {
  readonly handlers: Readonly<Record<string, Handler>>;
  /** Long polls that wait now. */
  readonly open: number;
  /** The most long polls of one action, and of all, that ever waited at once. */
  readonly mostOfOne: number;
  readonly mostOpen: number;
  /** Starts or moves one; polls that wait for it are answered. */
  set(state: Partial<State> & { readonly id: number }): void;
  forget(id: number): void;
  /** Resolves when so many long polls wait. */
  untilOpen(count: number): Promise<void>;
}

/** Makes them; polls are answered as the protocol says. */
export function runActions(): RunningActions {
  const states = new Map<string, State>();
  const waiting = new Map<ServerResponse, { readonly id: string; readonly answer: () => void }>();
  const watchers = new Set<() => void>();
  let mostOfOne = 0;
  let mostOpen = 0;
  const changed = (): void => {
    const counts = new Map<string, number>();
    for (const { id } of waiting.values()) counts.set(id, (counts.get(id) ?? 0) + 1);
    mostOfOne = Math.max(mostOfOne, ...counts.values());
    mostOpen = Math.max(mostOpen, waiting.size);
    for (const watcher of [...watchers]) watcher();
  };
  const told = (id: string) => {
    const state = states.get(id);
    return state === undefined ? refuse('Action state not found') : ok({ action_state: state });
  };
  const handlers: Record<string, Handler> = {
    'action_state#index': () =>
      ok({ action_states: [...states.values()].filter(({ finished }) => !finished) }),
    'action_state#show': ({ path: [id = ''] }) => told(id),
    'action_state#poll':
      ({ path: [id = ''], query }) =>
      (response) => {
        const state = states.get(id);
        const same =
          state !== undefined &&
          !state.finished &&
          query.get('action_state[status]') === String(state.status) &&
          query.get('action_state[current]') === String(state.current) &&
          query.get('action_state[total]') === String(state.total);
        if (!same) return told(id)(response);
        waiting.set(response, { id, answer: () => told(id)(response) });
        response.on('close', () => {
          waiting.delete(response);
          changed();
        });
        changed();
      },
  };
  return {
    handlers,
    get open() {
      return waiting.size;
    },
    get mostOfOne() {
      return mostOfOne;
    },
    get mostOpen() {
      return mostOpen;
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
    forget(id) {
      states.delete(String(id));
      for (const [, { id: waited, answer }] of [...waiting]) if (waited === String(id)) answer();
    },
    untilOpen(count) {
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
