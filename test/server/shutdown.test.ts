// Tests that a server that closes takes no new work, and lets what it has begun finish.
import { once } from 'node:events';
import { NetworkError } from 'graphql-sse';
import { afterEach, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { openServer } from '../../src/server/server.ts';
import { DEPARTURES } from '../helpers/departures.ts';
import { holdAnswers } from '../helpers/held-answers.ts';
import { overSse, overWebSocket } from '../helpers/streams.ts';
import { ok } from '../helpers/stub-upstream.ts';
import { post, TRANSPORTS } from '../helpers/transports.ts';
import { openWorkshop, type Workshop } from '../helpers/workshop.ts';

const headers = { 'x-library-token': 'one' };
const TOOL = ok({ tool: { id: 5, name: 'saw', weight: 1, owner: null } });
const TOOL_QUERY = { query: '{ tool(id: 5) { name } }' };
const STAMP = 'mutation { toolStamp(id: 5) { tool { name } } }';
const PROGRESS = 'subscription { actionProgress(id: 500, minInterval: 0.1) { current } }';
/** Every wait of a shutdown takes no time, so that only what is under way delays it. */
const AT_ONCE = { shutdownTime: 0, closeSpread: 0 };

const scopes = ({ upstream }: Workshop): string[] => upstream.calls.map(({ scope }) => scope);
const originOf = (url: string): string => new URL(url).origin;
const shuttingDown = [{ extensions: { code: 'SHUTTING_DOWN', retryable: true } }];

/** Opens a WebSocket whose ConnectionInit message is acknowledged. */
async function openSocket(url: string) {
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws');
  await once(socket, 'open');
  const received: unknown[] = [];
  socket.send(JSON.stringify({ type: 'connection_init', payload: headers }));
  await once(socket, 'message');
  socket.on('message', (data) => received.push(JSON.parse(String(data))));
  const closed = once(socket, 'close').then(([code]) => code as number);
  const subscribe = (id: string, query: string): void =>
    socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query } }));
  return { socket, received, closed, subscribe };
}

afterEach(() => void vi.useRealTimers());

describe.each(TRANSPORTS)('a server that closes, over %s', (_name, send) => {
  it('answers a write under way, even after its time', async () => {
    const stamps = holdAnswers(TOOL);
    const shows = holdAnswers(TOOL);
    await using shop = await openWorkshop({ 'tool#stamp': stamps.handler, 'tool#show': shows.handler });
    const server = await shop.listen({ limits: { shutdownTime: 0 } });
    const answer = send(server.url, { query: STAMP }, headers);
    const query = send(server.url, TOOL_QUERY, headers);
    const [write, read] = await Promise.all([stamps.take(0), shows.take(0)]);
    const closed = server.close();
    // Reads are aborted when the time is over.
    await Promise.all([read.abandoned, query]);
    await fetch(shop.upstream.url, { method: 'OPTIONS' });
    expect(write.isAbandoned).toBe(false);
    write.release();
    expect(await answer).toMatchObject({ data: { toolStamp: { tool: { name: 'saw' } } } });
    await closed;
  });

  it('sends no write that has not begun', async () => {
    const stamps = holdAnswers(TOOL);
    await using shop = await openWorkshop({ 'tool#stamp': stamps.handler });
    const server = await shop.listen();
    const query = `mutation { a: toolStamp(id: 5) { tool { name } } b: toolStamp(id: 6) { tool { name } } }`;
    const answer = send(server.url, { query }, headers);
    const write = await stamps.take(0);
    const closed = server.close();
    write.release();
    const { data, errors } = await answer;
    expect(data).toEqual({ a: { tool: { name: 'saw' } }, b: null });
    expect(errors).toMatchObject([{ path: ['b'], ...shuttingDown[0] }]);
    await closed;
    expect(scopes(shop)).toEqual(['tool#stamp']);
  });

  it('answers a wait with the latest state and the id of the action', async () => {
    await using shop = await openWorkshop();
    const server = await shop.listen();
    const query = 'mutation { toolSharpen(id: 5, wait: 50) { actionState { id outcome } } }';
    const answer = send(server.url, { query }, headers);
    await shop.actions.waitForOpenPolls(1);
    await server.close();
    expect(await answer).toMatchObject({
      data: { toolSharpen: { actionState: { id: 'action_state/500', outcome: 'RUNNING' } } },
    });
  });

  it('lets a query finish', async () => {
    const shows = holdAnswers(TOOL);
    await using shop = await openWorkshop({ 'tool#show': shows.handler });
    const server = await shop.listen();
    const answer = send(server.url, TOOL_QUERY, headers);
    const read = await shows.take(0);
    const closed = server.close();
    read.release();
    expect(await answer).toMatchObject({ data: { tool: { name: 'saw' } } });
    await closed;
  });

  it('ends a query that takes too long with SHUTTING_DOWN', async () => {
    const shows = holdAnswers(TOOL);
    await using shop = await openWorkshop({ 'tool#show': shows.handler });
    const server = await shop.listen({ limits: { shutdownTime: 0 } });
    const answer = send(server.url, TOOL_QUERY, headers);
    const read = await shows.take(0);
    await Promise.all([server.close(), read.abandoned]);
    expect(await answer).toMatchObject({ errors: shuttingDown });
  });
});

describe('a server that closes', () => {
  it('refuses requests, upgrades and operations while it waits, but no subscription on an open WebSocket', async () => {
    const stamps = holdAnswers(TOOL);
    await using shop = await openWorkshop({ 'tool#stamp': stamps.handler });
    const server = await shop.listen();
    const { subscribe, received, closed: socketClosed } = await openSocket(server.url);
    subscribe('write', STAMP);
    const write = await stamps.take(0);
    const origin = originOf(server.url);
    expect((await fetch(`${origin}/ready`)).status).toBe(200);

    const closed = server.close();
    const ready = await fetch(`${origin}/readyz`);
    expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
    for (const response of [
      await post(server.url, TOOL_QUERY, headers),
      await fetch(`${origin}/elsewhere`),
    ]) {
      expect([response.status, response.headers.get('connection')]).toEqual([503, 'close']);
      expect(await response.json()).toMatchObject({ errors: shuttingDown });
    }
    expect((await fetch(`${origin}/health`)).status).toBe(200);
    const refused = new WebSocket(server.url.replace('http', 'ws'), 'graphql-transport-ws');
    const [error] = await once(refused, 'error');
    expect(String(error)).toContain('503');
    subscribe('query', '{ tool(id: 5) { name } }');
    subscribe('stream', PROGRESS);
    await expect.poll(() => received).toHaveLength(2);
    expect(received).toMatchObject([
      { id: 'query', type: 'error', payload: shuttingDown },
      { id: 'stream', type: 'next', payload: { data: { actionProgress: { current: 0 } } } },
    ]);

    write.release();
    expect(await socketClosed).toBe(1001);
    expect(received.slice(2)).toMatchObject([
      { id: 'write', type: 'next', payload: { data: { toolStamp: { tool: { name: 'saw' } } } } },
      { id: 'write', type: 'complete' },
    ]);
    await closed;
    expect(scopes(shop)).not.toContain('tool#show');
  });

  it('ends subscriptions: a WebSocket by its close, server-sent events by their connection', async () => {
    await using shop = await openWorkshop();
    const server = await shop.listen();
    const socket = overWebSocket(server.url, PROGRESS, headers);
    const events = overSse(server.url, PROGRESS, headers);
    await Promise.all([socket.next(), events.next()]);
    const [closeEvent, cut] = await Promise.all([
      socket.next().catch((error: unknown) => error),
      events.next().catch((error: unknown) => error),
      server.close(),
    ]);
    expect(closeEvent).toMatchObject({ code: 1001 });
    // With this error, clients of graphql-sse subscribe again by themselves.
    expect(cut).toBeInstanceOf(NetworkError);
    expect(shop.facade.watcher.watched).toBe(0);
  });

  it('serves for the drain time while it is not ready, and on connections that end', async () => {
    const shows = holdAnswers(TOOL);
    await using shop = await openWorkshop({ 'tool#show': shows.handler });
    const server = await shop.listen({ limits: { drainTime: 1_000_000 } });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const closed = server.close();
    const ready = await fetch(`${originOf(server.url)}/readyz`);
    expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
    const query = () => post(server.url, TOOL_QUERY, headers);
    const served = query();
    (await shows.take(0)).release();
    const { status, headers: sent } = await served;
    expect([status, sent.get('connection')]).toEqual([200, 'close']);
    await vi.advanceTimersByTimeAsync(1_000_000);
    await closed;
    await expect(query()).rejects.toThrow('fetch failed');
  });

  it('spreads the closes of WebSockets', async () => {
    await using shop = await openWorkshop();
    const server = await shop.listen({ limits: { closeSpread: 4_000 } });
    const sockets = await Promise.all(Array.from({ length: 4 }, () => openSocket(server.url)));
    const codes: number[] = [];
    for (const { closed } of sockets) void closed.then((code) => codes.push(code));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const closed = server.close();
    await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(4);
    for (let count = 1; count <= 4; count += 1) {
      await vi.advanceTimersByTimeAsync(count === 1 ? 0 : 1_000);
      await expect.poll(() => codes).toHaveLength(count);
    }
    expect(codes).toEqual([1001, 1001, 1001, 1001]);
    await closed;
  });

  it('waits for a write whose client has left', async () => {
    for (const [, depart] of DEPARTURES) {
      const stamps = holdAnswers(TOOL);
      const shows = holdAnswers(TOOL);
      await using shop = await openWorkshop({ 'tool#stamp': stamps.handler, 'tool#show': shows.handler });
      const server = await shop.listen({ limits: AT_ONCE });
      void shop.ask('{ tool(id: 5) { name } }');
      const read = await shows.take(0);
      const client = await depart(server.url, STAMP, headers);
      const write = await stamps.take(0);
      await client.leave();
      const closed = server.close();
      // Reads are aborted when the time is over.
      await read.abandoned;
      // The stub notices the end of other requests before it answers this one.
      await fetch(shop.upstream.url, { method: 'OPTIONS' });
      expect(write.isAbandoned).toBe(false);
      write.release();
      await closed;
      expect(write.isAbandoned).toBe(false);
    }
  });

  it('stops listening when it has no facade yet', async () => {
    const server = await openServer({ host: '127.0.0.1', port: 0 });
    expect((await fetch(`${server.origin}/ready`)).status).toBe(503);
    await server.close();
    await expect(fetch(`${server.origin}/ready`)).rejects.toThrow();
  });
});

describe('a facade that closes', () => {
  it('waits for a write under way', async () => {
    const stamps = holdAnswers(TOOL);
    await using shop = await openWorkshop({ 'tool#stamp': stamps.handler });
    const answer = shop.ask(STAMP);
    const write = await stamps.take(0);
    const closed = shop.facade.close();
    write.release();
    expect(await answer).toMatchObject({ data: { toolStamp: { tool: { name: 'saw' } } }, errors: [] });
    await closed;
    expect((await shop.ask(STAMP)).errors).toMatchObject(shuttingDown);
  });
});
