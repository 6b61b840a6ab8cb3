// Tests when live queries end or slow down: shutdown, other schemas, limits, and clients that do not read.

import { NetworkError } from 'graphql-sse';
import { describe, expect, it } from 'vitest';
import type { OperationRequest } from '../../../src/server/operation-request.ts';
import { describeApi, list, resource } from '../../helpers/describe-api.ts';
import {
  LIVE_TRANSPORTS,
  type LiveResult,
  liveOverSse,
  liveOverWebSocket,
  openLiveLibrary,
  SOON,
} from '../../helpers/live-library.ts';
import { shareLiveLibrary } from '../../helpers/shared-api.ts';
import { ok } from '../../helpers/stub-upstream.ts';

const library = shareLiveLibrary();

const TITLES = `query @live(interval: ${SOON}) { books { nodes { title } } }`;
const SHELVES = `query @live(interval: ${SOON}) { shelves { nodes { label } } }`;
const codesIn = (result: LiveResult | undefined): readonly unknown[] =>
  result?.errors?.map(({ extensions }) => extensions['code']) ?? [];

/** A request with the token `one`, of a transport that reads each result when it wants to. */
const createStreamRequest = (query: string): OperationRequest => ({
  requester: {
    header: (name) => (name.toLowerCase() === 'x-library-token' ? 'one' : null),
    address: undefined,
    requestId: 'a request of a test',
    signal: undefined,
  },
  readSent: () => ({ query }),
  report: null,
  acceptsParts: false,
  liveAs: 'stream',
  admit: () => undefined,
});

describe('a live query of a server that closes', () => {
  it('ends as a subscription: a WebSocket by its close, server-sent events by their connection', async () => {
    await using library = await openLiveLibrary();
    const server = await library.listen();
    const socket = liveOverWebSocket(server.url, { query: TITLES });
    const events = liveOverSse(server.url, { query: TITLES });
    await Promise.all([socket.next(), events.next()]);
    const [closeEvent, cut] = await Promise.all([
      socket.next().catch((error: unknown) => error),
      events.next().catch((error: unknown) => error),
      server.close(),
    ]);
    expect(closeEvent).toMatchObject({ code: 1001 });
    // With this error, clients of graphql-sse send the query again by themselves.
    expect(cut).toBeInstanceOf(NetworkError);
  });
});

describe.each(LIVE_TRANSPORTS)('a live query over %s', (_name, send) => {
  it('goes on with a schema that its document is valid for, and ends with the errors of another', async () => {
    await using library = await openLiveLibrary();
    const { url } = await library.listen();
    await using live = send(url, { query: TITLES });
    await live.next();
    const book = { id: 'Integer', title: 'String', pages: 'Integer' } as const;
    library.upstream.onOptions = () =>
      ok(describeApi({ book: resource({ index: list('book', 'books', book) }) }));
    await library.facade.refresh();
    library.books.set(1, { title: 'Uno', author: 1 });
    expect(await live.next()).toMatchObject({ data: { books: { nodes: [{ title: 'Uno' }, {}, {}] } } });
    library.upstream.onOptions = () =>
      ok(describeApi({ shelf: resource({ index: list('shelf', 'shelves', { id: 'Integer' }) }) }));
    await library.facade.refresh();
    const last = await live.next();
    expect(codesIn(last)).toEqual(['BAD_USER_INPUT']);
    expect(last?.errors?.[0]?.message).toContain('"books"');
    expect(await live.next()).toBeUndefined();
  });

  it('ends when its caller has spent the budget, and leaves others alone', async () => {
    // Each execution costs 31 points.
    await using library = await openLiveLibrary({ limits: { credentialCost: 200 } });
    const { url } = await library.listen();
    await using live = send(url, { query: TITLES });
    await live.next();
    await using other = send(url, { query: SHELVES, headers: { 'x-library-token': 'two' } });
    await other.next();
    expect(codesIn(await live.next())).toEqual(['COST_LIMIT_EXCEEDED']);
    expect(await live.next()).toBeUndefined();
  });

  it('fails as any query when its first execution does', async () => {
    library.answer({ 'book#index': () => (response) => void response.writeHead(503).end() });
    const { url } = await library.listen();
    await using live = send(url, { query: TITLES });
    expect(codesIn(await live.next())).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect(await live.next().catch(() => undefined)).toBeUndefined();
  });

  it('is not executed any more when its client has left', async () => {
    const live = send(library.url, { query: TITLES });
    await using clock = send(library.url, { query: SHELVES });
    await live.next();
    await clock.next();
    await live.leave();
    await library.waitForCalls('shelf#index', 2);
    const before = library.callsOf('book#index');
    await library.waitForCalls('shelf#index', 5);
    expect(library.callsOf('book#index')).toBe(before);
  });
});

describe('a live query whose client does not read', () => {
  it('is not executed until the client has read the last result, and then sends the latest', async () => {
    await using clock = liveOverWebSocket(library.url, { query: SHELVES });
    await clock.next();
    const results = await library.facade.pipeline.run(createStreamRequest(TITLES));
    if (!(Symbol.asyncIterator in results)) return expect.fail('expected several results');
    const iterator = results[Symbol.asyncIterator]();
    await iterator.next();
    await library.waitForCalls('shelf#index', 5);
    expect(library.callsOf('book#index')).toBe(1);
    library.books.delete(1);
    library.books.delete(2);
    expect((await iterator.next()).value).toMatchObject({ data: { books: { nodes: [{ title: 'Three' }] } } });
    await iterator.return?.();
  });
});

describe('the schema', () => {
  it('has the directive, which stands on queries only', async () => {
    const { data } = await library.ask('{ __schema { directives { name locations args { name } } } }');
    expect((data as unknown as { __schema: { directives: object[] } }).__schema.directives).toContainEqual({
      name: 'live',
      locations: ['QUERY'],
      args: [{ name: 'if' }, { name: 'interval' }],
    });
    const { errors } = await library.ask('mutation @live { shelfDust { userErrors { code } } }');
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});
