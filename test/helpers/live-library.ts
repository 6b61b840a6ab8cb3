// Opens a facade over a library whose books tests change, and clients of live queries.
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import WebSocket from 'ws';
import { createFacade } from '../../src/facade/facade.ts';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import type { Replicas } from '../../src/sharing/replicas.ts';
import { action, describeApi, list, refersTo, resource, show } from './describe-api.ts';
import { type DescribedApi, openApi } from './described.ts';
import { collectLog } from './facade.ts';
import { ACTION_STATE, createRunningActions, type RunningActions } from './running-actions.ts';
import { recordOutput } from './secrecy.ts';
import { type Handler, ok, refuse } from './stub-upstream.ts';
import type { Result } from './transports.ts';

const AUTHOR = { id: 'Integer', name: 'String' } as const;
const BOOK = { id: 'Integer', title: 'String', author: refersTo(['author']) } as const;
const PAGE = { id: 'Integer', text: 'String' } as const;
const book = {
  namespace: 'book',
  input: { title: 'String', author: refersTo(['author']) },
  output: BOOK,
} as const;

/** Books with authors and pages, shelves of which they know nothing, and running actions. */
export const LIBRARY = describeApi({
  author: resource({
    index: list('author', 'authors', AUTHOR),
    show: show('author', 'authors', AUTHOR),
    update: action({
      path: '/authors/{author_id}',
      method: 'PUT',
      namespace: 'author',
      input: { name: 'String' },
      output: AUTHOR,
    }),
  }),
  book: resource(
    {
      index: list('book', 'books', BOOK),
      show: show('book', 'books', BOOK),
      create: action({ path: '/books', method: 'POST', ...book }),
      update: action({ path: '/books/{book_id}', method: 'PUT', ...book }),
      delete: action({ path: '/books/{book_id}', method: 'DELETE', namespace: 'book' }),
      rebind: action({ path: '/books/{book_id}/rebind', method: 'POST', namespace: 'book', blocking: true }),
    },
    {
      page: resource({
        index: action({
          path: '/books/{book_id}/pages',
          namespace: 'page',
          outputNamespace: 'pages',
          layout: 'object_list',
          output: PAGE,
        }),
      }),
    },
  ),
  shelf: resource({
    index: list('shelf', 'shelves', { id: 'Integer', label: 'String' }),
    dust: action({ path: '/shelves/dust', method: 'POST', namespace: 'shelf' }),
  }),
  action_state: ACTION_STATE,
});

/** A book, as a test has it. */
export interface Book {
  title: string;
  author: number;
}

/** A library, and a facade over it. */
export interface LiveLibrary extends DescribedApi {
  readonly books: Map<number, Book>;
  readonly authors: Map<number, string>;
  readonly actions: RunningActions;
  /** Calls of an action. */
  callsOf(scope: string): number;
  /** Resolves when the API has had so many calls of an action since now. */
  waitForCalls(scope: string, count: number): Promise<void>;
}

/** A live query of a client. */
export interface LiveClient extends AsyncDisposable {
  /** The next result; undefined at the end, which an error may have made. */
  next(): Promise<LiveResult | undefined>;
  leave(): Promise<void>;
}

/** A result of a live query. */
export type LiveResult = Result;

/** The shortest interval in tests, as the seconds of a query. */
export const SOON = 0.02;

/** Opens a library with three books of two authors. */
export async function openLiveLibrary(
  { limits, ...options }: Partial<FacadeOptions> = {},
  handlers: Readonly<Record<string, Handler>> = {},
): Promise<LiveLibrary> {
  const state = {
    books: new Map<number, Book>(),
    authors: new Map<number, string>(),
    actions: createRunningActions(),
  };
  const { books, authors, actions } = state;
  resetBooks(state);
  const waiting = new Set<() => void>();
  const author = (id: number) => ({
    id,
    name: authors.get(id),
    _meta: { path_params: [id], resolved: false },
  });
  const row = (id: number) => {
    const { title, author: ofBook } = books.get(id) ?? { title: '', author: 0 };
    return { id, title, author: author(ofBook) };
  };
  const answers: Readonly<Record<string, Handler>> = {
    'author#index': () => ok({ authors: [...authors].map(([id, name]) => ({ id, name })) }),
    'author#show': ({ path: [id] }) => ok({ author: { id: Number(id), name: authors.get(Number(id)) } }),
    'author#update': ({ path: [id], body }) => {
      authors.set(Number(id), (body as { author: { name: string } }).author.name);
      return ok({ author: { id: Number(id), name: authors.get(Number(id)) } });
    },
    'book#index': ({ query }) => {
      const from = Number(query.get('book[from_id]') ?? 0);
      return ok({ books: [...books.keys()].filter((id) => id > from).map(row) });
    },
    'book#show': ({ path: [id] }) =>
      books.has(Number(id)) ? ok({ book: row(Number(id)) }) : refuse('no such book', null, 404),
    'book#create': ({ body }) => {
      const id = Math.max(0, ...books.keys()) + 1;
      const { title, author: ofBook } = (body as { book: { title: string; author: number } }).book;
      books.set(id, { title, author: ofBook ?? 1 });
      return ok({ book: row(id) });
    },
    'book#update': ({ path: [id], body }) => {
      Object.assign(books.get(Number(id)) ?? {}, (body as { book: object }).book);
      return ok({ book: row(Number(id)) });
    },
    'book#delete': ({ path: [id] }) => {
      books.delete(Number(id));
      return ok({});
    },
    'book#rebind': () => {
      actions.set({ id: 900 });
      return ok({ _meta: { action_state_id: 900 } });
    },
    'book.page#index': ({ path: [id] }) => ok({ pages: [{ id: 1, text: `page of ${id}` }] }),
    'shelf#index': () => ok({ shelves: [{ id: 1, label: 'by the window' }] }),
    'shelf#dust': () => ok({}),
    ...actions.handlers,
    ...handlers,
  };
  const counted = Object.entries(answers).map(([scope, answer]): [string, Handler] => [
    scope,
    (call) => {
      for (const check of waiting) check();
      return answer(call);
    },
  ]);
  const api = await openApi(LIBRARY, Object.fromEntries(counted), {
    ...options,
    limits: { shortestLiveInterval: SOON * 1_000, ...limits },
  });
  const callsOf = (wanted: string): number =>
    api.upstream.calls.filter(({ scope }) => scope === wanted).length;
  return {
    ...api,
    books,
    authors,
    actions,
    callsOf,
    waitForCalls: (scope, count) => {
      const wanted = callsOf(scope) + count;
      return new Promise((resolve) => {
        const check = (): void => {
          if (callsOf(scope) < wanted) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      });
    },
  };
}

/** Opens another replica in front of a library. */
export async function openReplicaOf({ upstream }: LiveLibrary, replicas: Replicas): Promise<RunningServer> {
  const limits = { shortestLiveInterval: SOON * 1_000 };
  const facade = await createFacade({
    upstream: upstream.url,
    log: collectLog(),
    limits,
    shared: { replicas },
  });
  return startServer(facade, { host: '127.0.0.1', port: 0 });
}

/** Gives a library three books of two authors, and no running action. */
export function resetBooks({
  books,
  authors,
  actions,
}: Pick<LiveLibrary, 'books' | 'authors' | 'actions'>): void {
  for (const map of [books, authors, actions]) map.clear();
  for (const [index, title] of ['One', 'Two', 'Three'].entries())
    books.set(index + 1, { title, author: (index % 2) + 1 });
  authors.set(1, 'Ada').set(2, 'Ben');
}

/** A live query to send. */
export interface LiveRequest {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
}

/** Sends a live query. */
export type SendLive = (url: string, request: LiveRequest) => LiveClient;

const TOKEN = { 'x-library-token': 'one' };

/** Sends a live query over a WebSocket of its own. */
export const liveOverWebSocket: SendLive = (url, { query, variables = {}, headers = {} }) => {
  const client = createWsClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: { ...TOKEN, ...headers },
    retryAttempts: 0,
  });
  return createLiveClient(client.iterate({ query, variables }), () => client.dispose());
};

/** Sends a live query by a POST whose response is server-sent events. */
export const liveOverSse: SendLive = (url, { query, variables = {}, headers = {} }) => {
  const client = createSseClient({ url, headers: { ...TOKEN, ...headers }, retryAttempts: 0 });
  return createLiveClient(client.iterate({ query, variables }), () => client.dispose());
};

/** The transports of live queries by name. */
export const LIVE_TRANSPORTS = [
  ['WebSocket', liveOverWebSocket],
  ['SSE', liveOverSse],
] as const;

function createLiveClient(
  results: AsyncIterableIterator<unknown>,
  dispose: () => void | Promise<void>,
): LiveClient {
  const leave = async (): Promise<void> => {
    await results.return?.();
    await dispose();
  };
  return {
    async next() {
      try {
        const { value, done } = await results.next();
        if (done === true) return undefined;
        recordOutput('a result of a live query', JSON.stringify(value));
        return value as LiveResult;
      } catch (errors) {
        // The client of WebSockets throws the errors that have ended an operation.
        if (!Array.isArray(errors)) throw errors;
        return { errors };
      }
    },
    leave,
    [Symbol.asyncDispose]: leave,
  };
}
