// Tests which credentials are accepted, and that they are sent upstream unchanged.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { RecordedRequest } from '../../packages/sandbox/src/http/sandbox-server.ts';
import { listenSandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import { createFacade } from '../../src/facade/facade.ts';
import { UnknownCredentialsError } from '../../src/upstream/errors.ts';
import { readAuthorization } from '../../src/upstream/http/caller.ts';
import { ask, collectLog, startPair } from '../helpers/facade.ts';
import { sharePair } from '../helpers/shared-pair.ts';

const basic = (login: string) => `Basic ${Buffer.from(`${login}:sandbox`).toString('base64')}`;

const pair = sharePair();

describe('the caller’s credential', () => {
  it('is the only one that is sent upstream, unchanged', async () => {
    const token = pair.sandbox.users[1]?.token ?? '';
    const requests: RecordedRequest[] = [];
    pair.sandbox.onRequest((request) => requests.push(request));
    for (const headers of [
      { authorization: basic('user') },
      { 'X-Service-Auth-Token': token },
      { authorization: 'Bearer abc', 'x-service-auth-token': '' },
    ]) {
      requests.length = 0;
      await ask(pair.facade, '{ userCurrent { login } }', { headers });
      const expected = Object.fromEntries(
        Object.entries(headers).flatMap(([name, value]) =>
          value === '' ? [] : [[name.toLowerCase(), value]],
        ),
      );
      expect(requests.length).toBeGreaterThan(0);
      for (const { headers: sent } of requests) {
        expect({
          authorization: sent['authorization'],
          'x-service-auth-token': sent['x-service-auth-token'],
        }).toEqual({ authorization: undefined, 'x-service-auth-token': undefined, ...expected });
      }
    }
  });

  it('that the upstream does not know gives UNAUTHENTICATED with HTTP 401, also for fields of anonymous callers', async () => {
    const query = '{ components(first: 1) { nodes { id } } }';
    expect((await pair.ask(query, { login: null })).data).toMatchObject({
      components: { nodes: [{ id: 'component/1' }] },
    });
    pair.calls.length = 0;
    for (const headers of [
      { 'x-service-auth-token': 'no-such-token' },
      { authorization: 'Bearer no-such-token' },
      { authorization: `Basic ${Buffer.from('user:no-such-token').toString('base64')}` },
    ]) {
      const bad = await ask(pair.facade, query, { headers });
      expect(bad.status).toBe(401);
      expect(bad.data).toBeNull();
      expect(bad.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED', retryable: false } }]);
      expect(JSON.stringify(bad)).not.toContain('no-such-token');
    }
    expect(pair.calls).toEqual([]);
  });

  it('that is a token in the wrong header gets the name of the right one', async () => {
    const token = pair.sandbox.users[1]?.token;
    const asBearer = await ask(pair.facade, '{ __typename }', {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(asBearer.errors[0]?.message).toMatch(
      /tokens of this API are sent in the header X-Service-Auth-Token\.$/,
    );
    const headers = { authorization: basic('user'), origin: 'http://localhost' };
    const asBasic = await ask(pair.facade, '{ __typename }', { headers });
    expect(asBasic.errors[0]?.message).toMatch(/send a token in the header X-Service-Auth-Token instead\.$/);
  });

  it('is refused before any call if the request has two', async () => {
    const answer = await ask(pair.facade, '{ cluster { id } }', {
      headers: { authorization: basic('user'), 'x-service-auth-token': 'abc' },
    });
    expect(answer.status).toBe(400);
    expect(answer.errors[0]?.extensions['code']).toBe('AMBIGUOUS_CREDENTIALS');
    expect(pair.calls).toEqual([]);
  });

  it('is refused with a second Authorization header, which Node would ignore', async () => {
    const body = JSON.stringify({ query: '{ cluster { id } }' });
    const socket = connect(Number(new URL(pair.url).port), '127.0.0.1');
    const response = text(socket);
    socket.end(
      [
        'POST /graphql HTTP/1.1',
        'host: localhost',
        'connection: close',
        'content-type: application/json',
        `content-length: ${body.length}`,
        'authorization: Bearer one',
        `authorization: ${basic('user')}`,
        '',
        body,
      ].join('\r\n'),
    );
    expect(await response).toMatch(/^HTTP\/1\.1 400 .*"AMBIGUOUS_CREDENTIALS"/s);
    expect(pair.calls).toEqual([]);
  });

  it('of an unknown scheme is refused', async () => {
    const answer = await ask(pair.facade, '{ cluster { id } }', {
      headers: { authorization: 'Digest x="y"' },
    });
    expect(answer.status).toBe(401);
    expect(answer.errors[0]?.extensions['code']).toBe('UNAUTHENTICATED');
  });

  it('of the operator is used only for the description', async () => {
    const sent: unknown[] = [];
    pair.sandbox.onRequest(({ headers }) => sent.push(headers.authorization));
    await pair.ask('{ components(first: 1) { nodes { id } } }', { login: null });
    await pair.ask('{ cluster { id } }', { login: 'user' });
    expect(new Set(sent)).toEqual(new Set([undefined]));
  });

  it('of the operator prevents the start if the upstream does not know it', async () => {
    await using sandbox = await listenSandbox();
    const descriptionCredential = readAuthorization('Bearer unknown');
    const facade = createFacade({ upstream: new URL(sandbox.url), descriptionCredential, log: collectLog() });
    await expect(facade).rejects.toThrow(UnknownCredentialsError);
  });

  it('of HTTP basic is refused from browsers, unless the operator allows it', async () => {
    const query = '{ userCurrent { login } }';
    await using permissive = await startPair({ facade: { basicFromBrowsers: true } });
    for (const mark of [{ origin: 'http://elsewhere.example' }, { 'sec-fetch-site': 'same-origin' }]) {
      const headers: Record<string, string> = { authorization: basic('user'), ...mark };
      const refused = await ask(pair.facade, query, { headers });
      expect([refused.status, refused.errors[0]?.extensions['code']]).toEqual([401, 'UNAUTHENTICATED']);
      expect((await ask(permissive.facade, query, { headers })).data).toEqual({
        userCurrent: { login: 'user' },
      });
    }
    expect(pair.calls).toEqual([]);
  });
});

describe('a call upstream', () => {
  it('carries only the credential, the language, the request id and the client’s program', async () => {
    await ask(pair.facade, '{ components { nodes { id } } }', {
      headers: {
        'accept-language': 'cs',
        'x-request-id': 'r-1',
        cookie: 'a=b',
        'x-custom': 'c',
        'user-agent': 'd',
      },
    });
    const { host: _host, connection: _connection, ...sent } = pair.calls[0]?.headers ?? {};
    expect(sent).toEqual({
      accept: 'application/json',
      'accept-language': 'cs',
      'x-request-id': 'r-1',
      'user-agent': expect.stringMatching(/^optiongraph\/[\d.]+ \(d\)$/),
    });
  });

  it('has the request id that the header and the errors of the response have', async () => {
    const response = await pair.facade.yoga.fetch('http://facade.test/graphql?query={nope}', {
      headers: { 'x-request-id': 'r-2' },
    });
    expect(response.headers.get('x-request-id')).toBe('r-2');
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { requestId: 'r-2' } }] });
    const strange = await pair.facade.yoga.fetch('http://facade.test/graphql?query={nope}', {
      headers: { 'x-request-id': 'a b' },
    });
    expect(strange.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});
