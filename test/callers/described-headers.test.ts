// Tests descriptions whose credential headers have another meaning, over each transport.
import { describe, expect, it } from 'vitest';
import { action, describeApi, list, resource } from '../helpers/describe-api.ts';
import { openApi } from '../helpers/described.ts';
import { shareApi } from '../helpers/shared-api.ts';
import { ok } from '../helpers/stub-upstream.ts';
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
    const authentication = {
      basic: {},
      token: { http_header: header, query_parameter: 'token', resources: { token: SIGN_IN } },
      oauth2: { http_header: header },
    };
    const api = shareApi(() =>
      openApi({ ...describeApi(BOOKS), authentication }, { 'book#index': () => ok({ books: [{ id: 1 }] }) }),
    );

    it('is reported', () => {
      const reason = `its http_header ${JSON.stringify(header)} cannot carry a credential; left out`;
      const places = api.facade.schema.findings.map(({ code, path, reason }) => [code, path, reason]);
      expect(places).toEqual([
        ['AUTHENTICATION_MALFORMED', 'authentication.token', reason],
        ['AUTHENTICATION_MALFORMED', 'authentication.oauth2.http_header', reason],
      ]);
    });

    it.each(TRANSPORTS)('stops no facade and carries no credential over %s', async (_name, send) => {
      const sent = { cookie: 'theme=dark', 'x-forwarded-for': '192.0.2.1' };
      const { data, errors } = await send(
        api.url,
        { query: '{ books { nodes { id } } session { authenticated } }' },
        sent,
      );
      expect(errors).toBeUndefined();
      expect(data).toMatchObject({ books: { nodes: [{ id: 'book/1' }] }, session: { authenticated: false } });
      for (const call of api.upstream.calls) {
        expect(call.headers.host).toBe(api.upstream.url.host);
        expect(call.headers.cookie).toBeUndefined();
      }
    });
  },
);
