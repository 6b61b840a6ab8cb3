// Tests what happens when clients disconnect and when the server closes.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { listenSandbox, type Sandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import { createFacade } from '../../src/facade/facade.ts';
import { startServer } from '../../src/server/server.ts';
import { readAuthorization } from '../../src/upstream/http/caller.ts';
import { NO_TIMEOUT } from '../helpers/described.ts';
import { collectLog } from '../helpers/facade.ts';
import { holdUpstream } from '../helpers/held-upstream.ts';

const LIST = '{ datasets(first: 25) { nodes { id } } }';
const SNAPSHOTS = '{ datasets(first: 25) { nodes { snapshots(first: 1) { nodes { name } } } } }';
const isSnapshots = (target: string): boolean => target.includes('/snapshots');

/** As long as operations under way may take when the server closes. Milliseconds. */
const LONG = 25_000;

/** Stops the clock, so that no timeout passes. */
const stopClock = (): void => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
afterEach(() => void vi.useRealTimers());

/** Starts a server of a facade, whose upstream delays some responses until the test releases them. */
async function start(isHeld: (target: string) => boolean) {
  const sandbox = await listenSandbox();
  const upstream = await holdUpstream(sandbox, isHeld);
  const log = collectLog();
  const facade = await createFacade({
    upstream: upstream.url,
    transport: { connections: 10, timeout: NO_TIMEOUT },
    limits: { queryTime: NO_TIMEOUT },
    descriptionCredential: readAuthorization(`Basic ${Buffer.from('admin:sandbox').toString('base64')}`),
    log,
  });
  const server = await startServer(facade, { host: '127.0.0.1', port: 0 });
  const ask = (query: string, signal: AbortSignal | null = null): Promise<Response> =>
    fetch(server.url, requestOf(sandbox, query, signal));
  const dispose = async (): Promise<void> => {
    await upstream[Symbol.asyncDispose]();
    await server.close();
    await sandbox.close();
  };
  return { upstream, log, server, ask, [Symbol.asyncDispose]: dispose };
}

function requestOf(sandbox: Sandbox, query: string, signal: AbortSignal | null): RequestInit {
  const token = sandbox.users[0]?.token ?? '';
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', [sandbox.tokenHeader]: token },
    body: JSON.stringify({ query }),
    signal,
  };
}

/** Returns the error that a promise rejects with; throws when it resolves. */
async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('expected a rejection'),
    (error: unknown) => error,
  );
}

describe('a client that disconnects', () => {
  test('aborts its upstream request', async () => {
    await using facade = await start(() => true);
    const client = new AbortController();
    const answer = rejection(facade.ask(LIST, client.signal));
    const [request] = await facade.upstream.waitForHeld(1);
    client.abort();
    await request?.abandoned;
    expect(await answer).toMatchObject({ name: 'AbortError' });
  });

  test('aborts requests under way and requests that wait for a connection', async () => {
    await using facade = await start(isSnapshots);
    const client = new AbortController();
    const answer = rejection(facade.ask(SNAPSHOTS, client.signal));
    const underWay = await facade.upstream.waitForHeld(10);
    client.abort();
    await Promise.all(underWay.map(({ abandoned }) => abandoned));
    await answer;

    const other = facade.ask('{ dataset(id: 2) { snapshots(first: 1) { nodes { name } } } }');
    const last = (await facade.upstream.waitForHeld(11)).at(-1);
    expect(last?.target).toContain('/datasets/2/snapshots');
    await last?.release();
    expect((await other).status).toBe(200);
    expect(facade.upstream.held).toHaveLength(11);
  });

  test('does not affect the operations of others', async () => {
    await using facade = await start(() => true);
    const client = new AbortController();
    const gone = rejection(facade.ask(LIST, client.signal));
    const [first] = await facade.upstream.waitForHeld(1);
    // It shares the call of the first, and makes its own when that client leaves.
    const other = facade.ask(LIST);
    await facade.ask('{ __typename }');
    client.abort();
    await first?.abandoned;
    await gone;
    const [, second] = await facade.upstream.waitForHeld(2);
    await second?.release();
    expect(await (await other).json()).toMatchObject({ data: { datasets: {} } });
  });

  test('is not logged as a failure of the facade', async () => {
    await using facade = await start(() => true);
    const client = new AbortController();
    const gone = rejection(facade.ask(LIST, client.signal));
    const [request] = await facade.upstream.waitForHeld(1);
    client.abort();
    await request?.abandoned;
    await gone;
    await facade.server.close();
    expect(facade.log.lines).toEqual([]);
  });
});

describe('a server that closes', () => {
  test('lets an operation under way finish', async () => {
    await using facade = await start(() => true);
    const answer = facade.ask(LIST);
    const [request] = await facade.upstream.waitForHeld(1);
    stopClock();
    const closed = facade.server.close();
    await request?.release();
    expect(await (await answer).json()).toMatchObject({ data: { datasets: {} } });
    await closed;
    await expect(fetch(facade.server.url)).rejects.toThrow();
  });

  test('ends a query that takes too long, and its upstream request', async () => {
    await using facade = await start(() => true);
    const answer = facade.ask(LIST);
    const [request] = await facade.upstream.waitForHeld(1);
    stopClock();
    const closed = facade.server.close();
    await vi.advanceTimersByTimeAsync(LONG);
    await Promise.all([closed, request?.abandoned]);
    expect(await (await answer).json()).toMatchObject({
      errors: [{ extensions: { code: 'SHUTTING_DOWN' } }],
    });
  });

  test('ends idle connections at once', async () => {
    await using facade = await start(() => false);
    expect((await facade.ask(LIST)).status).toBe(200);
    const { hostname, port } = new URL(facade.server.url);
    const silent = connect(Number(port), hostname).resume();
    await once(silent, 'connect');
    const ended = once(silent, 'close');
    stopClock();
    await Promise.all([facade.server.close(), ended]);
  });
});
