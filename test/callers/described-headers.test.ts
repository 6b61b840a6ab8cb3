// Tests descriptions whose credential headers have another meaning, over each transport.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFacade, type Facade } from '../../src/facade/facade.ts';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import { action, describeApi, list, resource } from '../helpers/describe-api.ts';
import { collectLog } from '../helpers/facade.ts';
import { ok, type StubUpstream, startStub } from '../helpers/stub-upstream.ts';
import { TRANSPORTS } from '../helpers/transports.ts';

const SIGN_IN = resource({
  request: action({ method: 'POST', path: '/token', namespace: 'token', output: { token: 'String' } }),
});
const BOOKS = {
  book: resource({ index: list('book', 'books', { id: 'Integer' }, { auth: false }) }),
};

describe.each(['Host', 'Cookie', 'X-Forwarded-For', 'Client-IP', 'X Token\r\nHost', ''])(
  'a description whose credential header is %j',
  (header) => {
    let upstream: StubUpstream;
    let facade: Facade;
    let server: RunningServer;
    beforeAll(async () => {
      const authentication = {
        basic: {},
        token: { http_header: header, query_parameter: 'token', resources: { token: SIGN_IN } },
        oauth2: { http_header: header },
      };
      upstream = await startStub(
        { ...describeApi(BOOKS), authentication },
        { 'book#index': () => ok({ books: [{ id: 1 }] }) },
      );
      facade = await createFacade({ upstream: upstream.url, log: collectLog() });
      server = await startServer(facade, { host: '127.0.0.1', port: 0 });
    });
    afterAll(async () => {
      await server.close();
      await upstream[Symbol.asyncDispose]();
    });

    it('is reported', () => {
      const reason = `its http_header ${JSON.stringify(header)} cannot carry a credential; left out`;
      const places = facade.schema.findings.map(({ code, path, reason }) => [code, path, reason]);
      expect(places).toEqual([
        ['AUTHENTICATION_MALFORMED', 'authentication.token', reason],
        ['AUTHENTICATION_MALFORMED', 'authentication.oauth2.http_header', reason],
      ]);
    });

    it.each(TRANSPORTS)('stops no facade and carries no credential over %s', async (_name, send) => {
      const sent = { cookie: 'theme=dark', 'x-forwarded-for': '192.0.2.1' };
      const { data, errors } = await send(
        server.url,
        { query: '{ books { nodes { id } } session { authenticated } }' },
        sent,
      );
      expect(errors).toBeUndefined();
      expect(data).toMatchObject({ books: { nodes: [{ id: 'book/1' }] }, session: { authenticated: false } });
      for (const call of upstream.calls) {
        expect(call.headers.host).toBe(upstream.url.host);
        expect(call.headers.cookie).toBeUndefined();
      }
    });
  },
);
