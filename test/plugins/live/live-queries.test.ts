// Tests the results of live queries over each transport: when they come, and what they are.
import { describe, expect, it } from 'vitest';
import {
  LIVE_TRANSPORTS,
  type LiveResult,
  liveOverWebSocket,
  openLiveLibrary,
  SOON,
} from '../../helpers/live-library.ts';
import { shareLiveLibrary } from '../../helpers/shared-api.ts';
import { refuse } from '../../helpers/stub-upstream.ts';

const library = shareLiveLibrary();

const TITLES = `query Titles($interval: Float = ${SOON}) @live(interval: $interval) { books { nodes { id title } } }`;
/** No test waits for such an interval. */
const LONG = { interval: 3_600 };

const titlesIn = ({ data }: LiveResult = {}): readonly string[] =>
  (data as { books: { nodes: { title: string }[] } }).books.nodes.map(({ title }) => title);
const codesIn = (result: LiveResult | undefined): readonly unknown[] =>
  result?.errors?.map(({ extensions }) => extensions['code']) ?? [];

describe.each(LIVE_TRANSPORTS)('a live query over %s', (_name, send) => {
  it('gets a result at once, and another when the API answers differently', async () => {
    await using live = send(library.url, { query: TITLES });
    const first = await live.next();
    expect(titlesIn(first)).toEqual(['One', 'Two', 'Three']);
    expect(first?.extensions).toMatchObject({ live: { interval: SOON }, upstream: { calls: 1 } });
    library.books.set(4, { title: 'Four', author: 2 });
    expect(titlesIn(await live.next())).toEqual(['One', 'Two', 'Three', 'Four']);
  });

  it('gets nothing while the result does not differ', async () => {
    await using live = send(library.url, { query: TITLES });
    await live.next();
    // The API answers otherwise, but not in what is selected.
    library.authors.set(1, 'Eve');
    await library.waitForCalls('book#index', 3);
    library.books.set(1, { title: 'Uno', author: 1 });
    expect(titlesIn(await live.next())).toEqual(['Uno', 'Two', 'Three']);
  });

  it('is executed within a second after a write of its caller', async () => {
    await using live = send(library.url, { query: TITLES, variables: LONG });
    await live.next();
    await library.ask('mutation { bookUpdate(id: 1, input: { title: "Uno" }) { userErrors { code } } }');
    expect(titlesIn(await live.next())).toEqual(['Uno', 'Two', 'Three']);
  });

  it('is not executed after writes of other callers', async () => {
    await using live = send(library.url, { query: TITLES, variables: LONG });
    await live.next();
    await library.ask('mutation { bookUpdate(id: 1, input: { title: "Uno" }) { userErrors { code } } }', {
      token: 'two',
    });
    await library.ask('mutation { bookUpdate(id: 2, input: { title: "Due" }) { userErrors { code } } }');
    expect(titlesIn(await live.next())).toEqual(['Uno', 'Due', 'Three']);
    expect(library.callsOf('book#index')).toBe(2);
  });

  it('is executed when an action ends that a write of its caller has started', async () => {
    await using live = send(library.url, { query: TITLES, variables: LONG });
    await live.next();
    await library.ask('mutation { bookRebind(id: 1) { actionState { id } } }');
    await library.actions.waitForOpenPolls(1);
    await library.waitForCalls('book#index', 0);
    library.books.set(1, { title: 'Bound again', author: 1 });
    library.actions.set({ id: 900, finished: true });
    expect(titlesIn(await live.next())).toEqual(['Bound again', 'Two', 'Three']);
    expect(library.actions.openPolls).toBe(0);
  });

  it('over running actions lists them once for each execution, and polls none', async () => {
    for (const id of [7, 8, 9]) library.actions.set({ id });
    await using live = send(library.url, {
      query: `query @live(interval: ${SOON}) { actionStates { nodes { id current } } }`,
    });
    expect(await live.next()).toMatchObject({ data: { actionStates: { nodes: [{}, {}, {}] } } });
    await library.waitForCalls('action_state#index', 4);
    library.actions.set({ id: 8, current: 5 });
    library.actions.set({ id: 7, finished: true });
    await live.next();
    expect(new Set(library.upstream.calls.map(({ scope }) => scope))).toEqual(
      new Set(['action_state#index']),
    );
  });

  it('goes on when one of its fields fails, and sends the error as any query', async () => {
    await using live = send(library.url, {
      query: `query @live(interval: ${SOON}) { books { nodes { title } } shelves { nodes { label } } }`,
    });
    await live.next();
    const { handlers } = library.upstream;
    const answer = handlers.get('shelf#index');
    handlers.set('shelf#index', () => (response) => void response.writeHead(500).end());
    const failed = await live.next();
    expect(codesIn(failed)).toEqual(['UPSTREAM_INVALID_RESPONSE']);
    expect(failed?.data).toMatchObject({ books: { nodes: [{}, {}, {}] }, shelves: null });
    handlers.set('shelf#index', answer ?? expect.fail());
    expect(await live.next()).toMatchObject({ data: { shelves: { nodes: [{ label: 'by the window' }] } } });
  });

  it('is repeated without a result while the API is down', async () => {
    await using live = send(library.url, { query: TITLES });
    await live.next();
    const { handlers } = library.upstream;
    const answer = handlers.get('book#index') ?? expect.fail();
    let failures = 0;
    handlers.set('book#index', (call) => {
      failures += 1;
      // A read is sent four times.
      if (failures <= 5) return (response) => void response.writeHead(503).end();
      library.books.set(1, { title: 'Uno', author: 1 });
      return answer(call);
    });
    expect(titlesIn(await live.next())).toEqual(['Uno', 'Two', 'Three']);
  });

  it('ends with an error that does not pass', async () => {
    await using live = send(library.url, {
      query: `query @live(interval: ${SOON}) { book(id: 1) { title } }`,
    });
    expect(await live.next()).toMatchObject({ data: { book: { title: 'One' } } });
    const unknown = () => refuse('who?', null, 401);
    library.upstream.onOptions = unknown;
    for (const scope of ['book#show', 'book#index']) library.upstream.handlers.set(scope, unknown);
    expect(codesIn(await live.next())).toEqual(['UNAUTHENTICATED']);
    expect(await live.next().catch(() => undefined)).toBeUndefined();
  });

  it('has the bounds of the operator', async () => {
    await using library = await openLiveLibrary({ limits: { longestLiveInterval: 30, liveQueries: 2 } });
    const { url } = await library.listen();
    const request = { query: TITLES, variables: { interval: 1_000 } };
    await using first = send(url, request);
    expect((await first.next())?.extensions).toMatchObject({ live: { interval: 0.03 } });
    await using second = send(url, request);
    await second.next();
    await using third = send(url, request);
    expect(codesIn(await third.next())).toEqual(['SUBSCRIPTION_LIMIT']);
    library.books.set(1, { title: 'Uno', author: 1 });
    expect(titlesIn(await first.next())).toEqual(['Uno', 'Two', 'Three']);
    await second.leave();
    await using fourth = send(url, { ...request, headers: { 'x-library-token': 'two' } });
    expect(titlesIn(await fourth.next())).toEqual(['Uno', 'Two', 'Three']);
  });

  it.each(['0', '-1'])('refuses the interval %s', async (interval) => {
    await using live = send(library.url, {
      query: `query @live(interval: ${interval}) { books { totalCount } }`,
    });
    expect(codesIn(await live.next())).toEqual(['BAD_USER_INPUT']);
  });

  it('has one result when it is not live', async () => {
    const query = 'query ($isLive: Boolean!) @live(if: $isLive) { books { nodes { title } } }';
    await using live = send(library.url, { query, variables: { isLive: false } });
    expect(titlesIn(await live.next())).toEqual(['One', 'Two', 'Three']);
    expect(await live.next()).toBeUndefined();
  });
});

describe('a live query over a transport with one result', () => {
  it('is executed once, with a warning', async () => {
    const { data, extensions } = await library.ask(TITLES);
    expect(data).toMatchObject({ books: { nodes: [{}, {}, {}] } });
    expect(extensions['warnings']).toEqual([{ code: 'NOT_LIVE', coordinate: 'Query', count: 1 }]);
  });
});

describe('equal live queries of one credential', () => {
  it('are executed for each client by itself, and share no result', async () => {
    const request = { query: TITLES, variables: LONG };
    await using first = liveOverWebSocket(library.url, request);
    await first.next();
    library.books.delete(2);
    await using second = liveOverWebSocket(library.url, request);
    expect(titlesIn(await second.next())).toEqual(['One', 'Three']);
    expect(library.callsOf('book#index')).toBe(2);
    await first.leave();
    await library.ask('mutation { bookDelete(id: 1) { userErrors { code } } }');
    expect(titlesIn(await second.next())).toEqual(['Three']);
  });
});

describe('several live queries of one caller', () => {
  const start = 'mutation { bookRebind(id: 1) { actionState { id } } }';
  const follow = 'subscription { actionProgress(id: 900) { finished } }';

  it('open one stream for an action', async () => {
    await using library = await openLiveLibrary({ watch: { streams: 2 } });
    const { url } = await library.listen();
    await using first = liveOverWebSocket(url, { query: TITLES, variables: LONG });
    await using second = liveOverWebSocket(url, { query: TITLES, variables: LONG });
    await Promise.all([first.next(), second.next()]);
    await library.ask(start);
    await library.actions.waitForOpenPolls(1);
    await using other = liveOverWebSocket(url, { query: follow });
    expect(await other.next()).toMatchObject({ data: { actionProgress: { finished: false } } });
  });

  it('see the end of an action when the one that watches it has left', async () => {
    const first = liveOverWebSocket(library.url, { query: TITLES, variables: LONG });
    await first.next();
    await library.ask(start);
    await library.actions.waitForOpenPolls(1);
    await using second = liveOverWebSocket(library.url, { query: TITLES, variables: LONG });
    await second.next();
    const isWatchedAgain = library.waitForCalls('action_state#poll', 1);
    await first.leave();
    await isWatchedAgain;
    library.books.set(1, { title: 'Bound again', author: 1 });
    library.actions.set({ id: 900, finished: true });
    expect(titlesIn(await second.next())).toEqual(['Bound again', 'Two', 'Three']);
  });
});

describe('a live query with @defer', () => {
  it.each(LIVE_TRANSPORTS)('has each result in one part over %s', async (_name, send) => {
    await using live = send(library.url, {
      query:
        'query @live(interval: 3600) { authors { totalCount } ... @defer { books { nodes { title } } } }',
    });
    const result = await live.next();
    expect(result).not.toHaveProperty('hasNext');
    expect(titlesIn(result)).toEqual(['One', 'Two', 'Three']);
    library.books.delete(2);
    await library.ask('mutation { bookDelete(id: 1) { userErrors { code } } }');
    expect(titlesIn(await live.next())).toEqual(['Three']);
  });
});
