// Tests that requests and messages of clients take turns, and that what may not wait is refused at once.
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { Processor, type ThreadClock, type WaitingLimits } from '../../src/scheduling/processor.ts';
import { openWorkshop, type Workshop } from '../helpers/workshop.ts';

/** A thread that is busy until it is released: turns begin only when the test says so. */
class HeldThread implements ThreadClock {
  #time = 0;
  #calls: (() => void)[] = [];
  isHeld = false;

  now(): number {
    // A held thread is always busy for too long.
    if (this.isHeld) this.#time += 10;
    return this.#time;
  }

  afterEvents(call: () => void): void {
    if (this.isHeld) this.#calls.push(call);
    else setImmediate(call);
  }

  /** Gives the next turn. */
  next(): void {
    const calls = this.#calls;
    this.#calls = [];
    for (const call of calls) call();
  }

  release(): void {
    this.isHeld = false;
    this.next();
  }
}

/** A served workshop whose processor the test holds. */
async function openHeld(limits?: WaitingLimits) {
  const thread = new HeldThread();
  const processor = new Processor({ ...(limits && { limits }), clock: thread });
  const shop: Workshop = await openWorkshop({}, { shared: { processor } });
  const { url } = await shop.listen();
  const post = (query: string, address: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address, ...headers },
      body: JSON.stringify({ query }),
    });
  /** Keeps the processor busy from now on. */
  const hold = (): void => {
    thread.isHeld = true;
    void processor.takeTurn({ network: '10.0.0.9', key: 'other' });
  };
  return {
    thread,
    processor,
    hold,
    url,
    post,
    async [Symbol.asyncDispose]() {
      thread.release();
      await shop[Symbol.asyncDispose]();
    },
  };
}

async function openSocket(url: string, address: string) {
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', {
    headers: { 'x-forwarded-for': address },
  });
  const messages: { readonly type: string; readonly id?: string }[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  await once(socket, 'open');
  const send = (message: object): void => socket.send(JSON.stringify(message));
  send({ type: 'connection_init' });
  await expect.poll(() => messages.length).toBe(1);
  return { socket, messages, send, [Symbol.asyncDispose]: async () => socket.terminate() };
}

/** For a machine with much to do. */
const PATIENT = { timeout: 15_000 };

const QUERY = '{ __typename }';

describe('the requests of several clients', () => {
  it('take turns, whatever one client has sent before', async () => {
    await using held = await openHeld();
    const { thread, processor, post } = held;
    await post(QUERY, '10.0.0.1');
    held.hold();
    const order: string[] = [];
    const ask = async (address: string): Promise<void> => {
      const response = await post(QUERY, address);
      await response.text();
      order.push(address);
    };
    const many = Array.from({ length: 20 }, () => ask('10.0.0.1'));
    await expect.poll(() => processor.waiting).toBe(20);
    const one = ask('10.0.0.2');
    await expect.poll(() => processor.waiting).toBe(21);
    await expect
      .poll(
        () => {
          thread.next();
          return order.length;
        },
        { interval: 1 },
      )
      .toBe(21);
    await Promise.all([...many, one]);
    expect(order.indexOf('10.0.0.2')).toBeLessThanOrEqual(2);
  });

  it('are refused with the time to wait when too many wait', async () => {
    await using held = await openHeld({ requests: 4 });
    const { thread, processor, post, url } = held;
    await post(QUERY, '10.0.0.1');
    held.hold();
    const waiting = [post(QUERY, '10.0.0.1'), post(QUERY, '10.0.0.1')];
    await expect.poll(() => processor.waiting).toBe(2);
    const refused = await post(QUERY, '10.0.0.1');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({
      errors: [{ extensions: { code: 'COST_LIMIT_EXCEEDED', retryable: true, retryAfter: 1 } }],
    });
    waiting.push(post(QUERY, '10.0.0.2'), post(QUERY, '10.0.0.3'));
    await expect.poll(() => processor.waiting).toBe(4);
    const busy = await post(QUERY, '10.0.0.4');
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await busy.json()).toMatchObject({ errors: [{ extensions: { code: 'SERVER_BUSY' } }] });
    // By yoga, and for pages.
    for (const path of [`?query=${encodeURIComponent(QUERY)}`, '/examples.json']) {
      const page = await fetch(url + path, { headers: { 'x-forwarded-for': '10.0.0.4' } });
      expect([page.status, page.headers.get('retry-after')]).toEqual([503, '1']);
    }
    thread.release();
    for (const response of await Promise.all(waiting)) expect(response.status).toBe(200);
  });

  it('leave the queue with their clients', async () => {
    await using held = await openHeld();
    const { processor, url } = held;
    held.hold();
    const leaving = new AbortController();
    const asked = fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: QUERY }),
      signal: leaving.signal,
    });
    await expect.poll(() => processor.waiting).toBe(1);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(() => processor.waiting).toBe(0);
  });
});

describe('the messages of a WebSocket', () => {
  it('are handled one for each turn', async () => {
    await using held = await openHeld();
    const { thread, processor, post, url } = held;
    await using client = await openSocket(url, '10.0.0.1');
    held.hold();
    for (let id = 0; id < 50; id += 1)
      client.send({ id: String(id), type: 'subscribe', payload: { query: QUERY } });
    await expect.poll(() => processor.waiting).toBe(1);
    let hasAnswer = false;
    const other = post(QUERY, '10.0.0.2').then(async (response) => {
      await response.text();
      hasAnswer = true;
    });
    await expect.poll(() => processor.waiting).toBe(2);
    await expect
      .poll(
        () => {
          thread.next();
          return hasAnswer;
        },
        { interval: 1 },
      )
      .toBe(true);
    expect(client.messages.length).toBeLessThan(25);
    thread.release();
    await other;
    await expect.poll(() => client.messages.filter(({ type }) => type === 'complete').length).toBe(50);
    const ids = client.messages.filter(({ type }) => type === 'next').map(({ id }) => Number(id));
    expect(new Set(ids).size).toBe(50);
  });

  it('are not read while one of them waits', async () => {
    await using held = await openHeld();
    const { thread, processor, url } = held;
    await using client = await openSocket(url, '10.0.0.1');
    held.hold();
    client.send({ id: 'first', type: 'subscribe', payload: { query: QUERY } });
    await expect.poll(() => processor.waiting).toBe(1);
    const complete = JSON.stringify({ type: 'complete', id: 'x'.repeat(80), payload: 'x'.repeat(900_000) });
    let sent = 0;
    for (let count = 0; count < 40; count += 1)
      client.socket.send(complete, () => {
        sent += 1;
      });
    // The kernel takes some megabytes.
    let last = -1;
    const isBlocked = (): boolean => {
      const before = last;
      last = sent;
      return sent > 0 && sent === before;
    };
    await expect.poll(isBlocked, { interval: 200, timeout: 15_000 }).toBe(true);
    expect(sent).toBeLessThan(40);
    expect(client.socket.bufferedAmount).toBeGreaterThan(0);
    thread.release();
    await expect.poll(() => client.messages.some(({ type }) => type === 'complete'), PATIENT).toBe(true);
    await expect.poll(() => sent, PATIENT).toBe(40);
  });
});
