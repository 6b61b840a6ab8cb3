// Tests which pages browsers let read responses.
import { describe, expect, it } from 'vitest';
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
    'access-control-request-headers': 'content-type,authorization',
  },
};
const query = { query: '{ __typename }' };
const post = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(query),
};

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
        'access-control-allow-headers': 'content-type,authorization',
        'access-control-allow-methods': 'POST',
        'access-control-expose-headers': 'Retry-After, X-Request-Id',
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

  it('of an origin that is listed later may read responses from then on', async () => {
    await using shop = await openWorkshop({});
    const headers = { ...preflight.headers, origin: LISTED };
    const send = () => shop.facade.yoga.fetch(url, { ...preflight, headers });
    expect(allowed(await send())).toEqual({});
    shop.facade.reconfigure({ origins: [LISTED], limits: {} });
    expect(allowed(await send())).toMatchObject({ 'access-control-allow-origin': LISTED });
  });
});
