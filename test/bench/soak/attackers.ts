// Clients that mean harm: costly documents, floods, slow readers, half-sent requests, odd hosts and wrong credentials.
import { randomBytes } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { getIntrospectionQuery } from 'graphql';
import { request } from 'undici';
import WebSocket from 'ws';
import { createNewUsersAttack, FLOODS } from './floods.ts';
import { type Attack, type Client, type Load, pick, randomInt } from './load.ts';

/** Connections that slow readers, and senders of half requests, hold at a time. */
const HELD = 40;

const nest = (depth: number, open: string, inner: string): string =>
  open.repeat(depth) + inner + '}'.repeat(depth);

const selection = getIntrospectionQuery()
  .replace(/^[^{]*\{/, '')
  .replace(/\}\s*fragment FullType/, ' fragment FullType');
const [introspection = '', fragments = ''] = selection.split(/(?= fragment FullType)/);

/** Documents that are deep, wide, many times the same, or go in circles. */
const DOCUMENTS: readonly (() => string)[] = [
  () => `{ __schema { types ${nest(400, '{ ofType ', '{ name }')} } }`,
  () => nest(3_000, '{ a ', '{ b }'),
  () => `{ ${'session { authenticated } '.repeat(8_000)} }`,
  () => `{ ${Array.from({ length: 3_000 }, (_, n) => `a${n}: session { authenticated }`).join(' ')} }`,
  () =>
    `{ ...F0 } ${Array.from({ length: 1_000 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`).join(' ')} fragment F1000 on Query { __typename }`,
  () =>
    `{ ...F0 } ${Array.from({ length: 40 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`).join(' ')} fragment F40 on Query { __typename }`,
  () => '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
  () => `{ __typename ${'@skip(if: false) '.repeat(5_000)} }`,
  () =>
    `query { ${Array.from({ length: 100 }, (_, n) => introspection.replace('__schema', `a${n}: __schema`)).join(' ')} } ${fragments}`,
  () =>
    `{ __schema { types { fields { type { fields { type { fields { type { fields { type { name } } } } } } } } } } }`,
  () => `query (${Array.from({ length: 3_000 }, (_, n) => `$v${n}: Int`).join(' ')}) { __typename }`,
  () => `{ node(id: "${'x'.repeat(900_000)}") { id } }`,
  () => `{ ${'#'.repeat(900_000)}\n __typename }`,
  () =>
    `{ datasets(first: 1000) { nodes { snapshots(first: 1000) { nodes { dataset { snapshots(first: 1000) { nodes { id } } } } } } } }`,
  () =>
    `{ ${Array.from({ length: 90 }, (_, n) => `a${n}: datasets(first: 10) { nodes { snapshots(first: 5) { nodes { id } } } }`).join(' ')} }`,
];

/** Costly documents. */
const sendDocuments: Attack = async (load, client) => {
  const startedAt = Date.now();
  const { errors } = await load.ask(client, pick(DOCUMENTS)());
  const codes = new Set(errors.map(({ extensions }) => extensions?.code ?? 'no code'));
  if (codes.has('INTERNAL')) load.noteErrors(client.role, errors, startedAt);
  load.count(client.role, codes.size === 0 ? 'documents answered' : `documents with ${[...codes].join()}`);
};

/** Floods of Ping messages and ping frames of a client that reads nothing of their answers. */
const floodPings: Attack = async (load, client) => {
  await using flood = await openWebSocket(load, client);
  const { socket } = flood;
  socket.send(JSON.stringify({ type: 'connection_init' }));
  socket.pause();
  const ping = JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(4_000) } });
  for (let n = 0; n < 3_000 && socket.readyState === WebSocket.OPEN; n += 1) {
    socket.send(ping);
    socket.ping(Buffer.alloc(120));
    if (n % 100 === 0) await pause(5);
  }
  await pause(1_000);
  load.count(client.role, 'ping floods');
};

/** WebSockets that never begin, or begin with what is no message. */
const openSilentWebSockets: Attack = async (load, client) => {
  await using silent = await openWebSocket(load, client);
  await using odd = await openWebSocket(load, client);
  odd.socket.send(
    pick(['{', '[]', '{"type":"subscribe"}', 'x'.repeat(70_000), '{"type":"complete","id":1}']),
  );
  await Promise.race([silent.closed, pause(5_000)]);
  load.count(client.role, 'silent WebSockets');
};

/** Reads nothing of the explorer's page. */
const readSlowly: Attack = (load, client) =>
  holdConnections(
    load,
    client,
    'slow readers',
    (host) => `GET /graphql HTTP/1.1\r\nhost: ${host}\r\naccept: text/html\r\n\r\n`,
  );

/** Begins requests and never ends them. */
const sendHalf: Attack = (load, client) =>
  holdConnections(load, client, 'half requests', (host) =>
    pick([
      `POST /graphql HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: 900000\r\n\r\n{"query":"${'x'.repeat(20_000)}`,
      `POST /graphql HTTP/1.1\r\nhost: ${host}\r\n`,
      '',
    ]),
  );

/** Requests with malformed addresses and pipelines. */
const sendOddRequests: Attack = async (load, { role }) => {
  const heads = [
    'GET / HTTP/1.1\r\nhost: a b\r\n\r\n',
    'GET /graphql HTTP/1.1\r\nhost: [::1\r\n\r\n',
    'GET /graphql HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n',
    'GET graphql HTTP/1.1\r\nhost: localhost\r\n\r\n',
    'GET //evil.example/graphql HTTP/1.1\r\nhost: localhost\r\n\r\n',
    `GET /graphql?query=${'%7B'.repeat(3_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
    `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
    'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    'GET /ready HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(200),
    `${randomBytes(400).toString('latin1')}\r\n\r\n`,
  ];
  const socket = await openSocket(load);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let text = '';
  socket.on('data', (part: Buffer) => {
    text += part.toString('latin1');
  });
  socket.end(pick(heads), 'latin1');
  await Promise.race([closed, pause(3_000)]);
  socket.destroy();
  if (/ at \w+.*\.js:\d+/.test(text)) load.noteUnexplained(role, 'stack trace', text);
  load.count(role, `odd requests answered ${/^HTTP\/1.1 (\d+)/.exec(text)?.[1] ?? 'by closing'}`);
};

/** Unknown credentials, and two at once. */
const guessCredentials: Attack = async (load, { role, address }) => {
  const headers = { 'x-forwarded-for': address, 'content-type': 'application/json' };
  const guesses: readonly Record<string, string>[] = [
    { [load.tokenHeader]: randomBytes(20).toString('hex') },
    { authorization: `Bearer ${randomBytes(20).toString('hex')}` },
    { authorization: `Basic ${Buffer.from(`admin:${randomInt(0, 9_999)}`).toString('base64')}` },
    { authorization: 'Basic YTpi', [load.tokenHeader]: 'x' },
  ];
  const { statusCode, body } = await request(load.url, {
    method: 'POST',
    dispatcher: load.agent,
    headers: { ...headers, ...pick(guesses) },
    body: '{"query":"{ session { authenticated } }"}',
  });
  const text = await body.text();
  if (text.includes('"authenticated":')) load.noteUnexplained(role, 'unknown credential accepted', text);
  load.count(role, `guesses answered ${statusCode}`);
};

/** Many streams of one caller, left all at once. */
const openStreams: Attack = async (load, client) => {
  const leave = new AbortController();
  setMaxListeners(0, leave.signal);
  const open = async (): Promise<void> => {
    const { body, statusCode } = await request(load.url, {
      method: 'POST',
      dispatcher: load.agent,
      headers: { ...load.headersOf(client), 'content-type': 'application/json', accept: 'text/event-stream' },
      body: '{"query":"subscription { pendingActions { id outcome } }"}',
      signal: leave.signal,
    });
    load.count(client.role, `streams answered ${statusCode}`);
    for await (const _ of body);
  };
  const streams = Array.from({ length: 150 }, () => open().catch(() => undefined));
  await pause(randomInt(500, 5_000));
  leave.abort();
  await Promise.all(streams);
};

const ATTACKS = {
  'costly documents': sendDocuments,
  'ping floods': floodPings,
  'silent WebSockets': openSilentWebSockets,
  'slow readers': readSlowly,
  'half requests': sendHalf,
  'odd requests': sendOddRequests,
  'unknown credentials': guessCredentials,
  'many streams': openStreams,
  ...FLOODS,
} satisfies Readonly<Record<string, Attack>>;

/**
 * Attacks in each way at the same time until the load ends. Only `many streams` uses the token.
 * @param signIn Opens a session of a user, and resolves with its token.
 */
export async function runAttackers(load: Load, token: string, signIn: () => Promise<string>): Promise<void> {
  const all = { ...ATTACKS, 'new users': createNewUsersAttack(signIn) };
  const attacks = Object.entries(all).map(([name, attack], index) => {
    const client: Client = {
      role: 'attacker',
      address: `203.0.113.${index + 1}`,
      token: attack === openStreams ? token : null,
    };
    return load.repeat(
      `attacker: ${name}`,
      () => randomInt(50, 500),
      () => attack(load, client),
    );
  });
  await Promise.all(attacks);
}

async function holdConnections(
  load: Load,
  { role }: Client,
  name: string,
  head: (host: string) => string,
): Promise<void> {
  const sockets = await Promise.all(Array.from({ length: HELD }, () => openSocket(load)));
  for (const socket of sockets) {
    socket.pause();
    socket.write(head(new URL(load.url).host));
  }
  await pause(randomInt(5_000, 40_000), undefined, { signal: load.signal }).catch(() => undefined);
  for (const socket of sockets) socket.destroy();
  load.count(role, name, HELD);
}

async function openSocket({ url }: Load): Promise<Socket> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  // The server may refuse the connection, which is what it shall do with too many.
  await Promise.race([
    once(socket, 'connect').catch(() => undefined),
    once(socket, 'close').catch(() => undefined),
  ]);
  return socket;
}

async function openWebSocket(
  { url }: Load,
  { address }: Client,
): Promise<AsyncDisposable & { readonly socket: WebSocket; readonly closed: Promise<void> }> {
  const headers = { 'x-forwarded-for': address };
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', { headers });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await Promise.race([once(socket, 'open').catch(() => closed), closed]);
  return {
    socket,
    closed,
    async [Symbol.asyncDispose]() {
      socket.terminate();
      await closed;
    },
  };
}
