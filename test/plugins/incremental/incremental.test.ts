// Tests @defer and @stream over multipart, server-sent events and WebSockets.
import { createClient } from 'graphql-ws';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { holdAnswersOf } from '../../helpers/held-answers.ts';
import { openLiveLibrary } from '../../helpers/live-library.ts';
import { shareApi } from '../../helpers/shared-api.ts';
import { ok } from '../../helpers/stub-upstream.ts';
import { post as postTo } from '../../helpers/transports.ts';

const DEFERRED =
  '{ book(id: 1) { title ... @defer(label: "later") { pages(first: 1) { nodes { text } } } } }';

/** One part of a result, as clients get it. */
interface Part {
  readonly data?: unknown;
  readonly hasNext?: boolean;
  readonly incremental?: readonly {
    readonly path: unknown;
    readonly data?: unknown;
    readonly items?: unknown;
  }[];
  readonly extensions?: Record<string, unknown>;
}

const pages = holdAnswersOf(() => ok({ pages: [{ id: 1, text: 'page' }] }));
/** How many calls were held. */
let taken = 0;
const take = () => pages.take(taken++);

const library = shareApi(() => openLiveLibrary({}, { 'book.page#index': pages.handler }));

const TOKEN = { 'x-library-token': 'one' };

const post = (query: string, accept: string, signal: AbortSignal | null = null): Promise<Response> =>
  postTo(library.url, { query }, { accept, ...TOKEN }, signal);

/** The parts of a response, as they arrive. */
async function* partsOf(response: Response): AsyncGenerator<Part> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    const lines = text.split(/\r?\n/);
    text = lines.pop() ?? '';
    for (const line of lines) {
      const json = line.replace(/^data: /, '');
      if (json.startsWith('{')) yield JSON.parse(json);
    }
  }
}

describe.each(['multipart/mixed', 'text/event-stream'])('over %s', (accept) => {
  it('sends a deferred list after the rest of the result', async () => {
    const parts = partsOf(await post(DEFERRED, accept));
    const first = await parts.next();
    expect(first.value).toMatchObject({ data: { book: { title: 'One' } }, hasNext: true });
    (await take()).release();
    const { value: last } = await parts.next();
    expect(last).toMatchObject({
      incremental: [{ path: ['book'], label: 'later', data: { pages: { nodes: [{ text: 'page' }] } } }],
      hasNext: false,
      extensions: { upstream: { calls: 2 } },
    });
    expect((await parts.next()).done).toBe(true);
  });
});

it('sends the items of a streamed list one after the other', async () => {
  const query = '{ books(first: 3) { nodes @stream(initialCount: 1) { id } } }';
  const parts: Part[] = [];
  for await (const part of partsOf(await post(query, 'multipart/mixed'))) parts.push(part);
  expect(parts[0]).toMatchObject({ data: { books: { nodes: [{ id: expect.any(String) }] } }, hasNext: true });
  const items = parts.flatMap(({ incremental = [] }) => incremental.flatMap((part) => part.items));
  expect(items).toHaveLength(2);
  expect(parts.at(-1)?.hasNext).toBe(false);
});

it('reads values of a deferred fragment with the rest of the object', async () => {
  const parts: Part[] = [];
  const query = '{ book(id: 1) { id ... @defer { title author { id name } } } }';
  for await (const part of partsOf(await post(query, 'multipart/mixed'))) parts.push(part);
  const whole = await (await post(query, 'application/json')).json();
  const [deferred] = parts.flatMap(({ incremental = [] }) => incremental);
  expect(deferred?.data).toEqual({ title: 'One', author: whole.data.book.author });
  expect(whole.data.book.author.name).toBe('Ada');
  expect(parts.at(-1)?.extensions?.['upstream']).toMatchObject({ calls: whole.extensions.upstream.calls });
});

it('sends the whole result at once to clients that accept no parts', async () => {
  const response = post(DEFERRED, 'application/json');
  (await take()).release();
  expect(await (await response).json()).toMatchObject({
    data: { book: { pages: { nodes: [{ text: 'page' }] } } },
  });
});

it('masks the errors of a part, and gives them the id of the request', async () => {
  const query = '{ book(id: 1) { title ... @defer { pages(after: "no cursor") { nodes { text } } } } }';
  const parts: Part[] = [];
  for await (const part of partsOf(await post(query, 'multipart/mixed'))) parts.push(part);
  expect(parts.at(-1)?.incremental).toMatchObject([
    {
      errors: [
        { path: ['book', 'pages'], extensions: { code: 'BAD_USER_INPUT', requestId: expect.any(String) } },
      ],
    },
  ]);
});

it('ends the reads of a part when the client leaves', async () => {
  const leaving = new AbortController();
  const parts = partsOf(await post(DEFERRED, 'multipart/mixed', leaving.signal));
  await parts.next();
  const { abandoned } = await take();
  leaving.abort();
  await abandoned;
  await library.facade.shutdown.operations.idle();
});

it('is over when the client leaves before the first part', async () => {
  const leaving = new AbortController();
  const query =
    '{ book(id: 1) { pages(first: 1) { nodes { text } } } ... @defer { other: book(id: 2) { title } } }';
  const answer = post(query, 'multipart/mixed', leaving.signal).catch(() => null);
  await take();
  leaving.abort();
  await answer;
  await library.facade.shutdown.operations.idle();
});

it('refuses a negative number of first items', async () => {
  const query = '{ books(first: 3) { nodes @stream(initialCount: -1) { id } } }';
  const text = await (await post(query, 'multipart/mixed')).text();
  expect(text).toContain('"code":"BAD_USER_INPUT"');
});

it('sends parts over a WebSocket', async () => {
  const url = library.url.replace('http', 'ws');
  const client = createClient({ url, webSocketImpl: WebSocket, connectionParams: TOKEN });
  const parts = client.iterate({ query: DEFERRED });
  expect((await parts.next()).value).toMatchObject({ data: { book: { title: 'One' } }, hasNext: true });
  (await take()).release();
  expect((await parts.next()).value).toMatchObject({
    incremental: [{ path: ['book'] }],
    hasNext: false,
    extensions: { upstream: { calls: 2 } },
  });
  await parts.return?.();
  await client.dispose();
});
