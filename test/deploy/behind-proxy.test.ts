// Tests what the management API learns of clients behind HAProxy, and which language they get there.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { createClient } from 'graphql-ws';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { RecordedRequest } from '../../packages/sandbox/src/http/sandbox-server.ts';
import { startServer } from '../../src/server/server.ts';
import { startPair } from '../helpers/facade.ts';
import { hasProxy, startProxy } from '../helpers/proxy.ts';

/** An address of this machine that is not the proxy's. */
const CLIENT = '127.0.0.2';
const CLAIM = '203.0.113.66';
const CLAIMS = {
  'x-forwarded-for': CLAIM,
  'client-ip': CLAIM,
  'x-real-ip': CLAIM,
  forwarded: `for=${CLAIM}`,
};
const QUERY = 'query { userCurrent { login } __type(name: "Query") { fields { description } } }';

/** A facade behind HAProxy, over a sandbox that is behind a proxy too. */
async function serveBehindProxy() {
  const pair = await startPair({ sandbox: { behindProxy: true }, facade: { trustedProxies: ['127.0.0.1'] } });
  const server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
  const proxy = await startProxy([Number(new URL(server.url).port)]);
  const requests: RecordedRequest[] = [];
  pair.sandbox.onRequest((one) => requests.push(one));
  return {
    requests,
    url: `${proxy.url}/graphql`,
    headers: { ...pair.headers('user'), ...CLAIMS, 'user-agent': 'Example/1.0', 'accept-language': 'cs' },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await server.close();
      await pair[Symbol.asyncDispose]();
    },
  };
}

/** Sends a POST from the client's address. */
async function post(url: string, headers: Record<string, string>, accept: string): Promise<string> {
  const sent = request(url, {
    method: 'POST',
    localAddress: CLIENT,
    headers: { ...headers, accept, 'content-type': 'application/json' },
  });
  sent.end(JSON.stringify({ query: QUERY }));
  return text(await new Promise<AsyncIterable<Buffer>>((resolve) => sent.once('response', resolve)));
}

async function overWebSocket(
  url: string,
  { 'accept-language': language, ...headers }: Record<string, string>,
) {
  const client = createClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: class extends WebSocket {
      constructor(address: string, protocols: string) {
        super(address, protocols, { headers, localAddress: CLIENT });
      }
    },
    connectionParams: { ...headers, 'Accept-Language': language },
    retryAttempts: 0,
  });
  for await (const result of client.iterate({ query: QUERY })) {
    await client.dispose();
    return JSON.stringify(result);
  }
  return '';
}

type Send = (url: string, headers: Record<string, string>) => Promise<string>;

describe.skipIf(!hasProxy)(
  'behind HAProxy, the API is told the client’s own address, and texts are Czech, over',
  () => {
    it.each<readonly [string, Send]>([
      ['HTTP', (url, headers) => post(url, headers, 'application/json')],
      ['server-sent events', (url, headers) => post(url, headers, 'text/event-stream')],
      ['a WebSocket', overWebSocket],
    ])('%s', async (_name, send) => {
      await using at = await serveBehindProxy();
      const answer = await send(at.url, at.headers);
      expect(answer).toContain('"login":"user"');
      expect(answer).toContain('Vypsat datasety');
      const ofClient = at.requests.filter(({ headers }) => headers['client-ip'] !== undefined);
      expect(ofClient.map(({ method }) => method)).toEqual(expect.arrayContaining(['OPTIONS', 'GET']));
      for (const one of ofClient)
        expect(one).toMatchObject({
          address: CLIENT,
          headers: { 'client-ip': CLIENT, 'x-forwarded-for': CLIENT },
        });
      expect(JSON.stringify(at.requests)).not.toContain(CLAIM);
    });
  },
);
