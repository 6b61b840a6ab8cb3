// Tests that the bytes of a credential reach the management API unchanged, or are refused, over each transport.
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { RunningServer } from '../../src/server/server.ts';
import { exchange } from '../helpers/raw-http.ts';
import { openWorkshop, type Workshop } from '../helpers/workshop.ts';

const query = '{ tool(id: 5) { name } }';

let shop: Workshop;
let server: RunningServer;
beforeAll(async () => {
  shop = await openWorkshop();
  server = await shop.listen();
});
afterAll(async () => shop[Symbol.asyncDispose]());
beforeEach(() => {
  shop.upstream.calls.length = 0;
});

/** Sends an operation, and returns the text of what the server answers. */
type Ask = (name: string, value: string) => Promise<string>;

const overHttp: Ask = (name, value) => {
  const body = JSON.stringify({ query });
  const head = [
    'POST /graphql HTTP/1.1',
    'host: localhost',
    'connection: close',
    'content-type: application/json',
    `content-length: ${body.length}`,
    `${name}: ${value}`,
  ];
  return exchange(server.url, `${head.join('\r\n')}\r\n\r\n${body}`);
};

const overWebSocket: Ask = async (name, value) => {
  const client = createClient({
    url: server.url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: { [name]: value },
    retryAttempts: 0,
  });
  try {
    const results = [];
    for await (const result of client.iterate({ query })) results.push(result);
    return JSON.stringify(results);
  } catch (error) {
    return JSON.stringify(error);
  } finally {
    await client.dispose();
  }
};

const overFetch: Ask = async (name, value) => {
  const headers = { 'content-type': 'application/json', [name]: value };
  const init = { method: 'POST', headers, body: JSON.stringify({ query }) };
  return (await shop.facade.yoga.fetch('http://localhost/graphql', init)).text();
};

const sentUpstream = (name: string) => shop.upstream.calls.map(({ headers }) => headers[name]);

describe.each([
  ['HTTP', overHttp],
  ['WebSocket', overWebSocket],
  ['fetch', overFetch],
])('over %s', (_name, ask) => {
  it.each(['\xa0one\xa0', 'one\xa0', '\xa0', '\x85one\x85', 'one\ttwo', 'one two', 'caf\xe9', '\xc2\xa0one'])(
    'the token %j is passed on unchanged',
    async (token) => {
      expect(await ask('x-library-token', token)).toContain('"name"');
      expect(sentUpstream('x-library-token')).toEqual([token]);
    },
  );

  it('spaces and tabs around a token are no part of it', async () => {
    expect(await ask('x-library-token', ' \t one\t ')).toContain('"name"');
    expect(sentUpstream('x-library-token')).toEqual(['one']);
    shop.upstream.calls.length = 0;
    expect(await ask('authorization', '\t Bearer one \t')).toContain('"name"');
    expect(sentUpstream('authorization')).toEqual(['Bearer one']);
  });

  it.each(['Bearer one\xa0', '\xa0Bearer one', 'Bearer\xa0one', 'Bearer \xa0', '\xa0'])(
    'the header "Authorization: %j" is refused before any call',
    async (value) => {
      expect(await ask('authorization', value)).toContain('"UNAUTHENTICATED"');
      expect(shop.upstream.calls).toEqual([]);
    },
  );
});
