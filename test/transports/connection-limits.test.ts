// Tests that no client can occupy the server by connections, by not reading or by not sending.
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import type { TransportLimits } from '../../src/operation/limits.ts';
import { connectRaw, type RawConnection } from '../helpers/raw-http.ts';
import { openWorkshop, type Workshop } from '../helpers/workshop.ts';

const PAGE = 'GET /graphql HTTP/1.1\r\nhost: localhost\r\naccept: text/html\r\n\r\n';
const HALF =
  'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900000\r\n\r\n{';
const PROGRESS = 'subscription { actionProgress(id: 500) { current } }';

const opened: RawConnection[] = [];
afterEach(() => {
  for (const { socket } of opened.splice(0)) socket.destroy();
});

/** Opens connections that send a text each. The client reads nothing more when `isRead` is false. */
async function openMany(url: string, count: number, text: string, isRead = true): Promise<RawConnection[]> {
  const connections = await Promise.all(Array.from({ length: count }, () => connectRaw(url)));
  opened.push(...connections);
  for (const { socket } of connections) {
    if (!isRead) socket.pause();
    socket.write(text);
  }
  return connections;
}

const listen = (shop: Workshop, limits: Partial<TransportLimits>) =>
  shop.listen({ limits: { transport: limits } });

/** Waits until as many of these connections have closed. */
async function untilClosed(connections: readonly RawConnection[], count: number): Promise<void> {
  let closed = 0;
  for (const one of connections) void one.closed.then(() => (closed += 1));
  await expect.poll(() => closed, { timeout: 15_000 }).toBe(count);
}

const statusesOf = ({ text }: RawConnection) =>
  [...text().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

const load = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { headers: { accept: 'text/html', ...headers } });

/** The addresses of the files that the explorer's page names. */
async function filesOf(url: string): Promise<readonly string[]> {
  const html = await (await load(url)).text();
  return [...html.matchAll(/(?:src|href)="([^":]+)"/g)].map(([, path = '']) => new URL(path, url).href);
}

/** The largest file of the explorer, and a request for it. It has more than 1.5 million bytes. */
async function largestFile(url: string): Promise<{ readonly file: string; readonly request: string }> {
  const sizes = await Promise.all(
    (await filesOf(url)).map(async (file) => {
      const { headers } = await load(file, { 'accept-encoding': 'identity' });
      return [Number(headers.get('content-length')), file] as const;
    }),
  );
  const [[size, file] = [0, '']] = sizes.sort(([a], [b]) => b - a);
  expect(size).toBeGreaterThan(1_500_000);
  return { file, request: `GET ${new URL(file).pathname} HTTP/1.1\r\nhost: localhost\r\n\r\n` };
}

describe('a connection', () => {
  it('whose client does not read a page is closed', async () => {
    await using shop = await openWorkshop();
    const { url } = await listen(shop, { checkInterval: 20, stallTimeout: 50, minimumRate: 1_000_000 });
    const { request } = await largestFile(url);
    const connections = await openMany(url, 5, request.repeat(3), false);
    // A paused socket does not notice that it has been closed until it sends.
    const probing = setInterval(() => {
      for (const { socket } of connections) socket.write('\r\n');
    }, 100);
    onTestFinished(() => clearInterval(probing));
    await untilClosed(connections, 5);
  });

  it('is announced to end with the last of a number of requests', async () => {
    await using shop = await openWorkshop();
    const { url } = await listen(shop, { requestsOfConnection: 2 });
    const [connection] = await openMany(url, 1, 'GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(2));
    await expect
      .poll(() => connection?.text().match(/^connection: .*(?=\r)/gim))
      .toEqual(['Connection: keep-alive', 'Connection: close']);
  });

  it('whose client does not complete the body or the headers is closed', async () => {
    await using shop = await openWorkshop();
    const { url } = await listen(shop, { checkInterval: 20, headersTimeout: 50, requestTimeout: 100 });
    const connections = [
      ...(await openMany(url, 3, HALF)),
      ...(await openMany(url, 3, 'GET / HTTP/1.1\r\nhost:')),
      ...(await openMany(url, 3, '')),
    ];
    await untilClosed(connections, 9);
  });

  it('is closed without an end of its stream when the stream is old, so that its client connects again', async () => {
    await using shop = await openWorkshop();
    const { url } = await listen(shop, { checkInterval: 20, lifetime: 1_500 });
    const body = JSON.stringify({ query: PROGRESS });
    const head = `POST /graphql HTTP/1.1\r\nhost: localhost\r\nx-library-token: one\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    const [stream] = await openMany(url, 1, head + body);
    await stream?.closed;
    expect(stream?.text()).toContain('event: next');
    expect(stream?.text()).not.toContain('event: complete');
    await shop.actions.waitForOpenPolls(0);
  });

  it('that is idle after a response is closed', async () => {
    await using shop = await openWorkshop();
    const { url } = await listen(shop, { keepAliveTimeout: 50 });
    await untilClosed(await openMany(url, 1, 'GET /ready HTTP/1.1\r\nhost: localhost\r\n\r\n'), 1);
  });

  it('with too many requests in progress is closed', async () => {
    await using shop = await openWorkshop();
    const { url } = await listen(shop, { pipelined: 3 });
    const [allowed] = await openMany(url, 1, PAGE.replace('text/html', 'x').repeat(3));
    await expect.poll(() => allowed && statusesOf(allowed)).toHaveLength(3);
    await untilClosed(await openMany(url, 1, PAGE.repeat(50)), 1);
  });

  it('beyond the limit of all connections, or of one address, is closed', async () => {
    await using shop = await openWorkshop({}, { trustedProxies: [] });
    const all = await listen(shop, { connections: 3 });
    await untilClosed(await openMany(all.url, 5, ''), 2);
    const ofOne = await listen(shop, { connectionsOfAddress: 2 });
    await untilClosed(await openMany(ofOne.url, 5, ''), 3);
  });

  it('of a trusted proxy is not limited, but the requests of each client behind it are', async () => {
    await using shop = await openWorkshop();
    const { url } = await listen(shop, { connectionsOfAddress: 1, requestsOfAddress: 2 });
    const post = (client: string) =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'text/event-stream',
          'x-library-token': 'one',
          'x-forwarded-for': client,
        },
        body: JSON.stringify({ query: PROGRESS }),
        signal: leave.signal,
      });
    const leave = new AbortController();
    const upgrade = (client: string) =>
      new Promise((resolve) => {
        const headers = { 'x-forwarded-for': client };
        const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', { headers });
        leave.signal.addEventListener('abort', () => socket.terminate());
        socket.on('open', () => resolve(101));
        socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
        socket.on('error', () => undefined);
      });
    expect(await upgrade('192.0.2.1')).toBe(101);
    expect((await post('192.0.2.1')).status).toBe(200);
    expect((await post('192.0.2.1')).status).toBe(429);
    expect(await upgrade('192.0.2.1')).toBe(429);
    expect((await post('192.0.2.2')).status).toBe(200);
    leave.abort();
    await shop.actions.waitForOpenPolls(0);
    await expect.poll(() => upgrade('192.0.2.1')).toBe(101);
  });

  it('with the most unread bytes is closed if all together have too many', async () => {
    await using shop = await openWorkshop();
    const { url } = await listen(shop, { checkInterval: 20, heldBytes: 250_000 });
    const [small] = await openMany(url, 1, `${HALF}${'x'.repeat(10_000)}`);
    const large = await openMany(url, 3, `${HALF}${'x'.repeat(100_000)}`);
    await untilClosed(large, 1);
    expect(small?.socket.destroyed).toBe(false);
  });
});

describe('the explorer', () => {
  it('is sent in parts, and the server holds at most one part for each client', async () => {
    await using shop = await openWorkshop();
    const { url } = await listen(shop, { checkInterval: 20, heldBytes: 21 * 131_072 });
    const { file, request } = await largestFile(url);
    const slow = await openMany(url, 20, request, false);
    for (let times = 0; times < 3; times += 1)
      expect((await (await load(file)).arrayBuffer()).byteLength).toBeGreaterThan(1_500_000);
    for (const { socket } of slow) socket.resume();
    const lengths = () => slow.map(({ text }) => text().length > 1_500_000);
    await expect.poll(lengths, { timeout: 15_000 }).toEqual(slow.map(() => true));
  });

  it('is a small page, which is not sent again to browsers that have it, and cannot be framed', async () => {
    await using shop = await openWorkshop();
    const { url } = await listen(shop, {});
    for (const encoding of ['br', 'gzip', 'identity', 'br;q=0, gzip;q=0.5']) {
      const page = await load(url, { 'accept-encoding': encoding });
      const text = await page.text();
      expect(text).toContain('id="optiongraph-config"');
      expect(text.length).toBeLessThan(5_000);
      const etag = page.headers.get('etag') ?? '';
      const again = await load(url, { 'accept-encoding': encoding, 'if-none-match': etag });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    const { headers } = await load(url);
    const policy = headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('same-origin');
  });

  it('has files that browsers keep for ever, compressed ahead', async () => {
    await using shop = await openWorkshop();
    const { url } = await listen(shop, {});
    const files = await filesOf(url);
    expect(files.length).toBeGreaterThan(3);
    let total = 0;
    for (const file of files) {
      const sizes = await Promise.all(
        ['br', 'gzip', 'identity'].map(async (encoding) => {
          const response = await fetch(file, { headers: { 'accept-encoding': encoding } });
          expect(response.status).toBe(200);
          expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
          return Number(response.headers.get('content-length'));
        }),
      );
      // Nothing makes the smallest files smaller.
      if (Math.max(...sizes) > 200) expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
      expect(sizes[0]).toBeGreaterThan(0);
      total += sizes[0] ?? 0;
    }
    expect(total, 'what the first visit loads').toBeLessThan(1_250_000);
    const missing = await fetch(`${url}/assets/..%2Fmanifest.json`);
    expect(missing.status).toBe(404);
  });

  it('is where the root leads browsers, and other clients are told where GraphQL is', async () => {
    await using shop = await openWorkshop();
    const { url } = await listen(shop, {});
    const root = new URL('/', url).href;
    const response = await fetch(root, { headers: { accept: 'text/html' }, redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([303, '/graphql']);
    for (const [path, status] of [
      ['', 200],
      ['elsewhere', 404],
    ] as const) {
      const told = await fetch(root + path);
      expect([told.status, await told.text()]).toEqual([
        status,
        expect.stringContaining('GraphQL is at /graphql: '),
      ]);
    }
  });
});
