// Tests that nothing keeps running after clients have disconnected.
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { shareWorkshop } from '../helpers/shared-api.ts';
import { ok } from '../helpers/stub-upstream.ts';
import { post } from '../helpers/transports.ts';

const shop = shareWorkshop();

const PROGRESS = 'subscription { actionProgress(id: 500) { current } }';
const headers = { 'x-library-token': 'one' };

describe('the facade stops all work', () => {
  it('for a subscription whose client accepts no streaming media type', async () => {
    for (const accept of ['application/json', 'text/plain']) {
      expect((await post(shop.url, { query: PROGRESS }, { ...headers, accept })).status).toBe(406);
    }
    await expect.poll(() => [shop.facade.watcher.watched, shop.actions.openPolls]).toEqual([0, 0]);
  });

  it('for clients that disconnect while their sessions open', async () => {
    shop.upstream.onOptions = () => (response) => void setTimeout(() => ok({ resources: {} })(response), 100);
    const leaving = Array.from({ length: 5 }, async (_, index) => {
      const leave = new AbortController();
      const own = { ...headers, 'x-library-token': `new ${index}`, accept: 'text/event-stream' };
      const response = post(shop.url, { query: PROGRESS }, own, leave.signal).catch(() => undefined);
      await pause(20);
      leave.abort();
      await response;
    });
    await Promise.all(leaving);
    await pause(300);
    expect([shop.facade.watcher.watched, shop.actions.openPolls]).toEqual([0, 0]);
  });

  it('when a socket is reset during an upgrade of an unknown path', async () => {
    const server = await shop.listen();
    const { port } = new URL(server.url);
    for (let time = 0; time < 5; time += 1) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(
        'GET /elsewhere HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-key: x\r\n\r\n',
      );
      await pause(5);
      socket.resetAndDestroy();
    }
    await pause(50);
    expect((await shop.ask('{ tool(id: 5) { name } }')).errors).toEqual([]);
  });
});

describe('many subscribers', () => {
  it('do not delay other requests, because polls have their own connections and a common limit', async () => {
    for (let id = 600; id < 620; id += 1) shop.actions.set({ id });
    const ids = JSON.stringify(Array.from({ length: 20 }, (_, index) => 600 + index));
    const leave = new AbortController();
    const query = `subscription { actionProgressMany(ids: ${ids}) { id } }`;
    const streams = Array.from({ length: 12 }, (_, caller) => {
      const own = { 'x-library-token': `caller ${caller}`, accept: 'text/event-stream' };
      return post(shop.url, { query }, own, leave.signal);
    });
    await Promise.all(streams);
    await expect.poll(() => shop.actions.openPolls, { timeout: 10_000 }).toBe(64);
    expect((await shop.ask('{ tool(id: 5) { name } }', { token: 'another' })).errors).toEqual([]);
    leave.abort();
    await expect.poll(() => shop.actions.openPolls).toBe(0);
    await Promise.allSettled(streams.map(async (stream) => (await stream).body?.cancel()));
  });

  it('of an action that changes constantly poll it at most ten times a second', async () => {
    let current = 0;
    shop.upstream.handlers.set('action_state#poll', () => {
      current += 1;
      return ok({
        action_state: { id: 500, label: 'x', finished: false, status: true, current, total: 1_000_000 },
      });
    });
    const leave = new AbortController();
    const own = { ...headers, accept: 'text/event-stream' };
    const begunAt = performance.now();
    await post(shop.url, { query: PROGRESS }, own, leave.signal);
    await pause(550);
    leave.abort();
    expect(current).toBeGreaterThan(1);
    expect(current).toBeLessThanOrEqual((performance.now() - begunAt) / 100 + 2);
  });
});
