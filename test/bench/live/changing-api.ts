// The management API of the bench of live queries: lists for each caller, whose rows the bench changes, and actions that it ends.
import type { ServerResponse } from 'node:http';
import { action, describeApi, resource } from '../../helpers/describe-api.ts';
import { listen, readText } from '../../helpers/plain-server.ts';
import { TOKEN_HEADER } from '../stub/description.ts';

const STATE = {
  id: 'Integer',
  label: 'String',
  status: 'Boolean',
  current: 'Integer',
  total: 'Integer',
  finished: 'Boolean',
} as const;
const state = { namespace: 'action_state', output: STATE } as const;

/** Lists of groups of items. An item is changed by an action that runs. */
const DESCRIPTION = describeApi({
  item: resource({
    index: action({
      path: '/items',
      namespace: 'items',
      layout: 'object_list',
      input: { group: 'Integer', limit: 'Integer', from_id: 'Integer' },
      output: { id: 'Integer', name: 'String', note: 'String', version: 'Integer' },
    }),
    change: action({ path: '/items/change', method: 'POST', namespace: 'item', blocking: true }),
  }),
  action_state: resource({
    show: action({ path: '/action_states/{action_state_id}', ...state }),
    poll: action({
      path: '/action_states/{action_state_id}/poll',
      ...state,
      input: {
        timeout: 'Float',
        update_in: 'Float',
        status: 'Boolean',
        current: 'Integer',
        total: 'Integer',
      },
    }),
  }),
});

/** Fewer than a page, so that a list is read by one call. */
const ROWS = 20;

/** One list of one caller. */
export interface ReadList {
  version: number;
  /** When it was read, as `performance.now()`. */
  readonly readAt: number[];
  /** Called with each new version. */
  readonly onChange: ((version: number) => void)[];
}

/** A running API. */
export class ChangingApi implements AsyncDisposable {
  /** Calls of actions. */
  calls = 0;
  url = '';
  readonly #lists = new Map<string, ReadList>();
  /** The action that runs, and what waits for its end. */
  #running: { readonly id: number; readonly list: ReadList; readonly polls: Set<() => void> } | null = null;
  #actions = 0;
  #close: () => Promise<void> = async () => {};

  static async start(): Promise<ChangingApi> {
    const api = new ChangingApi();
    const server = await listen(async (request, response) => {
      await readText(request);
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://api');
      if (request.method === 'OPTIONS') return answer(response, DESCRIPTION);
      api.calls += 1;
      const token = String(request.headers[TOKEN_HEADER]);
      const [, kind, id] = pathname.split('/');
      if (kind === 'action_states') return api.#answerState(Number(id), response);
      if (id === 'change') return api.#begin(token, response);
      const group = Number(searchParams.get('items[group]'));
      const list = api.listOf(token, group);
      list.readAt.push(performance.now());
      const read = (name: string): number | null => {
        const value = searchParams.get(`items[${name}]`);
        return value === null ? null : Number(value);
      };
      const rows = rowsOf(group, list.version).filter(({ id }) => id > (read('from_id') ?? 0));
      answer(response, { items: rows.slice(0, read('limit') ?? ROWS) });
    });
    api.url = server.url;
    api.#close = server.close;
    return api;
  }

  listOf(token: string, group: number): ReadList {
    const key = `${token} ${group}`;
    const list = this.#lists.get(key) ?? { version: 1, readAt: [], onChange: [] };
    this.#lists.set(key, list);
    return list;
  }

  get lists(): readonly ReadList[] {
    return [...this.#lists.values()];
  }

  /** Changes a list, as another client of the API does. */
  change(list: ReadList): void {
    list.version += 1;
    for (const listener of list.onChange) listener(list.version);
  }

  /** Changes the first list of the caller whose action runs, and ends the action. */
  endAction(): void {
    const running = this.#running;
    if (running === null) throw new Error('expected a running action');
    this.change(running.list);
    this.#running = null;
    for (const answerPoll of running.polls) answerPoll();
  }

  #begin(token: string, response: ServerResponse): void {
    this.#actions += 1;
    this.#running = { id: this.#actions, list: this.listOf(token, 0), polls: new Set() };
    answer(response, { _meta: { action_state_id: this.#actions } });
  }

  #answerState(id: number, response: ServerResponse): void {
    const send = (finished: boolean): void =>
      answer(response, {
        action_state: { id, label: 'Change', status: true, current: finished ? 1 : 0, total: 1, finished },
      });
    if (this.#running?.id === id) this.#running.polls.add(() => send(true));
    else send(true);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}

const rowsOf = (group: number, version: number): readonly { readonly id: number }[] =>
  Array.from({ length: ROWS }, (_, index) => ({
    id: index + 1,
    name: `item ${index + 1} of group ${group}`,
    note: 'a note of the usual length',
    version: index === 0 ? version : 1,
  }));

function answer(response: ServerResponse, content: object): void {
  const body = JSON.stringify({ status: true, response: content, message: null, errors: null });
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}
