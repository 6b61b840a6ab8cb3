// Tests which hosts requests may name, so that no page whose name points at the server (DNS rebinding) gets anything from it.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMetricsServer } from '../../../src/plugins/metrics/metrics.ts';
import { ServedHosts } from '../../../src/server/http/served-hosts.ts';
import type { ListenOptions } from '../../../src/server/server.ts';
import { exchange } from '../../helpers/raw-http.ts';
import { openTelemetry, type Telemetry } from '../../helpers/telemetry.ts';
import { openWorkshop, type Workshop } from '../../helpers/workshop.ts';

const BODY = JSON.stringify({ query: '{ __typename }' });
const UPGRADE = [
  'connection: upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol: graphql-transport-ws',
];
const POST = ['content-type: application/json', `content-length: ${BODY.length}`];

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request by hand, and closes the connection when the head of the answer is there. */
async function send(url: string, lines: readonly string[], body = ''): Promise<Answer> {
  const text = await exchange(url, `${lines.join('\r\n')}\r\nconnection: close\r\n\r\n${body}`);
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text };
}

const post = (url: string, host: string) =>
  send(url, ['POST /graphql HTTP/1.1', `host: ${host}`, ...POST], BODY);
const get = (url: string, host: string, path: string) => send(url, [`GET ${path} HTTP/1.1`, `host: ${host}`]);

/** Asks for a WebSocket, whose acceptance leaves the connection open. */
async function upgrade(url: string, host: string, ...more: readonly string[]): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`${['GET /graphql HTTP/1.1', `host: ${host}`, ...UPGRADE, ...more].join('\r\n')}\r\n\r\n`);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d+)/.exec(String(chunk))?.[1]);
}

const LOCAL = [
  'localhost',
  'LocalHost:4000',
  'localhost.',
  '127.0.0.1:1',
  '127.1.2.3',
  '[::1]:4000',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
];
const FOREIGN = [
  'evil.example',
  'evil.example:4000',
  'localhost.evil.example',
  'evil.localhost',
  '127.0.0.1.evil.example',
  '192.0.2.1',
  '[2001:db8::1]',
  '0.0.0.0',
  'localhostx',
];
const PUBLIC = ['graph.example', 'GRAPH.example.', 'graph.example:8443'];
const LISTED = ['other.example', '[2001:db8::2]:4000'];

const SERVERS: readonly (readonly [
  name: string,
  listen: Partial<ListenOptions>,
  publicUrl: string | null,
  served: readonly string[],
  foreign: readonly string[],
])[] = [
  ['at a loopback address', {}, null, [...LOCAL, '127.0.0.1'], [...FOREIGN, ...PUBLIC, ...LISTED]],
  ['with a public URL', {}, 'https://graph.example', [...LOCAL, ...PUBLIC], [...FOREIGN, ...LISTED]],
  [
    'with a list, for the network',
    { host: '0.0.0.0', allowedHosts: ['Other.example', '[2001:db8::2]'] },
    null,
    [...LOCAL, ...LISTED],
    [...FOREIGN, ...PUBLIC],
  ],
  [
    'with a list and a public URL',
    { allowedHosts: ['other.example', '[2001:db8::2]'] },
    'https://graph.example',
    [...LOCAL, ...PUBLIC, ...LISTED],
    FOREIGN,
  ],
  ['for the network', { host: '0.0.0.0' }, null, [...LOCAL, ...FOREIGN], []],
  ['for any host', { allowedHosts: ['*'] }, null, [...LOCAL, ...FOREIGN], []],
];

describe.each(SERVERS)('a server %s', (_name, listen, publicUrl, served, foreign) => {
  let telemetry: Telemetry;
  let shop: Workshop;
  let url: string;
  beforeAll(async () => {
    telemetry = openTelemetry();
    shop = await openWorkshop({}, { ...telemetry.options, pages: { publicUrl } });
    const server = await shop.listen(listen);
    url = server.url.replace('0.0.0.0', '127.0.0.1');
  });
  afterAll(async () => shop[Symbol.asyncDispose]());

  it.each(served)('serves %s', async (host) => {
    const text = expect.stringContaining('"__typename":"Query"');
    expect(await post(url, host)).toMatchObject({ status: 200, text });
    expect(await upgrade(url, host)).toBe(101);
  });

  it.each(foreign)('refuses %s, whatever is asked for', async (host) => {
    const answer = await post(url, host);
    expect(answer.status).toBe(421);
    expect(JSON.parse(/\{.*\}/.exec(answer.text)?.[0] ?? '')).toEqual({
      errors: [
        {
          message: `This server does not serve the host ${JSON.stringify(host)}; its operator can list it in allowedHosts.`,
          extensions: { code: 'FORBIDDEN', retryable: false },
        },
      ],
    });
    for (const path of ['/graphql', '/auth/login', '/nowhere', '/readyz/x'])
      expect((await get(url, host, path)).status).toBe(421);
    expect(await upgrade(url, host)).toBe(421);
    expect(await upgrade(url, host, `origin: http://${host}`)).toBe(421);
  });

  it.each([...served, ...foreign])('answers health checks at %s', async (host) => {
    for (const path of ['/livez', '/health', '/readyz', '/ready', '/readyz?verbose'])
      expect((await get(url, host, path)).status).toBe(200);
  });

  it('serves HTTP/1.0 without a host, as no browser sends it', async () => {
    expect((await send(url, ['POST /graphql HTTP/1.0', ...POST], BODY)).status).toBe(200);
  });

  it('logs the first refusal, and counts all', async () => {
    const counted = (await telemetry.values())['optiongraph_refusals_total{reason="HOST"}'];
    // Each host has sent a POST, four GETs and two upgrades.
    expect(counted).toBe(foreign.length === 0 ? undefined : foreign.length * 7);
    const lines = telemetry.lines('refusal');
    expect(lines).toHaveLength(foreign.length === 0 ? 0 : 1);
    if (foreign.length > 0)
      expect(lines[0]).toEqual({
        level: 'warn',
        msg: 'a request for another host was refused with 421; if clients use this name, list it in allowedHosts',
        host: foreign[0],
        address: '127.0.0.1',
        hits: 1,
        total: 1,
      });
  });
});

it('the name at which a server is told to listen is served', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const hosts = new ServedHosts(server, { host: 'Graph.internal' });
  expect(hosts.find({ headers: { host: 'graph.internal:4000' } })).toBe('served');
  expect(hosts.find({ headers: { host: 'other.internal' } })).toBe('foreign');
  server.close();
});

it('an upgrade with a malformed or repeated host is refused', async () => {
  await using shop = await openWorkshop();
  const { url } = await shop.listen();
  for (const host of ['a b', 'localhost/x', 'localhost\r\nhost: evil.example'])
    expect(await upgrade(url, host)).toBe(400);
});

it('the port of metrics at a loopback address serves its own hosts only', async () => {
  const { metrics } = openTelemetry();
  const server = await openMetricsServer(metrics, { host: '127.0.0.1', port: 0 });
  for (const host of LOCAL) expect((await get(server.url, host, '/metrics')).status).toBe(200);
  for (const host of FOREIGN) expect((await get(server.url, host, '/metrics')).status).toBe(421);
  await server.close();
  const open = await openMetricsServer(metrics, { host: '0.0.0.0', port: 0 });
  for (const host of FOREIGN)
    expect((await get(open.url.replace('0.0.0.0', '127.0.0.1'), host, '/metrics')).status).toBe(200);
  await open.close();
});
