// Tests the sessions of browsers: renewal, cookies, origins and failures.
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RecordedRequest } from '../../../packages/sandbox/src/http/sandbox-server.ts';
import {
  AUTHENTICATED_QUERY,
  CLIENT,
  createWebSocketClass,
  openBrowser,
  openBrowserAtStub,
  SESSION_QUERY,
} from '../../helpers/browser.ts';
import { shareBrowser } from '../../helpers/shared-pair.ts';
import { answerTokens } from '../../helpers/stub-provider.ts';
import { hangUp, raw, reply } from '../../helpers/stub-upstream.ts';

const MINUTE = 60_000;
const user = { data: { userCurrent: { login: 'user' } } };
const unauthenticated = { status: 401, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] };
const authenticated = (is: boolean) => ({ data: { session: { authenticated: is } } });

type Browser = Awaited<ReturnType<typeof openBrowser>>;

afterEach(() => void vi.useRealTimers());

/** Signs in, and advances the clock by some minutes; access tokens live for 60. */
async function signInUntil(at: { signIn(): Promise<Response> }, minutes: number): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'] });
  await at.signIn();
  vi.setSystemTime(Date.now() + minutes * MINUTE);
}

/** Records all requests to the sandbox from now on, also those for descriptions. */
function requestsOf({ pair }: Browser): readonly RecordedRequest[] {
  const requests: RecordedRequest[] = [];
  pair.sandbox.onRequest((request) => requests.push(request));
  return requests;
}

const isRenewal = ({ path }: RecordedRequest): boolean => path.endsWith('/token');

/** The answer on a WebSocket with the browser's cookie. */
async function overWebSocket(at: Browser): Promise<unknown> {
  const OwnSocket = createWebSocketClass(at);
  const socket = new OwnSocket(`${at.origin.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const send = (message: object): void => socket.send(JSON.stringify(message));
  const answer = await new Promise((resolve) => {
    socket.on('open', () => send({ type: 'connection_init' }));
    socket.on('message', (data) => {
      const { type, payload } = JSON.parse(String(data));
      if (type === 'connection_ack') send({ id: '1', type: 'subscribe', payload: { query: SESSION_QUERY } });
      if (type === 'next' || type === 'error') resolve(payload);
    });
    socket.on('close', resolve);
  });
  socket.close();
  return answer;
}

describe('the renewal of a session', () => {
  const shared = shareBrowser();

  it.each([59.5, 61])(
    'happens at the upgrade to a WebSocket too, which sets the new cookie (after %f minutes)',
    async (minutes) => {
      await signInUntil(shared, minutes);
      const requests = requestsOf(shared);
      const before = shared.jar.header;
      expect(await overWebSocket(shared)).toMatchObject(user);
      expect(requests.filter(isRenewal)).toHaveLength(1);
      expect(shared.jar.header).not.toBe(before);
      expect(await shared.ask()).toMatchObject(user);
      expect(await overWebSocket(shared)).toMatchObject(user);
      expect(requests.filter(isRenewal)).toHaveLength(1);
    },
  );

  it('closes an open WebSocket instead: running operations get the error, and new ones get no response', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await shared.signIn();
    const OwnSocket = createWebSocketClass(shared);
    const socket = new OwnSocket(`${shared.origin.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const messages: { type: string; id?: string; payload?: unknown }[] = [];
    const ask = (id: string, query: string): void =>
      socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query } }));
    socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init' })));
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    const closed = new Promise<number>((resolve) => {
      socket.on('close', resolve);
    });
    await expect.poll(() => messages.length).toBe(1);
    ask('stream', 'subscription { pendingActions { id } }');
    await expect.poll(() => shared.pair.facade.watcher.watched).toBe(1);
    ask('early', '{ components { nodes { id } } }');
    await expect.poll(() => messages.filter(({ id }) => id === 'early').length).toBe(2);
    vi.setSystemTime(Date.now() + 61 * MINUTE);
    ask('late', '{ components { nodes { id } } }');
    expect(await closed).toBe(4403);
    expect(messages.filter(({ id }) => id === 'late')).toEqual([]);
    expect(messages.filter(({ id }) => id === 'stream').at(-1)).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'UNAUTHENTICATED' } }],
    });
  });

  it('waits for the last quarter of short-lived tokens, and happens again when they have ended', async () => {
    await using at = await openBrowserAtStub();
    vi.useFakeTimers({ toFake: ['Date'] });
    at.provider.answer = answerTokens({ expires_in: 20, refresh_token: 'again and again' });
    await at.signIn();
    const renewals = () =>
      at.provider.requests.filter((form) => form.get('grant_type') === 'refresh_token').length;
    const look = async (seconds: number) => {
      vi.setSystemTime(Date.now() + seconds * 1000);
      expect(await at.ask(AUTHENTICATED_QUERY)).toMatchObject(authenticated(true));
      return renewals();
    };
    expect([await look(0), await look(5), await look(5)]).toEqual([0, 0, 0]);
    expect([await look(6), await look(1)]).toEqual([1, 1]);
    expect([await look(30), await look(1)]).toEqual([2, 2]);
    expect(await look(30)).toBe(3);
  });

  it('is revoked with its session: the previous cookie is invalid too', async () => {
    await signInUntil(shared, 59.5);
    const [name = '', before = ''] = shared.jar.header.split(/=(.*)/s);
    await shared.ask(AUTHENTICATED_QUERY);
    const after = shared.jar.header.split(/=(.*)/s)[1] ?? '';
    shared.jar.set(name, before);
    expect((await shared.logout()).status).toBe(204);
    for (const value of [before, after]) {
      shared.jar.set(name, value);
      expect(await shared.ask()).toMatchObject(unauthenticated);
    }
  });

  it('happens only where the response sets the new cookie: the explorer’s examples use no refresh token', async () => {
    await signInUntil(shared, 59.5);
    const requests = requestsOf(shared);
    const answer = await fetch(`${shared.origin}/graphql/examples`, {
      headers: { cookie: shared.jar.header, 'sec-fetch-site': 'same-origin', 'x-requested-with': 'page' },
    });
    expect(await answer.text()).toContain('datasetSnapshotCreate');
    expect(requests.filter(isRenewal)).toEqual([]);
  });

  it('sets the new cookie in any response', async () => {
    await signInUntil(shared, 59.5);
    const before = shared.jar.header;
    expect(await shared.ask('{ noSuchField }')).toMatchObject({ errors: [{}] });
    expect(shared.jar.names).toEqual(['optiongraph_session']);
    expect(shared.jar.header).not.toBe(before);
  });

  it.each([
    ['is down', hangUp],
    ['answers with a page', raw('<h1>Bad gateway</h1>', 502)],
    ['does not know the facade (any more)', reply({ error: 'invalid_client' }, 401)],
  ])('waits while the provider %s, and the tokens are used until they end', async (_name, answer) => {
    await using at = await openBrowserAtStub();
    at.provider.answer = answerTokens({ refresh_token: 'refresh', expires_in: 3600.5 });
    await signInUntil(at, 59.5);
    at.provider.answer = answer;
    expect(await at.ask(AUTHENTICATED_QUERY)).toMatchObject(authenticated(true));
    vi.setSystemTime(Date.now() + MINUTE);
    expect(await at.ask(AUTHENTICATED_QUERY)).toMatchObject({
      errors: [{ extensions: { code: expect.stringMatching(/^UPSTREAM_(UNAVAILABLE|INVALID_RESPONSE)$/) } }],
    });
    at.provider.answer = answerTokens({ expires_in: 3600 });
    expect(await at.ask(AUTHENTICATED_QUERY)).toMatchObject(authenticated(true));
    const tokens = at.provider.requests.map((form) => form.get('refresh_token'));
    expect(tokens).toEqual([null, 'refresh', 'refresh', 'refresh']);
  });

  it('signs the browser out when the provider refuses it', async () => {
    await using at = await openBrowserAtStub();
    at.provider.answer = answerTokens({ refresh_token: 'refresh', expires_in: 3600 });
    await signInUntil(at, 58.5);
    expect(await at.ask(AUTHENTICATED_QUERY)).toMatchObject(authenticated(true));
    vi.setSystemTime(Date.now() + MINUTE);
    at.provider.answer = reply({ error: 'invalid_grant' }, 400);
    expect(await at.ask(AUTHENTICATED_QUERY)).toMatchObject(unauthenticated);
    expect(at.jar.names).toEqual([]);
  });
});

describe('a cookie', () => {
  it('of another API’s session is invalid, although the secret is the same', async () => {
    const sessionSecret = 's'.repeat(32);
    await using one = await openBrowser({ sessionSecret });
    await using other = await openBrowser({ sessionSecret });
    await one.signIn();
    const [name = '', value = ''] = one.jar.header.split(/=(.*)/s);
    other.jar.set(name, value);
    const requests = requestsOf(other);
    expect(await other.ask()).toMatchObject(unauthenticated);
    expect(requests.filter(({ headers }) => headers.authorization?.startsWith('Bearer'))).toEqual([]);
  });

  it('is not removed when another site posts to /auth/logout', async () => {
    await using at = await openBrowser();
    const response = await fetch(`${at.origin}/auth/logout`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site', origin: 'http://evil.example' },
    });
    expect([response.status, response.headers.getSetCookie()]).toEqual([403, []]);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
  });

  it('is accepted by the public URL when a reverse proxy replaces the Host header', async () => {
    await using at = await openBrowser({}, { pages: { publicUrl: 'http://graphql.example' } });
    at.jar.set('optiongraph_session', 'damaged');
    expect(await at.ask(AUTHENTICATED_QUERY, { origin: at.origin })).toMatchObject(authenticated(false));
    expect(await at.ask(AUTHENTICATED_QUERY, { origin: 'http://graphql.example' })).toMatchObject(
      unauthenticated,
    );
  });

  it('is limited to https and its host when the public URL is https', async () => {
    await using at = await openBrowser({}, { pages: { publicUrl: 'https://graphql.example' } });
    const [cookie = ''] = (await at.visit('/auth/login')).headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-optiongraph_sign_in=.*; Path=\/;.*; Secure$/);
  });
});

describe('another origin', () => {
  const listed = 'http://app.example';
  const at = shareBrowser({}, { pages: { origins: [listed] } });

  it('that is listed may sign in, return, and use the cookie', async () => {
    const back = await at.signIn('user', `${listed}/start?x=1`);
    expect(back.headers.get('location')).toBe(`${listed}/start?x=1`);
    const answer = await at.ask(SESSION_QUERY, { origin: listed, 'sec-fetch-site': 'same-site' });
    expect(answer).toMatchObject(user);
    expect(answer.headers.get('access-control-allow-origin')).toBe(listed);
    expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
  });

  it('that is not listed may send a credential in a header, never the cookie', async () => {
    await at.signIn();
    for (const origin of ['http://app.example.evil', 'https://app.example', 'null']) {
      const answer = await at.ask(AUTHENTICATED_QUERY, { origin });
      expect(answer).toMatchObject(authenticated(false));
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    }
    expect(
      await at.ask(SESSION_QUERY, { origin: 'http://evil.example', ...at.pair.headers('user') }),
    ).toMatchObject(user);
  });

  it.each(['/graphql?query=', `${listed}/`])(
    'is not returned to by an address that is too long: %s…',
    async (start) => {
      const away = await at.visit(`/auth/login?returnTo=${encodeURIComponent(start + 'ž'.repeat(900))}`);
      expect(away.status).toBe(302);
    },
  );
});

describe('signing in', () => {
  it('with a token that lives for longer than dates reach gives a session without end', async () => {
    await using at = await openBrowserAtStub();
    at.provider.answer = answerTokens({ expires_in: 1e15 });
    expect((await at.signIn()).status).toBe(302);
    expect(await at.ask('{ session { authenticated expiresAt } }')).toMatchObject({
      data: { session: { authenticated: true, expiresAt: null } },
    });
  });

  it.each([
    ['too long tokens', answerTokens({ access_token: 'x'.repeat(5_000) }), 'UPSTREAM_INVALID_RESPONSE'],
    ['a token that no header can carry', answerTokens({ access_token: 'a\nb' }), 'UPSTREAM_INVALID_RESPONSE'],
    ['a page instead of tokens', raw('<h1>Hello</h1>'), 'UPSTREAM_INVALID_RESPONSE'],
    ['an unknown secret', reply({ error: 'invalid_client' }, 401), 'UPSTREAM_INVALID_RESPONSE'],
    ['a provider that is down', hangUp, 'UPSTREAM_UNAVAILABLE'],
  ])('fails with a code: %s', async (_name, answer, code) => {
    await using at = await openBrowserAtStub();
    at.provider.answer = answer;
    const response = await at.signIn();
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code } }] });
    expect(at.jar.names).toEqual([]);
    expect(at.log.lines).toHaveLength(1);
    expect(at.log.lines.join()).not.toContain(CLIENT.secret);
  });
});
