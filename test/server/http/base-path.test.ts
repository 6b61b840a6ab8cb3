// Tests the server below a path of a reverse proxy, which may remove the path.
import { describe, expect, it } from 'vitest';
import { openBrowser } from '../../helpers/browser.ts';
import { overSse, overWebSocket } from '../../helpers/streams.ts';
import { post } from '../../helpers/transports.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

const pages = { basePath: '/api/graph' };
const headers = { 'x-library-token': 'one' };

describe('below a base path', () => {
  it.each(['/api/graph', ''])('GraphQL, streams and health checks are served at "%s"', async (prefix) => {
    await using shop = await openWorkshop({}, { pages });
    const server = await shop.listen();
    expect(new URL(server.url).pathname).toBe('/api/graph/graphql');
    const origin = new URL(server.url).origin + prefix;
    const response = await post(`${origin}/graphql`, { query: '{ tool(id: 5) { name } }' }, headers);
    expect(await response.json()).toMatchObject({ data: { tool: { name: 'tool 5' } } });
    for (const subscribe of [overSse, overWebSocket]) {
      const query = 'subscription { actionProgress(id: 500) { current } }';
      await using stream = subscribe(`${origin}/graphql`, query, headers);
      expect(await stream.next()).toMatchObject({ actionProgress: { current: expect.any(Number) } });
    }
    for (const path of ['/livez', '/readyz?verbose', '/graphql/examples'])
      expect((await fetch(origin + path, { headers })).status).toBe(200);
    expect((await fetch(`${origin}/elsewhere`)).status).toBe(404);
  });

  it('the explorer uses the path for requests and for signing in', async () => {
    await using at = await openBrowser({}, { pages });
    const url = new URL('/api/graph/graphql', at.origin);
    const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text();
    expect(page).toContain('"authPath":"/api/graph/auth"');
    const [, script = ''] = /<script [^>]*src="([^"]+)"/.exec(page) ?? [];
    expect((await fetch(new URL(script, url))).status).toBe(200);
  });

  it('browsers sign in and out, with cookies of that path', async () => {
    await using at = await openBrowser({}, { pages });
    const away = await at.visit('/api/graph/auth/login');
    const location = new URL(away.headers.get('location') ?? '');
    expect(location.searchParams.get('redirect_uri')).toBe(`${at.origin}/api/graph/auth/callback`);
    const back = await at.signIn('user', 'https://evil.example/');
    expect(back.headers.get('location')).toBe('/api/graph/graphql');
    expect(await at.ask()).toMatchObject({ data: { userCurrent: { login: 'user' } } });
    expect((await at.logout()).status).toBe(204);
    expect(at.jar.names).toEqual([]);
  });

  it('cookies are limited to https and the path when the public URL is https', async () => {
    await using at = await openBrowser({}, { pages: { ...pages, publicUrl: 'https://one.example' } });
    const [cookie = ''] = (await at.visit('/auth/login')).headers.getSetCookie();
    expect(cookie).toMatch(/^__Secure-optiongraph_sign_in=.*; Path=\/api\/graph;.*; Secure$/);
  });
});
