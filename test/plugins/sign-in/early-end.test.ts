// Tests browser sessions whose access token ends before its stated end.
import { type ClientOptions, createClient } from 'graphql-ws';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RecordedRequest } from '../../../packages/sandbox/src/http/sandbox-server.ts';
import { CredentialVerifier } from '../../../src/callers/credential-verifier.ts';
import { joinAlone } from '../../../src/sharing/local-replicas.ts';
import {
  AUTHENTICATED_QUERY,
  CLIENT,
  createWebSocketClass,
  openBrowserAtStub,
  SESSION_QUERY,
} from '../../helpers/browser.ts';
import { submit } from '../../helpers/oauth.ts';
import { shareBrowser } from '../../helpers/shared-pair.ts';
import { answerTokens } from '../../helpers/stub-provider.ts';
import { hangUp, refuse } from '../../helpers/stub-upstream.ts';
import { post } from '../../helpers/transports.ts';

const user = { data: { userCurrent: { login: 'user' } } };
const signedOut = { status: 401, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] };
const CREATE =
  'mutation { datasetSnapshotCreate(dataset: "dataset/12", input: { label: "once" }) { userErrors { message } } }';

afterEach(() => {
  vi.useRealTimers();
});

/** Opens a browser whose token the facade verifies again after `ttl` milliseconds. */
function shareSignedIn(ttl: number) {
  const at = shareBrowser({}, { shared: { verifier: new CredentialVerifier(joinAlone(), ttl) } });
  const requests: RecordedRequest[] = [];
  beforeAll(() => at.pair.sandbox.onRequest((request) => void requests.push(request)));
  beforeEach(async () => {
    requests.length = 0;
    await at.signIn();
    expect(await at.ask()).toMatchObject(user);
  });
  return Object.assign(at, {
    requests,
    /** Ends only the last access token, as the platform does when it ends a session. */
    async endAccess(kind: 'access' | 'all' = 'access'): Promise<void> {
      const bearer = requests.findLast(({ headers }) => headers.authorization?.startsWith('Bearer '));
      const token = bearer?.headers.authorization?.slice(7) ?? '';
      const own = { client_id: CLIENT.id, client_secret: CLIENT.secret };
      if (kind === 'all') {
        // Redeeming a code twice revokes its tokens.
        const redeemed = requests.find(({ path }) => path.endsWith('/token'))?.body;
        await submit(at.pair.sandbox, 'token', Object.fromEntries(new URLSearchParams(String(redeemed))));
      } else expect((await submit(at.pair.sandbox, 'revoke', { ...own, token })).status).toBe(200);
      requests.length = 0;
    },
    renewals: () => requests.filter(({ path }) => path.endsWith('/oauth2/token')).length,
  });
}

describe.each([
  ['the call that is refused', 300_000],
  ['the question whether the token is known', -1],
])('a session whose access token ends early, which is found by %s', (_name, ttl) => {
  const at = shareSignedIn(ttl);

  it('is renewed once for simultaneous requests', async () => {
    await at.endAccess();
    const before = at.jar.header;
    const query = '{ userCurrent { login } datasets { nodes { id } } dnsZones { nodes { id } } }';
    const answers = await Promise.all([at.ask(query), at.ask(query), at.ask(query)]);
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 200, ...user });
      expect(answer.errors).toBeUndefined();
    }
    expect([at.renewals(), at.jar.header === before]).toEqual([1, false]);
    expect(await at.ask()).toMatchObject(user);
    expect(at.renewals()).toBe(1);
  });

  it.runIf(ttl < 0)('gives a new WebSocket a new token, and sets its cookie', async () => {
    await at.endAccess();
    const before = at.jar.header;
    const OwnSocket = createWebSocketClass(at);
    const socket = new OwnSocket(`${at.origin.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await new Promise((resolve) => socket.on('open', resolve));
    socket.close();
    expect([at.renewals(), at.jar.header === before]).toEqual([1, false]);
    expect(await at.ask()).toMatchObject(user);
    expect(at.renewals()).toBe(1);
  });
});

describe('a browser’s session whose access token ends early', () => {
  const at = shareSignedIn(300_000);

  it('applies a write once: only the refused call is repeated', async () => {
    await at.endAccess();
    expect(await at.ask(CREATE)).toMatchObject({ data: { datasetSnapshotCreate: { userErrors: [] } } });
    const writes = at.requests.filter(({ scope }) => scope === 'dataset.snapshot#create');
    expect(writes.map(({ status }) => status)).toEqual([401, 200]);
    expect(at.renewals()).toBe(1);
  });

  it('ends when the refresh token is invalid too, which is tried once', async () => {
    await at.endAccess('all');
    expect(await at.ask()).toMatchObject(signedOut);
    expect([at.renewals(), at.jar.names]).toEqual([1, []]);
    expect(await at.ask(AUTHENTICATED_QUERY)).toMatchObject({ data: { session: { authenticated: false } } });
    expect(at.renewals()).toBe(1);
  });

  it('keeps its token when an action answers 401 for another reason', async () => {
    at.requests.length = 0;
    expect(await at.ask('mutation { tokenRenew { userErrors { message } } }')).toMatchObject(signedOut);
    expect(at.requests.filter(({ scope }) => scope === 'token#renew')).toHaveLength(1);
    expect(await at.ask()).toMatchObject(user);
    expect(at.renewals()).toBe(0);
  });

  it('is not renewed for a request with a credential of its own', async () => {
    await at.endAccess();
    const headers = { [at.pair.sandbox.tokenHeader]: 'unknown' };
    expect(await at.ask(SESSION_QUERY, headers)).toMatchObject(signedOut);
    expect(at.renewals()).toBe(0);
  });

  it('ends when the API does not know the new token either, which is tried once', async () => {
    await using at = await openBrowserAtStub();
    at.provider.answer = answerTokens({ refresh_token: 'refresh' });
    await at.signIn();
    const { onOptions } = at.upstream;
    at.upstream.onOptions = (headers, url) =>
      url.searchParams.has('method') ? refuse('who?', null, 401) : onOptions(headers, url);
    expect(await at.ask(AUTHENTICATED_QUERY)).toMatchObject(signedOut);
    expect(at.jar.names).toEqual([]);
    expect(at.provider.requests.filter((form) => form.has('refresh_token'))).toHaveLength(1);
  });

  it('is renewed again when the browser has missed a renewal that has ended since', async () => {
    await using at = await openBrowserAtStub();
    vi.useFakeTimers({ toFake: ['Date'] });
    at.provider.answer = answerTokens({ access_token: 'first', expires_in: 3_600, refresh_token: 'one' });
    await at.signIn();
    const missed = at.jar.header.split(/=(.*)/s);
    vi.setSystemTime(Date.now() + 3_600_000);
    for (const name of ['two', 'three']) {
      at.jar.set(missed[0] ?? '', missed[1] ?? '');
      at.provider.answer = answerTokens({ access_token: name, expires_in: 20, refresh_token: name });
      expect(await at.ask(AUTHENTICATED_QUERY)).toMatchObject({ data: { session: { authenticated: true } } });
      vi.setSystemTime(Date.now() + 30_000);
    }
    const used = at.provider.requests.flatMap((form) => form.get('refresh_token') ?? []);
    expect(used).toEqual(['one', 'two']);
  });

  it('waits while the provider is down', async () => {
    await using at = await openBrowserAtStub();
    at.provider.answer = answerTokens({ access_token: 'first', refresh_token: 'refresh' });
    await at.signIn();
    const { onOptions } = at.upstream;
    at.upstream.onOptions = (headers, url) =>
      url.searchParams.has('method') && headers.authorization === 'Bearer first'
        ? refuse('who?', null, 401)
        : onOptions(headers, url);
    at.provider.answer = hangUp;
    expect(await at.ask(AUTHENTICATED_QUERY)).toMatchObject({
      errors: [{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }],
    });
    at.provider.answer = answerTokens({ access_token: 'second' });
    expect(await at.ask(AUTHENTICATED_QUERY)).toMatchObject({ data: { session: { authenticated: true } } });
    expect(at.provider.requests.filter((form) => form.has('refresh_token'))).toHaveLength(2);
  });

  it('is not renewed by a response that has begun, because it cannot set the cookie', async () => {
    const headers = { accept: 'text/event-stream', cookie: at.jar.header, 'sec-fetch-site': 'same-origin' };
    const query = 'subscription { pendingActions { id } }';
    const answer = await post(`${at.origin}/graphql`, { query }, headers);
    await expect.poll(() => at.pair.facade.watcher.watched).toBe(1);
    await at.endAccess();
    expect(await answer.text()).toContain('UNAUTHENTICATED');
    expect(at.renewals()).toBe(0);
    expect(await at.ask()).toMatchObject(user);
    expect(at.renewals()).toBe(1);
  });
});

describe('a WebSocket of a browser whose access token ends early', () => {
  const at = shareSignedIn(300_000);
  const connect = (more: Partial<ClientOptions> = {}) =>
    createClient({
      url: `${at.origin.replace('http', 'ws')}/graphql`,
      webSocketImpl: createWebSocketClass(at),
      retryWait: async () => undefined,
      ...more,
    });

  it('executes simultaneous operations once, on one new connection', async () => {
    const events: unknown[] = [];
    const client = connect({
      lazy: false,
      on: {
        opened: () => events.push('opened'),
        closed: (event) => events.push((event as { code: number }).code),
      },
    });
    const ask = async (query: string) => (await client.iterate({ query }).next()).value;
    expect(await ask(SESSION_QUERY)).toMatchObject(user);
    await at.endAccess();
    const answers = await Promise.all([SESSION_QUERY, CREATE, AUTHENTICATED_QUERY].map(ask));
    for (const answer of answers) {
      expect(answer.errors).toBeUndefined();
      expect(answer.data).toBeTruthy();
    }
    expect([events, at.renewals()]).toEqual([['opened', 4403, 'opened'], 1]);
    const writes = at.requests.filter(({ scope }) => scope === 'dataset.snapshot#create');
    expect(writes.map(({ status }) => status)).toEqual([200]);
    expect(await at.ask()).toMatchObject(user);
    expect(at.renewals()).toBe(1);
    await client.dispose();
  });

  it('ends live queries with the error, which go on with a new token when they are sent again', async () => {
    const client = connect();
    const query = 'query @live(interval: 1) { userCurrent { login } }';
    const live = client.iterate({ query });
    expect((await live.next()).value).toMatchObject(user);
    await at.endAccess();
    await expect(live.next()).rejects.toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    expect((await client.iterate({ query }).next()).value).toMatchObject(user);
    expect(at.renewals()).toBe(1);
    await client.dispose();
  });

  it('gets the error when the session cannot be renewed, and reconnects once', async () => {
    let opened = 0;
    const client = connect({ on: { opened: () => (opened += 1) } });
    const ask = async () => (await client.iterate({ query: SESSION_QUERY }).next()).value;
    expect(await ask()).toMatchObject(user);
    await at.endAccess('all');
    await expect(ask()).rejects.toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    expect([opened, at.renewals()]).toEqual([3, 1]);
    await client.dispose();
  });
});
