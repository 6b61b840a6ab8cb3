// Tests @defer and @stream over multipart, server-sent events and WebSockets.
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { listenSandbox, type Sandbox } from '../../../packages/sandbox/src/listen-sandbox.ts';
import { createFacade, type Facade } from '../../../src/facade/facade.ts';
import { type RunningServer, startServer } from '../../../src/server/server.ts';
import { readAuthorization } from '../../../src/upstream/http/caller.ts';
import { collectLog } from '../../helpers/facade.ts';
import { type HeldUpstream, holdUpstream } from '../../helpers/held-upstream.ts';

const DEFERRED =
  '{ dataset(id: 14) { name ... @defer(label: "later") { snapshots(first: 1) { nodes { name } } } } }';

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

let sandbox: Sandbox;
let upstream: HeldUpstream;
let facade: Facade;
let server: RunningServer;
beforeAll(async () => {
  sandbox = await listenSandbox();
  upstream = await holdUpstream(sandbox, (target) => target.includes('/snapshots'));
  facade = await createFacade({
    upstream: upstream.url,
    descriptionCredential: readAuthorization(`Basic ${Buffer.from('admin:sandbox').toString('base64')}`),
    log: collectLog(),
  });
  server = await startServer(facade, { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  await server.close();
  await sandbox.close();
});

const token = (): Record<string, string> => ({ [sandbox.tokenHeader]: sandbox.users[0]?.token ?? '' });

const post = (query: string, accept: string, signal: AbortSignal | null = null): Promise<Response> =>
  fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...token() },
    body: JSON.stringify({ query }),
    signal,
  });

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
    const before = upstream.held.length;
    const parts = partsOf(await post(DEFERRED, accept));
    const first = await parts.next();
    expect(first.value).toEqual({
      data: { dataset: { name: expect.any(String) } },
      extensions: { cost: expect.any(Object) },
      hasNext: true,
    });
    const [call] = (await upstream.waitForHeld(before + 1)).slice(before);
    await call?.release();
    const { value: last } = await parts.next();
    expect(last).toMatchObject({
      incremental: [
        { path: ['dataset'], label: 'later', data: { snapshots: { nodes: [{ name: expect.any(String) }] } } },
      ],
      hasNext: false,
      extensions: { upstream: { calls: 2 } },
    });
    expect((await parts.next()).done).toBe(true);
  });
});

it('sends the items of a streamed list one after the other', async () => {
  const query = '{ datasets(first: 3) { nodes @stream(initialCount: 1) { id } } }';
  const parts: Part[] = [];
  for await (const part of partsOf(await post(query, 'multipart/mixed'))) parts.push(part);
  expect(parts[0]).toMatchObject({
    data: { datasets: { nodes: [{ id: expect.any(String) }] } },
    hasNext: true,
  });
  const items = parts.flatMap(({ incremental = [] }) => incremental.flatMap((part) => part.items));
  expect(items).toHaveLength(2);
  expect(parts.at(-1)?.hasNext).toBe(false);
});

it('reads values of a deferred fragment with the rest of the object', async () => {
  const parts: Part[] = [];
  const query = '{ dataset(id: 1) { id ... @defer { name user { label fullName } } } }';
  for await (const part of partsOf(await post(query, 'multipart/mixed'))) parts.push(part);
  const whole = await (await post(query, 'application/json')).json();
  const [deferred] = parts.flatMap(({ incremental = [] }) => incremental);
  expect(deferred?.data).toEqual({ name: expect.any(String), user: whole.data.dataset.user });
  expect(whole.data.dataset.user.fullName).toEqual(expect.any(String));
  expect(parts.at(-1)?.extensions?.['upstream']).toMatchObject({ calls: whole.extensions.upstream.calls });
});

it('sends the whole result at once to clients that accept no parts', async () => {
  const before = upstream.held.length;
  const response = post(DEFERRED, 'application/json');
  const [call] = (await upstream.waitForHeld(before + 1)).slice(before);
  await call?.release();
  expect(await (await response).json()).toMatchObject({
    data: { dataset: { snapshots: { nodes: [{ name: expect.any(String) }] } } },
  });
});

it('masks the errors of a part, and gives them the id of the request', async () => {
  const query =
    '{ dataset(id: 14) { name ... @defer { snapshots(after: "no cursor") { nodes { name } } } } }';
  const parts: Part[] = [];
  for await (const part of partsOf(await post(query, 'multipart/mixed'))) parts.push(part);
  expect(parts.at(-1)?.incremental).toMatchObject([
    {
      errors: [
        {
          path: ['dataset', 'snapshots'],
          extensions: { code: 'BAD_USER_INPUT', requestId: expect.any(String) },
        },
      ],
    },
  ]);
});

it('ends the reads of a part when the client leaves', async () => {
  const before = upstream.held.length;
  const leaving = new AbortController();
  const parts = partsOf(await post(DEFERRED, 'multipart/mixed', leaving.signal));
  await parts.next();
  const [call] = (await upstream.waitForHeld(before + 1)).slice(before);
  leaving.abort();
  await call?.abandoned;
  await facade.shutdown.operations.idle();
});

it('is over when the client leaves before the first part', async () => {
  const before = upstream.held.length;
  const leaving = new AbortController();
  const query =
    '{ dataset(id: 14) { snapshots(first: 1) { nodes { name } } } ... @defer { other: dataset(id: 15) { name } } }';
  const answer = post(query, 'multipart/mixed', leaving.signal).catch(() => null);
  await upstream.waitForHeld(before + 1);
  leaving.abort();
  await answer;
  await facade.shutdown.operations.idle();
});

it('refuses a negative number of first items', async () => {
  const query = '{ datasets(first: 3) { nodes @stream(initialCount: -1) { id } } }';
  const text = await (await post(query, 'multipart/mixed')).text();
  expect(text).toContain('"code":"BAD_USER_INPUT"');
});

it('sends parts over a WebSocket', async () => {
  const before = upstream.held.length;
  const client = createClient({
    url: server.url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: token(),
  });
  const parts = client.iterate({ query: DEFERRED });
  expect((await parts.next()).value).toMatchObject({
    data: { dataset: { name: expect.any(String) } },
    hasNext: true,
  });
  const [call] = (await upstream.waitForHeld(before + 1)).slice(before);
  await call?.release();
  expect((await parts.next()).value).toMatchObject({
    incremental: [{ path: ['dataset'] }],
    hasNext: false,
    extensions: { upstream: { calls: 2 } },
  });
  await parts.return?.();
  await client.dispose();
});
