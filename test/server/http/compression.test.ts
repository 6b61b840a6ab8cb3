// Tests which responses are compressed.
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { shareWorkshop } from '../../helpers/shared-api.ts';
import { ok } from '../../helpers/stub-upstream.ts';

const token = { 'x-library-token': 'one' };
const EVENTS = 'text/event-stream';
const LONG = 'x'.repeat(5_000);
const handlers = {
  'tool#show': ({ path: [id] }: { readonly path: readonly string[] }) =>
    ok({ tool: { id: Number(id), name: id === '1' ? LONG : 'saw', weight: 1, owner: null } }),
};
const shop = shareWorkshop(handlers);

async function ask(url: string, encoding: string, id = 1, accept = 'application/json') {
  const { statusCode, headers, body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...token, 'accept-encoding': encoding, accept },
    body: JSON.stringify({ query: `{ tool(id: ${id}) { name } }` }),
  });
  const bytes = Buffer.from(await body.arrayBuffer());
  expect([statusCode, headers['content-length']]).toEqual([200, String(bytes.length)]);
  expect(headers['vary']).toContain('Accept-Encoding');
  return { encoding: headers['content-encoding'], bytes };
}

describe('a result', () => {
  it('of more than a kilobyte is compressed as the client accepts', async () => {
    const plain = { data: { tool: { name: LONG } } };
    for (const accepted of ['gzip, deflate, br', 'br, GZIP;q=0.5'])
      for (const type of ['application/json', 'application/graphql-response+json']) {
        const answer = await ask(shop.url, accepted, 1, type);
        expect(answer.encoding).toBe('gzip');
        expect(answer.bytes.length).toBeLessThan(500);
        expect(JSON.parse(String(gunzipSync(answer.bytes)))).toMatchObject(plain);
      }
    for (const accepted of ['', 'identity', 'br', 'gzip;q=0'])
      expect((await ask(shop.url, accepted)).encoding).toBeUndefined();
    expect((await ask(shop.url, 'gzip', 2)).encoding).toBeUndefined();
  });

  it('of a route besides GraphQL is compressed too', async () => {
    const plain = await (
      await fetch(`${shop.url}/examples`, { headers: { ...token, 'accept-encoding': 'identity' } })
    ).text();
    const response = await fetch(`${shop.url}/examples`, {
      headers: { ...token, 'accept-encoding': 'gzip' },
    });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(await response.text()).toBe(plain);
  });
});

describe('a stream', () => {
  it('is not compressed, so that each event arrives at once', async () => {
    const leave = new AbortController();
    const { headers, body } = await request(shop.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...token, 'accept-encoding': 'gzip', accept: EVENTS },
      body: JSON.stringify({ query: 'subscription { actionProgress(id: 500) { current } }' }),
      signal: leave.signal,
    });
    expect(headers['content-encoding']).toBe('none');
    let text = '';
    for await (const chunk of body) {
      text += String(chunk);
      if (text.includes('actionProgress')) break;
    }
    expect(text).toContain('actionProgress');
    leave.abort();
  });
});
