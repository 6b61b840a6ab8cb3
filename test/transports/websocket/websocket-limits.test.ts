// Tests that no client can occupy the server by WebSocket messages.
import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import WebSocket from 'ws';
import { DEFAULT_LIMITS, type TransportLimits } from '../../../src/operation/limits.ts';
import { SocketLimits } from '../../../src/transports/websocket/socket-limits.ts';
import { openWorkshop, type Workshop } from '../../helpers/workshop.ts';

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly payload?: unknown;
}

/** Opens a WebSocket and, with `isInit`, waits for the acknowledgement. */
async function open(shop: Workshop, limits: Partial<TransportLimits>, isInit = true) {
  const { url } = await shop.listen({ limits: { transport: limits } });
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws');
  const messages: Message[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  socket.on('error', () => undefined);
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  const send = (message: object): void => socket.send(JSON.stringify(message));
  await once(socket, 'open');
  if (isInit) {
    send({ type: 'connection_init', payload: { 'x-library-token': 'one' } });
    await expect.poll(() => messages.length).toBe(1);
  }
  return { socket, messages, closed, send, [Symbol.asyncDispose]: async () => socket.terminate() };
}

afterEach(() => void vi.useRealTimers());

describe('a WebSocket', () => {
  it('whose connection_init waits for its turn is not late', () => {
    vi.useFakeTimers();
    const closed: number[] = [];
    const control = {
      close: (code: number) => closed.push(code),
      pause: () => undefined,
      resume: () => undefined,
    };
    const socket = Object.assign(new EventEmitter(), control) as unknown as WebSocket;
    const limits = new SocketLimits(socket, new PassThrough(), {
      ...DEFAULT_LIMITS.transport,
      initTimeout: 1_000,
    });
    limits.isWaiting = true;
    vi.advanceTimersByTime(5_500);
    expect(closed).toEqual([]);
    limits.isWaiting = false;
    vi.advanceTimersByTime(1_000);
    expect(closed).toEqual([4408]);
    socket.emit('close');
  });

  it('gets no pong for a ping with a large payload, and is closed', async () => {
    await using shop = await openWorkshop();
    for (const type of ['ping', 'pong']) {
      await using other = await open(shop, {});
      other.send({ type, payload: { text: 'x'.repeat(5_000) } });
      expect(await other.closed).toBe(4400);
      expect(other.messages).toHaveLength(1);
    }
    await using client = await open(shop, {});
    client.send({ type: 'ping', payload: { text: 'x'.repeat(4_000) } });
    await expect.poll(() => client.messages.at(-1)?.type).toBe('pong');
  });

  it('that sends much before connection_init is closed', async () => {
    await using shop = await openWorkshop();
    const large = { 'x-library-token': 'x'.repeat(70_000) };
    await using init = await open(shop, {}, false);
    init.send({ type: 'connection_init', payload: large });
    expect(await init.closed).toBe(1009);
    expect(init.messages).toEqual([]);
    await using pings = await open(shop, {}, false);
    for (let count = 0; count < 100; count += 1)
      pings.send({ type: 'ping', payload: { text: 'x'.repeat(900) } });
    expect(await pings.closed).toBe(1009);
    await using part = await open(shop, {}, false);
    part.socket.send('{'.repeat(70_000), { fin: false });
    expect(await part.closed).toBe(1009);
  });

  it('is not read while its client does not read the responses', async () => {
    await using shop = await openWorkshop();
    await using client = await open(shop, { unreadBytes: 100_000, pingInterval: 600_000 });
    client.socket.pause();
    const ping = JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(4_000) } });
    const send = (): Promise<unknown> => new Promise((resolve) => client.socket.send(ping, resolve));
    let sent = 0;
    let isBlocked = false;
    // The kernel takes some megabytes before the client cannot send more.
    while (!isBlocked && sent < 40_000) {
      for (let count = 0; count < 99; count += 1) void send();
      const wait = new Promise((resolve) => setTimeout(resolve, 1_000, 'blocked'));
      isBlocked = (await Promise.race([send(), wait])) === 'blocked';
      sent += 100;
    }
    expect(isBlocked).toBe(true);
    client.socket.resume();
    client.send({ id: '1', type: 'subscribe', payload: { query: '{ __typename }' } });
    await expect
      .poll(() => client.messages.some(({ type }) => type === 'next'), { timeout: 15_000 })
      .toBe(true);
    expect(client.messages.filter(({ type }) => type === 'pong')).toHaveLength(sent);
  });

  it('whose client reads no results is closed', async () => {
    await using shop = await openWorkshop();
    const reading = { stallTimeout: 100, minimumRate: 100_000_000, checkInterval: 20 };
    const limits = { ...reading, unreadBytes: 10_000, pingInterval: 600_000 };
    await using client = await open(shop, limits);
    client.socket.pause();
    const query = `{ ${Array.from({ length: 90 }, (_, index) => `a${'x'.repeat(200)}${index}: __typename`).join(' ')} }`;
    // A paused client notices the end of its connection when it sends.
    let isClosed = false;
    let id = 0;
    const send = (): void => {
      id += 1;
      const message = JSON.stringify({ id: String(id), type: 'subscribe', payload: { query } });
      client.socket.send(message, (error) => {
        isClosed ||= error instanceof Error;
      });
    };
    const sending = setInterval(() => Array.from({ length: 10 }, send), 50);
    onTestFinished(() => clearInterval(sending));
    await expect.poll(() => isClosed, { timeout: 15_000 }).toBe(true);
    clearInterval(sending);
    client.socket.resume();
    expect(await client.closed).toBe(1006);
  });

  it('with a long operation id is closed', async () => {
    await using shop = await openWorkshop();
    await using client = await open(shop, {});
    client.send({ id: 'é'.repeat(46), type: 'subscribe', payload: { query: '{ __typename }' } });
    expect(await client.closed).toBe(4400);
    expect(client.messages).toHaveLength(1);
  });

  it('forgets operations that fail before they begin', async () => {
    await using shop = await openWorkshop();
    await using client = await open(shop, { operations: 3 });
    const answers = () => client.messages.filter(({ type }) => type === 'error' || type === 'complete');
    for (let id = 1; id <= 10; id += 1) {
      client.send({ id: String(id), type: 'subscribe', payload: { query: '{ nothing }' } });
      await expect.poll(() => answers().length).toBe(id);
    }
    client.send({ id: 'last', type: 'subscribe', payload: { query: '{ __typename }' } });
    await expect.poll(answers).toContainEqual({ id: 'last', type: 'complete' });
  });

  it('has a limited number of operations in progress', async () => {
    await using shop = await openWorkshop();
    await using client = await open(shop, { operations: 2 });
    const query = 'mutation { toolSharpen(id: 5, wait: 50) { actionState { id } } }';
    for (const id of ['1', '2', '3']) client.send({ id, type: 'subscribe', payload: { query } });
    await expect
      .poll(() => client.messages.at(-1))
      .toMatchObject({ id: '3', type: 'error', payload: [{ extensions: { code: 'COST_LIMIT_EXCEEDED' } }] });
  });

  it('has a limited size of operations in progress', async () => {
    await using shop = await openWorkshop();
    await using client = await open(shop, { operationsSize: 10_000 });
    const query = 'mutation { toolSharpen(id: 5, wait: 50) { actionState { id } } }';
    const subscribe = (id: string): void =>
      client.send({ id, type: 'subscribe', payload: { query: `${query} #${'x'.repeat(6_000)}` } });
    for (const id of ['1', '2']) subscribe(id);
    await expect
      .poll(() => client.messages.at(-1), { timeout: 10_000 })
      .toMatchObject({ id: '2', type: 'error', payload: [{ extensions: { code: 'COST_LIMIT_EXCEEDED' } }] });
  });

  it('counts no subscription as another operation, even if many are sent before the first session is open', async () => {
    await using shop = await openWorkshop();
    await using client = await open(shop, {});
    const query = 'subscription { actionProgress(id: 500) { id } }';
    for (let id = 1; id <= 300; id += 1)
      client.send({ id: String(id), type: 'subscribe', payload: { query } });
    await expect.poll(() => client.messages.length, { timeout: 10_000 }).toBe(301);
    expect(client.messages.slice(1).filter(({ type }) => type !== 'next')).toEqual([]);
  });

  it('has a limited number of operations with its subscriptions', async () => {
    await using shop = await openWorkshop();
    await using client = await open(shop, { operations: 1, streams: 2 });
    const query = 'subscription { actionProgress(id: 500) { id } }';
    for (const id of ['1', '2', '3', '4']) client.send({ id, type: 'subscribe', payload: { query } });
    await expect.poll(() => client.messages.length).toBe(5);
    expect(client.messages.filter(({ type }) => type === 'error')).toMatchObject([
      { id: '4', payload: [{ extensions: { code: 'COST_LIMIT_EXCEEDED' } }] },
    ]);
  });

  it('is closed at the end of its lifetime, so that its client connects again', async () => {
    await using shop = await openWorkshop();
    await using client = await open(shop, { lifetime: 200 });
    expect(await client.closed).toBe(1001);
  });

  it('with a message above the limit is closed', async () => {
    await using shop = await openWorkshop();
    await using client = await open(shop, {});
    client.socket.send('x'.repeat(1_000_001));
    expect(await client.closed).toBe(1009);
  });
});
