// Tests how browsers sign in and out with OAuth 2.0.
import { afterEach, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { CLIENT, SESSION_QUERY } from '../../helpers/browser.ts';
import { signInAt } from '../../helpers/oauth.ts';
import { shareBrowser } from '../../helpers/shared-pair.ts';

const at = shareBrowser();

const signedOut = { status: 401, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] };
const signedIn = (login: string) => ({
  status: 200,
  data: {
    session: { authenticated: true, method: 'OAUTH2', expiresAt: expect.stringMatching(/Z$/) },
    userCurrent: { login },
  },
});

afterEach(() => void vi.useRealTimers());

describe('a browser', () => {
  it('signs in at the provider, and sends queries as that user from then on', async () => {
    const away = await at.visit('/auth/login');
    const location = new URL(away.headers.get('location') ?? '');
    expect([away.status, location.pathname]).toEqual([302, '/_auth/oauth2/authorize']);
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT.id,
      redirect_uri: `${at.origin}/auth/callback`,
      code_challenge_method: 'S256',
      state: expect.stringMatching(/.{20}/),
    });
    const back = await at.signIn('totp', '/graphql?query=%7Bsession%7D');
    expect([back.status, back.headers.get('location')]).toEqual([302, '/graphql?query=%7Bsession%7D']);
    expect(await at.ask()).toMatchObject(signedIn('totp'));
  });

  it('is not redirected from an address that is neither public nor of this machine', async () => {
    for (const path of ['/auth/login', '/auth/callback?code=x&state=y']) {
      const { status, headers } = await at.pair.facade.yoga.fetch(`http://elsewhere.example${path}`);
      expect([status, headers.get('location')]).toEqual([path === '/auth/login' ? 421 : 400, null]);
    }
  });

  it('has only an encrypted cookie, which signing out revokes', async () => {
    await at.signIn();
    expect(at.jar.names).toEqual(['optiongraph_session']);
    expect(await at.ask()).toMatchObject(signedIn('user'));
    expect(at.jar.header).toMatch(/^optiongraph_session=[\w-]{100,}$/);
    const out = await fetch(`${at.origin}/auth/logout`, {
      method: 'POST',
      headers: { cookie: at.jar.header, 'sec-fetch-site': 'same-origin', 'x-requested-with': 'page' },
    });
    const before = at.jar.header;
    at.jar.store(out);
    expect([out.status, at.jar.names]).toEqual([204, []]);
    at.jar.set(...(before.split(/=(.*)/s) as [string, string]));
    expect(await at.ask()).toMatchObject(signedOut);
  });

  it('is anonymous in requests of other sites: its cookie works only on the facade’s own pages', async () => {
    await at.signIn();
    const whoAmI = '{ session { authenticated } }';
    const authenticated = async (headers: Record<string, string>) => (await at.ask(whoAmI, headers)).data;
    const nobody = { session: { authenticated: false } };
    expect(await authenticated({ 'sec-fetch-site': 'cross-site' })).toEqual(nobody);
    expect(await authenticated({ 'sec-fetch-site': 'same-site' })).toEqual(nobody);
    expect(await authenticated({ origin: 'http://evil.example' })).toEqual(nobody);
    expect(await authenticated({ origin: at.origin })).toEqual({ session: { authenticated: true } });
    const got = await fetch(`${at.origin}/graphql?query=${encodeURIComponent(whoAmI)}`, {
      headers: { cookie: at.jar.header, 'sec-fetch-site': 'same-origin' },
    });
    expect(await got.json()).toMatchObject({ data: nobody });
    const logout = await fetch(`${at.origin}/auth/logout`, {
      method: 'POST',
      headers: { cookie: at.jar.header, 'sec-fetch-site': 'cross-site', 'x-requested-with': 'page' },
    });
    expect(logout.status).toBe(403);
    expect(await authenticated({})).toEqual({ session: { authenticated: true } });
  });

  it('may send a credential in a header, which takes precedence over the cookie', async () => {
    await at.signIn();
    expect(await at.ask(SESSION_QUERY, at.pair.headers('admin'))).toMatchObject({
      data: { session: { method: 'TOKEN' }, userCurrent: { login: 'admin' } },
    });
  });

  it('opens WebSockets only on the facade’s own pages', async () => {
    await at.signIn();
    const login = async (origin: string, params: object = {}) => {
      const socket = new WebSocket(`${at.origin.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
        headers: { cookie: at.jar.header, origin },
      });
      const send = (message: object) => socket.send(JSON.stringify(message));
      const payload = { query: '{ session { authenticated } }' };
      socket.on('open', () => send({ type: 'connection_init', payload: params }));
      const answer = await new Promise((resolve) => {
        socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
        socket.on('message', (data) => {
          const message = JSON.parse(String(data));
          if (message.type === 'connection_ack') send({ id: '1', type: 'subscribe', payload });
          if (message.type === 'next') resolve(message.payload.data);
        });
      });
      socket.on('error', () => undefined);
      socket.close();
      return answer;
    };
    expect(await login(at.origin)).toEqual({ session: { authenticated: true } });
    expect(await login('http://evil.example')).toBe(403);
    expect(await login('http://evil.example', { origin: at.origin, host: 'evil.example' })).toBe(403);
  });

  it('stays signed in: its tokens are renewed before they end, once for overlapping requests', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await at.signIn();
    const before = at.jar.header;
    vi.setSystemTime(Date.now() + 59.5 * 60_000);
    const answers = await Promise.all([at.ask(), at.ask(), at.ask()]);
    for (const answer of answers) expect(answer).toMatchObject(signedIn('user'));
    expect(at.jar.header).not.toBe(before);
    expect(await at.ask()).toMatchObject(signedIn('user'));
    vi.setSystemTime(Date.now() + 40 * 86_400_000);
    expect(await at.ask()).toMatchObject({ status: 401 });
    expect(at.jar.names).toEqual([]);
  });
});

describe('an invalid sign-in', () => {
  it.each([
    ['a forged state', (url: URL) => url.searchParams.set('state', 'forged')],
    ['a forged code', (url: URL) => url.searchParams.set('code', 'forged')],
    [
      'a refusal of the provider',
      (url: URL) => {
        url.searchParams.delete('code');
        url.searchParams.set('error', 'access_denied');
      },
    ],
  ])('fails with a code: %s', async (_name, change) => {
    const away = await at.visit('/auth/login');
    const back = await signInAt(at.pair.sandbox, away.headers.get('location') ?? '', 'user');
    change(back);
    const answer = await at.visit(back.pathname + back.search);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    expect(at.jar.names).toEqual([]);
  });

  it('gives an error with a code: a used code, and a callback without a sign-in', async () => {
    const away = await at.visit('/auth/login');
    const kept = at.jar.header;
    const back = await signInAt(at.pair.sandbox, away.headers.get('location') ?? '', 'user');
    expect((await at.visit(back.pathname + back.search)).status).toBe(302);
    expect((await at.visit(back.pathname + back.search)).status).toBe(400);
    const headers = { cookie: kept };
    const replayed = await fetch(at.origin + back.pathname + back.search, { redirect: 'manual', headers });
    expect(replayed.status).toBe(400);
  });

  it('never makes an anonymous caller: a changed cookie, or one of another kind', async () => {
    await at.visit('/auth/login');
    const signInCookie = at.jar.header.split(/=(.*)/s)[1] ?? '';
    for (const value of ['x', signInCookie, `${signInCookie.slice(0, -4)}AAAA`]) {
      at.jar.set('optiongraph_session', value);
      const answer = await at.ask('{ session { authenticated } }');
      expect(answer).toMatchObject(signedOut);
      expect(at.jar.names).not.toContain('optiongraph_session');
    }
  });

  it('never redirects to another site', async () => {
    for (const returnTo of ['//evil.example', 'http://evil.example/', '/\\evil.example', 'x']) {
      const back = await at.signIn('user', returnTo);
      expect(back.headers.get('location')).toBe('/graphql');
    }
    expect(at.log.lines.join('\n')).not.toContain(CLIENT.secret);
  });
});
