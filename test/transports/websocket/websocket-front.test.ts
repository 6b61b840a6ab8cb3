// Tests that WebSockets answer alike with the fast path and with plain yoga: two equal servers get each operation of a list.
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { FacadeOptions } from '../../../src/facade/facade-options.ts';
import { refuse } from '../../helpers/stub-upstream.ts';
import { openTelemetry } from '../../helpers/telemetry.ts';
import { openWorkshop, type Workshop } from '../../helpers/workshop.ts';

type Front = 'fast' | 'yoga';

interface Message {
  readonly id?: string;
  readonly type: string;
}

interface Served {
  readonly shop: Workshop;
  readonly url: string;
}

async function open(front: Front, options: Partial<FacadeOptions> = {}): Promise<Served> {
  const shop = await openWorkshop(
    { 'tool.part#show': () => refuse('no such part', null, 404) },
    { front, introspection: 'authenticated', limits: { operation: { resultSize: 20_000 } }, ...options },
  );
  shop.actions.set({ id: 501, current: 10, finished: true });
  const { url } = await shop.listen();
  return { shop, url: url.replace('http', 'ws') };
}

let fast: Served;
let plain: Served;
beforeAll(async () => {
  [fast, plain] = await Promise.all([open('fast'), open('yoga')]);
});
afterAll(async () => {
  await fast.shop[Symbol.asyncDispose]();
  await plain.shop[Symbol.asyncDispose]();
});

const PATIENT = { timeout: 10_000 };
const PROGRESS = 'subscription ($id: ID!) { actionProgress(id: $id) { id current finished } }';

/** Payloads of Subscribe messages, and what their operations need. */
const PAYLOADS: Readonly<Record<string, object>> = {
  'a query': { query: '{ tool(id: 5) { name owner { name } } }' },
  'a query with variables': {
    query: 'query ($id: ID!) { tool(id: $id) { name } }',
    variables: { id: 5 },
    operationName: null,
  },
  'one of two operations': {
    query: 'query A { __typename } query B { tool(id: 1) { id } }',
    operationName: 'B',
  },
  'an unknown operation': { query: '{ __typename }', operationName: 'C' },
  'a mutation': { query: 'mutation { toolStamp(id: 5) { tool { name secret } } }' },
  'deferred fields': { query: '{ tool(id: 5) { name ... @defer { part(id: 1) { name } } } }' },
  'a failed field': { query: '{ tool(id: 5) { name part(id: 1) { name } } }' },
  'an unknown field': { query: '{ tol { name } }' },
  'a syntax error': { query: '{ tool(' },
  'a missing variable': { query: 'query ($id: ID!) { tool(id: $id) { name } }' },
  'a result beyond the limit': {
    query: `{ ${Array.from({ length: 60 }, (_, index) => `a${'x'.repeat(400)}${index}: __typename`).join(' ')} }`,
  },
  'too many fields': { query: `{ ${'x: __typename '.repeat(300)} }` },
  'a subscription': { query: PROGRESS, variables: { id: 501 } },
  'a subscription to nothing': { query: PROGRESS, variables: { id: 404 } },
  'a subscription to no id': { query: PROGRESS, variables: { id: 'shelf/1' } },
  'a subscription without its variable': { query: PROGRESS },
  'a subscription to several actions': {
    query: 'subscription { actionProgressMany(ids: [501, 404]) { id finished } }',
  },
  'a subscription with a skipped field': {
    query: 'subscription { actionProgress(id: 501) { id a: outcome @skip(if: true) canCancel } }',
  },
};

/** Sends a Subscribe message twice, one after the other: only the second time is its document known. */
async function exchange(url: string, payload: object): Promise<readonly unknown[]> {
  const socket = new WebSocket(url, 'graphql-transport-ws');
  const messages: Message[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  const send = (message: object): void => socket.send(JSON.stringify(message));
  await once(socket, 'open');
  send({ type: 'connection_init', payload: { 'x-library-token': 'one' } });
  await expect.poll(() => messages.length).toBe(1);
  for (const id of ['first', 'second']) {
    send({ id, type: 'subscribe', payload });
    await expect
      .poll(() => messages.some((message) => message.id === id && message.type !== 'next'), PATIENT)
      .toBe(true);
  }
  socket.terminate();
  return messages.map((message) =>
    JSON.parse(
      JSON.stringify(message)
        .replace(/"requestId":"[\da-f-]{36}"/g, '"requestId":"random"')
        .replace(/"ms":\d+/g, '"ms":0'),
    ),
  );
}

it.each(Object.entries(PAYLOADS))(
  'answers with and without the fast path alike: %s',
  async (_name, payload) => {
    const expected = await exchange(plain.url, payload);
    expect(await exchange(fast.url, payload)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(2);
  },
);

it.each(['fast', 'yoga'] as const)('counts no subscription that is refused or fails: %s', async (front) => {
  const telemetry = openTelemetry();
  const { shop, url } = await open(front, telemetry.options);
  for (const id of [404, 'shelf/1']) await exchange(url, { query: PROGRESS, variables: { id } });
  expect(await telemetry.values()).toMatchObject({ optiongraph_subscriptions: 0 });
  await shop[Symbol.asyncDispose]();
});
