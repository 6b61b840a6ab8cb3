// Tests the library in the servers of other programs: plain node, Express, Fastify, Hono and Next.
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { listenSandbox, type Sandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import { createOptiongraph, type Optiongraph } from '../../src/index.ts';
import { listen, readText } from '../../test/helpers/plain-server.ts';
import { overWebSocket } from '../../test/helpers/streams.ts';

const AUTHORIZATION = `Basic ${btoa('user:sandbox')}`;
const BODY = JSON.stringify({ query: '{ session { authenticated } datasets(first: 1) { nodes { name } } }' });
const RESULT = {
  data: { session: { authenticated: true }, datasets: { nodes: [{ name: expect.any(String) }] } },
};

const AS_BROWSER = { headers: { accept: 'text/html' } };

let sandbox: Sandbox;
let optiongraph: Optiongraph;
beforeAll(async () => {
  sandbox = await listenSandbox();
  optiongraph = await createOptiongraph({ upstream: sandbox.url });
});
afterAll(async () => {
  await optiongraph.dispose();
  await sandbox[Symbol.asyncDispose]();
});

const post = (url: string): Request =>
  new Request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: AUTHORIZATION },
    body: BODY,
  });

/** The media type of the script of the explorer's page. */
async function typeOfScript(load: (path: string) => Promise<Response>): Promise<string | null> {
  const page = await (await load(optiongraph.endpoint)).text();
  const [, script = ''] = /<script [^>]*src="([^"]+)"/.exec(page) ?? [];
  const { pathname } = new URL(script, `http://any.test${optiongraph.endpoint}`);
  return (await load(pathname)).headers.get('content-type');
}

/** What a route of the host answers to a JSON body. Its path begins as the endpoint does, and goes on otherwise. */
async function askNeighbour(send: (request: Request) => Response | Promise<Response>, origin: string) {
  const headers = { 'content-type': 'application/json' };
  const response = await send(new Request(origin + NEIGHBOUR, { method: 'POST', headers, body: '{"a":1}' }));
  return response.json();
}
const NEIGHBOUR = '/graphqlx';
const ANSWER = { got: { a: 1 } };

describe('the handler for node', () => {
  it('serves node:http', async () => {
    await using plain = await listen(async (request, response) => {
      if (request.url !== NEIGHBOUR) return void optiongraph.handler(request, response);
      response.end(JSON.stringify({ got: JSON.parse(await readText(request)) }));
    });
    const origin = new URL(plain.url).origin;
    expect(await (await fetch(post(`${origin}/graphql`))).json()).toMatchObject(RESULT);
    expect(await askNeighbour(fetch, origin)).toEqual(ANSWER);
  });

  it.each([false, true])('serves Express, with its JSON parser before: %s', async (isParsed) => {
    const app = express();
    if (isParsed) app.use(express.json());
    app.use(optiongraph.endpoint, (request, response) => {
      request.url = request.originalUrl;
      return optiongraph.handler(request, response);
    });
    app.post(NEIGHBOUR, express.json(), (request, response) => void response.send({ got: request.body }));
    await using served = await listen(app);
    const origin = new URL(served.url).origin;
    expect(await (await fetch(post(`${origin}/graphql`))).json()).toMatchObject(RESULT);
    expect(await typeOfScript((path) => fetch(new URL(path, origin), AS_BROWSER))).toContain('javascript');
    expect(await askNeighbour(fetch, origin)).toEqual(ANSWER);
  });

  it('serves Fastify', async () => {
    const app = fastify();
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
      for (const path of [optiongraph.endpoint, `${optiongraph.endpoint}/*`])
        scope.all(path, async (request, reply) => {
          reply.hijack();
          await optiongraph.handler(request.raw, reply.raw);
        });
    });
    app.post(NEIGHBOUR, async (request) => ({ got: request.body }));
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    expect(await (await fetch(post(`${origin}/graphql`))).json()).toMatchObject(RESULT);
    expect(await typeOfScript((path) => fetch(new URL(path, origin), AS_BROWSER))).toContain('javascript');
    expect(await askNeighbour(fetch, origin)).toEqual(ANSWER);
    await app.close();
  });
});

describe('the fetch handler', () => {
  it('serves Hono', async () => {
    const app = new Hono();
    app.all(`${optiongraph.endpoint}/*`, (context) => optiongraph.fetch(context.req.raw));
    app.post(NEIGHBOUR, async (context) => context.json({ got: await context.req.json() }));
    expect(await (await app.fetch(post('http://hono.test/graphql'))).json()).toMatchObject(RESULT);
    const type = await typeOfScript(async (path) => app.request(path, AS_BROWSER));
    expect(type).toContain('javascript');
    expect(await askNeighbour(app.fetch, 'http://hono.test')).toEqual(ANSWER);
  });

  it('is a route handler of Next', async () => {
    // The signature that Next calls: its request is a Request with more properties.
    type RouteHandler = (request: Request, context: { params: Promise<object> }) => Promise<Response>;
    const GET: RouteHandler = optiongraph.fetch;
    const POST: RouteHandler = optiongraph.fetch;
    const context = { params: Promise.resolve({ session: null }) };
    expect(await (await POST(post('http://next.test/graphql'), context)).json()).toMatchObject(RESULT);
    const page = await GET(
      new Request('http://next.test/graphql', { headers: { accept: 'text/html' } }),
      context,
    );
    expect(page.headers.get('content-type')).toContain('text/html');
  });
});

describe('attachWebSocket', () => {
  it('serves subscriptions at its endpoint, leaves other paths alone, and closes with the library', async () => {
    const own = await createOptiongraph({ upstream: sandbox.url, limits: { closeSpread: 0 } });
    await using plain = await listen(own.handler);
    own.attachWebSocket(plain.server);
    const headers = { authorization: AUTHORIZATION };
    await using stream = overWebSocket(
      `${plain.url}graphql`,
      'subscription { pendingActions { id } }',
      headers,
    );
    const event = stream.next();
    const write = await own.fetch(
      new Request('http://any.test/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({
          query: 'mutation { datasetSnapshotCreate(dataset: 12) { actionState { id } } }',
        }),
      }),
    );
    expect(await write.json()).toMatchObject({
      data: { datasetSnapshotCreate: { actionState: { id: expect.any(String) } } },
    });
    expect(await event).toMatchObject({ pendingActions: { id: expect.any(String) } });
    let otherPaths = 0;
    plain.server.on('upgrade', (request, socket) => {
      if (request.url !== '/other') return;
      otherPaths += 1;
      socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
    });
    const other = new WebSocket(`${plain.url.replace('http', 'ws')}other`);
    await new Promise((resolve) => other.on('error', resolve));
    expect(otherPaths).toBe(1);
    await own.dispose();
    expect(plain.server.listenerCount('upgrade')).toBe(1);
  });
});

it('has the schema of the program by default', () => {
  expect(Object.keys(optiongraph.schema.getTypeMap())).toContain('DatasetPlanAssignment');
});
