// Tests an API that lies below a prefix of its address.
import { createServer, request as forward } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createFacade } from '../../../src/facade/facade.ts';
import { action, describeApi, list, resource } from '../../helpers/describe-api.ts';
import { NO_TIMEOUT } from '../../helpers/described.ts';
import { ask, collectLog } from '../../helpers/facade.ts';
import { listenWith } from '../../helpers/plain-server.ts';
import { ok, startStub } from '../../helpers/stub-upstream.ts';

const describeBooks = (prefix: string) => {
  const { authentication, ...rest } = describeApi({
    book: resource({
      index: list('book', 'books', { id: 'Integer' }, { path: `${prefix}/v1.0/books` }),
      show: action({ path: `${prefix}/v1.0/books/{book_id}`, namespace: 'book', output: { id: 'Integer' } }),
    }),
  });
  const request = action({
    path: `${prefix}/token`,
    method: 'POST',
    namespace: 'token',
    input: { user: 'String', password: 'String' },
    output: { token: 'String' },
    auth: false,
  });
  const token = {
    http_header: 'X-Library-Token',
    query_parameter: 'library_token',
    resources: { token: resource({ request }) },
  };
  return { ...rest, authentication: { ...(authentication as object), token } };
};
const HANDLERS = {
  'book#index': () => ok({ books: [{ id: 1 }] }),
  'book#show': () => ok({ book: { id: 1 } }),
  'token#request': () => ok({ token: { token: 'issued' } }),
};

/** Starts an API below a prefix, which describes its paths with or without it, and records each path that is asked for. */
async function openBelow(prefix: string, isKnown: boolean) {
  const paths: string[] = [];
  const stub = await startStub(describeBooks(isKnown ? prefix : ''), HANDLERS);
  const gateway = await listenWith(
    createServer((incoming, outgoing) => {
      const { url = '', method = 'GET', headers } = incoming;
      paths.push(`${method} ${url}`);
      const path = isKnown || !url.startsWith(prefix) ? url : url.slice(prefix.length);
      const passed = forward(new URL(path, stub.url), { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(outgoing);
      });
      incoming.pipe(passed);
    }),
  );
  return {
    paths,
    origin: `http://127.0.0.1:${gateway.port}`,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await stub[Symbol.asyncDispose]();
    },
  };
}

describe.each([
  ['does not know its prefix', false],
  ['describes its prefix', true],
])('an API that %s', (_name, isKnown) => {
  it.each(['/api/have', '/api/have/'])('is called below %s', async (pathname) => {
    await using api = await openBelow('/api/have', isKnown);
    await using facade = await createFacade({
      upstream: new URL(api.origin + pathname),
      transport: { timeout: NO_TIMEOUT },
      log: collectLog(),
    });
    const headers = { 'x-library-token': 'one' };
    const { errors, data } = await ask(facade, '{ books { nodes { id } } book(id: 1) { id } }', { headers });
    expect(errors).toEqual([]);
    expect(data).toMatchObject({ books: { nodes: [{ id: 'book/1' }] } });
    const signIn = 'mutation { tokenRequest(input: { user: "a", password: "b" }) { result { token } } }';
    expect((await ask(facade, signIn)).errors).toEqual([]);
    expect(new Set(api.paths)).toEqual(
      new Set([
        'OPTIONS /api/have/?describe=default',
        'OPTIONS /api/have/v1.0/books?method=GET',
        'GET /api/have/v1.0/books',
        'GET /api/have/v1.0/books/1',
        'POST /api/have/token',
      ]),
    );
  });
});

describe('a described path', () => {
  it('that begins with the letters of the prefix is below it nevertheless', async () => {
    const paths: string[] = [];
    const bee = resource({ index: list('bee', 'apiary', { id: 'Integer' }) });
    const stub = await startStub(describeApi({ bee }), {});
    await using gateway = await listenWith(
      createServer(({ url = '' }, outgoing) => {
        paths.push(url);
        stub.onOptions({}, new URL(url, stub.url))(outgoing);
      }),
    );
    const upstream = new URL(`http://127.0.0.1:${gateway.port}/api`);
    await using facade = await createFacade({ upstream, log: collectLog() });
    await ask(facade, '{ apiary { nodes { id } } }', { headers: { 'x-library-token': 'one' } });
    expect(paths).toContain('/api/apiary');
    await stub[Symbol.asyncDispose]();
  });

  it.each(['/../admin', '/%2e%2e/admin', '/.%2E/admin', '/x%2f..%2fadmin'])(
    'that leads out of the prefix is left out: %s',
    async (path) => {
      await using stub = await startStub(
        describeApi({
          bee: resource({
            index: list('bee', 'bees', { id: 'Integer' }, { path }),
            show: action({ path: '/bees/{bee_id}', namespace: 'bee', output: { id: 'Integer' } }),
          }),
        }),
        {},
      );
      await using facade = await createFacade({ upstream: stub.url, log: collectLog() });
      const { errors } = await ask(facade, '{ bees { nodes { id } } }', {
        headers: { 'x-library-token': 'one' },
      });
      expect(errors[0]?.message).toContain('Cannot query field');
      expect(stub.calls).toEqual([]);
    },
  );
});
