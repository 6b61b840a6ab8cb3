// Tests which pages browsers let read responses.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { createOptiongraph } from '../../../src/index.ts';
import { openTelemetry } from '../../helpers/telemetry.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

const LISTED = 'https://app.example';
const pages = { origins: [LISTED, 'https://other.example'] };
const url = 'http://facade.test/graphql';

/** The CORS headers of a response. */
const allowed = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

const preflight = {
  method: 'OPTIONS',
  headers: {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type,authorization,idempotency-key',
  },
};
const query = { query: '{ __typename }' };
const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(query) };

describe('a page', () => {
  it('of a listed origin may send any header and the cookie, and read the response', async () => {
    await using shop = await openWorkshop({}, { pages });
    const send = (init: { readonly headers: object }) =>
      shop.facade.yoga.fetch(url, { ...init, headers: { ...init.headers, origin: LISTED } });
    const answer = await send(preflight);
    expect([answer.status, allowed(answer)]).toEqual([
      204,
      {
        'access-control-allow-origin': LISTED,
        'access-control-allow-credentials': 'true',
        'access-control-allow-headers': 'content-type,authorization,idempotency-key',
        'access-control-allow-methods': 'POST',
        'access-control-expose-headers': 'RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
        'access-control-max-age': '600',
      },
    ]);
    const response = await send(post);
    expect(await response.json()).toMatchObject({ data: { __typename: 'Query' } });
    expect(allowed(response)['access-control-allow-origin']).toBe(LISTED);
    expect(response.headers.get('vary')).toContain('Origin');
  });

  it.each(['https://evil.example', 'https://app.example.evil', 'null'])(
    'of %s may read nothing, and send nothing that needs a preflight',
    async (origin) => {
      for (const options of [{}, { pages }]) {
        await using shop = await openWorkshop({}, options);
        for (const init of [preflight, post]) {
          const answer = await shop.facade.yoga.fetch(url, { ...init, headers: { ...init.headers, origin } });
          expect(allowed(answer)).toEqual({});
          expect(answer.headers.get('vary')).toContain('Origin');
        }
      }
    },
  );

  it('of another origin is logged once in ten seconds and counted, over each transport, and gets the reason', async () => {
    const telemetry = openTelemetry();
    await using shop = await openWorkshop({}, { ...telemetry.options, pages });
    const server = await shop.listen();
    const origin = 'http://localhost:5173';
    const counted = async () => (await telemetry.values())['optiongraph_refusals_total{reason="ORIGIN"}'];
    for (const from of [LISTED, new URL(server.url).origin])
      await (await fetch(server.url, { ...post, headers: { ...post.headers, origin: from } })).text();
    await (await fetch(server.url, post)).text();
    expect(await counted()).toBeUndefined();

    for (const init of [preflight, post])
      await (await fetch(server.url, { ...init, headers: { ...init.headers, origin } })).text();
    expect(await counted()).toBe(2);
    const events = { ...post.headers, accept: 'text/event-stream', origin };
    const body = JSON.stringify({ query: 'subscription { actionProgress(id: 500) { id } }' });
    const stream = await fetch(server.url, { method: 'POST', headers: events, body });
    expect([stream.status, await stream.text()]).toEqual([403, expect.stringContaining('--origins')]);
    expect(await counted()).toBe(3);
    const embedding = createServer();
    const { observer = {} } = telemetry.options;
    const attached = await createOptiongraph({ upstream: shop.upstream.url, observer });
    attached.attachWebSocket(embedding);
    embedding.listen(0, '127.0.0.1');
    await once(embedding, 'listening');
    const { port } = embedding.address() as AddressInfo;
    for (const url of [server.url, `http://127.0.0.1:${port}/graphql`]) {
      const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', {
        headers: { origin },
      });
      const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
      expect([response.statusCode, JSON.parse(await readText(response))]).toEqual([
        403,
        {
          errors: [
            {
              message:
                'Pages of this origin may not open WebSockets; the operator can list the origin in --origins.',
              extensions: { code: 'FORBIDDEN', retryable: false },
            },
          ],
        },
      ]);
    }
    expect(await counted()).toBe(5);
    expect(telemetry.lines('refusal')).toEqual([
      {
        level: 'warn',
        msg: 'a page of another origin was refused; if it is yours, list its origin in --origins',
        origin,
        address: '127.0.0.1',
        hits: 1,
        total: 1,
      },
    ]);
    embedding.close();
    await attached.dispose();
  });
});
