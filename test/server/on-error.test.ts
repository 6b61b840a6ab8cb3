// Tests the parameter `onError`: what an error does where the type is non-null.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, it } from 'vitest';
import WebSocket from 'ws';
import { listenSandbox, type Sandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import { createOptiongraph, type Optiongraph } from '../../src/index.ts';

let sandbox: Sandbox;
let optiongraph: Optiongraph;
beforeAll(async () => {
  sandbox = await listenSandbox();
  const fail = (): never => {
    throw new Error('broken');
  };
  optiongraph = await createOptiongraph({
    upstream: sandbox.url,
    extendSchema: {
      typeDefs: 'type Own { failing: Int! other: Int! items: [Int!]! } extend type Query { own: Own! }',
      resolvers: {
        Query: { own: () => ({}) },
        Own: { failing: fail, other: () => 1, items: () => [1, null] },
      },
    },
  });
});
afterAll(async () => {
  await optiongraph.dispose();
  await sandbox.close();
});

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly path?: unknown }[];
}

async function ask(query: string, onError?: unknown): Promise<Answer> {
  const response = await optiongraph.fetch(
    new Request('http://any.test/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, onError }),
    }),
  );
  return (await response.json()) as Answer;
}

const QUERY = '{ own { failing other items } }';

it('is PROPAGATE by default: the nearest nullable parent is null', async () => {
  for (const onError of [undefined, null, 'PROPAGATE']) {
    const { data, errors } = await ask(QUERY, onError);
    expect(data ?? null).toBeNull();
    expect(errors).toHaveLength(1);
  }
});

it('leaves null in the place of the error when it is NULL', async () => {
  const { data, errors = [] } = await ask(QUERY, 'NULL');
  expect(data).toEqual({ own: { failing: null, other: 1, items: [1, null] } });
  expect(errors.map(({ path }) => path)).toEqual([
    ['own', 'failing'],
    ['own', 'items', 1],
  ]);
});

it('can be part of an address', async () => {
  const parameters = new URLSearchParams({ query: '{ own { failing other } }', onError: 'NULL' });
  const response = await optiongraph.fetch(new Request(`http://any.test/graphql?${parameters}`));
  expect(await response.json()).toMatchObject({ data: { own: { failing: null, other: 1 } } });
});

it('can be part of a message', async () => {
  const server = createServer(optiongraph.handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  optiongraph.attachWebSocket(server);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${optiongraph.endpoint}`;
  const client = createClient({ url: url.replace('http', 'ws'), webSocketImpl: WebSocket });
  const payload = { query: '{ own { failing other } }', onError: 'NULL' };
  const { value } = await client.iterate(payload).next();
  expect(value).toMatchObject({ data: { own: { failing: null, other: 1 } } });
  await client.dispose();
  server.close();
});

it.each(['HALT', 'null', '', 1, {}])('refuses %j, and names what it can be', async (onError) => {
  expect(await ask('{ __typename }', onError)).toMatchObject({
    errors: [{ message: 'The parameter "onError" must be NULL or PROPAGATE.' }],
  });
});
