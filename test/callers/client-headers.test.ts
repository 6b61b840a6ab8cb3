// Tests what the management API learns about the client of each call.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RecordedRequest } from '../../packages/sandbox/src/http/sandbox-server.ts';
import { listenSandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { VERSION } from '../../src/upstream/version.ts';
import { openBrowser } from '../helpers/browser.ts';
import { runInProcess } from '../helpers/cli-in-process.ts';
import { startPair } from '../helpers/facade.ts';
import { openLibrary } from '../helpers/library.ts';
import { signInAt } from '../helpers/oauth.ts';
import { shareApi } from '../helpers/shared-api.ts';
import { signIn } from '../helpers/sign-in.ts';
import { overSse, overWebSocket } from '../helpers/streams.ts';
import { post } from '../helpers/transports.ts';
import { openWorkshop } from '../helpers/workshop.ts';

const CLIENT = '198.51.100.7';
/** What a client states of itself, and nobody may believe. */
const CLAIM = '203.0.113.66';
const PRODUCT = `optiongraph/${VERSION}`;
const SENT = {
  'user-agent': 'Example/1.0 (a test)',
  'x-forwarded-for': `${CLAIM}, ${CLIENT}`,
  'x-real-ip': CLAIM,
  'client-ip': CLAIM,
  forwarded: `for=${CLAIM}`,
};
/** How the API receives a call that is made for the client. */
const OF_CLIENT = {
  address: CLIENT,
  headers: {
    'client-ip': CLIENT,
    'x-forwarded-for': CLIENT,
    'user-agent': `${PRODUCT} (Example/1.0 (a test))`,
  },
};
const QUERY = '{ userCurrent { login } }';

/** The headers about a client among others. */
const aboutClient = (headers: RecordedRequest['headers']) => ({
  'client-ip': headers['client-ip'],
  'x-forwarded-for': headers['x-forwarded-for'],
  'user-agent': headers['user-agent'],
});
const NOBODY = { 'client-ip': undefined, 'x-forwarded-for': undefined, 'user-agent': PRODUCT };

/** Serves a sandbox behind a proxy that sets `X-Real-IP`. */
async function serve(facade: Partial<FacadeOptions> = {}) {
  const pair = await startPair({ sandbox: { behindProxy: true }, facade });
  const requests: RecordedRequest[] = [];
  pair.sandbox.onRequest((request) => requests.push(request));
  const { url } = await pair.listen();
  return {
    pair,
    requests,
    url,
    post: (query: string, headers: Record<string, string>) =>
      post(url, { query }, headers).then((response) => response.json()),
    /** The header of a new token, which the facade does not know. */
    token: async () => ({ [pair.sandbox.tokenHeader]: await signIn(pair.sandbox, {}) }),
    [Symbol.asyncDispose]: () => pair[Symbol.asyncDispose](),
  };
}

let shared: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  shared = await serve();
});
afterAll(() => shared[Symbol.asyncDispose]());

/** Checks that requests are made for the client, and contain nothing of its claims. */
function expectClient(requests: readonly RecordedRequest[]): void {
  for (const request of requests) expect(request).toMatchObject(OF_CLIENT);
  expect(JSON.stringify(requests)).not.toContain(CLAIM);
}

const headerOf = (token: Record<string, string>) => ({ ...token, ...SENT });

afterEach(() => void vi.useRealTimers());

describe('the API is told the client of', () => {
  it.each<readonly [string, (url: string, token: Record<string, string>) => Promise<unknown>]>([
    [
      'a POST',
      (url, token) => post(url, { query: QUERY }, headerOf(token)).then((response) => response.text()),
    ],
    [
      'a GET',
      (url, token) =>
        fetch(`${url}?query=${encodeURIComponent(QUERY)}`, { headers: headerOf(token) }).then((response) =>
          response.text(),
        ),
    ],
    [
      'a request for server-sent events',
      (url, token) => overSse(url, `query ${QUERY}`, headerOf(token)).rest(),
    ],
    [
      'a WebSocket, of its upgrade and not of its parameters',
      (url, token) => {
        const params = { ...token, 'User-Agent': CLAIM, 'X-Forwarded-For': CLAIM, 'Client-IP': CLAIM };
        return overWebSocket(url, `query ${QUERY}`, params, SENT).rest();
      },
    ],
  ])('%s, with the description for the caller', async (_name, send) => {
    const at = shared;
    const token = await at.token();
    at.requests.length = 0;
    await send(at.url, token);
    const methods = at.requests.map(({ method }) => method);
    expect([methods.filter((method) => method === 'OPTIONS').length, methods.at(-1)]).toEqual([2, 'GET']);
    expectClient(at.requests);
  });

  it('a description that is fetched again, while the operator’s names none', async () => {
    const at = shared;
    const headers = headerOf(await at.token());
    await at.post(QUERY, headers);
    at.requests.length = 0;
    await at.pair.facade.refresh();
    const own = at.requests.splice(0);
    expect(own.length).toBeGreaterThan(0);
    for (const request of own) expect(aboutClient(request.headers)).toEqual(NOBODY);
    await at.post(QUERY, headers);
    expect(at.requests.map(({ method }) => method)).toContain('OPTIONS');
    expectClient(at.requests);
  });

  it('an attempt to sign in', async () => {
    const at = shared;
    const input = '{ user: "user", password: "wrong", lifetime: FIXED }';
    at.requests.length = 0;
    await at.post(`mutation { tokenRequest(input: ${input}) { userErrors { code } } }`, SENT);
    expect(at.requests.map(({ scope }) => scope)).toContain('token#request');
    expectClient(at.requests);
  });

  it('a sign-in, a renewal and a sign-out at the provider', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await using at = await openBrowser();
    const requests: RecordedRequest[] = [];
    at.pair.sandbox.onRequest((request) => {
      if (/oauth2\/(token|revoke)$/.test(request.path)) requests.push(request);
    });
    const visit = async (path: string) =>
      at.jar.store(
        await fetch(at.origin + path, {
          redirect: 'manual',
          headers: { ...SENT, cookie: at.jar.header },
        }),
      );
    const away = await visit('/auth/login');
    const back = await signInAt(at.pair.sandbox, away.headers.get('location') ?? '', 'user');
    await visit(back.pathname + back.search);
    vi.setSystemTime(Date.now() + 2 * 3_600_000);
    expect(await at.ask(QUERY, SENT)).toMatchObject({ data: { userCurrent: { login: 'user' } } });
    await fetch(`${at.origin}/auth/logout`, {
      method: 'POST',
      headers: {
        ...SENT,
        cookie: at.jar.header,
        'sec-fetch-site': 'same-origin',
        'x-requested-with': 'page',
      },
    });
    const paths = requests.map(({ path }) => path.split('/').at(-1));
    expect([paths.slice(0, 2), new Set(paths.slice(2))]).toEqual([['token', 'token'], new Set(['revoke'])]);
    expectClient(requests);
  });
});

describe('no client is named by', () => {
  it('the polls of running actions, which all their watchers share', async () => {
    await using shop = await openWorkshop();
    const server = await shop.listen();
    const headers = { ...SENT, 'x-library-token': 'one' };
    const stream = overSse(server.url, 'subscription { actionProgress(id: "500") { current } }', headers);
    await stream.next();
    await shop.actions.waitForOpenPolls(1);
    const pending = overSse(server.url, 'subscription { pendingActions { id } }', headers);
    await pending.next();
    for (const { headers: got } of shop.upstream.calls) expect(aboutClient(got)).toEqual(NOBODY);
    expect(new Set(shop.upstream.calls.map(({ scope }) => scope))).toEqual(
      new Set(['action_state#poll', 'action_state#index']),
    );
    await stream.leave();
    await pending.leave();
  });

  it('the command line, whose connection is the client’s own', async () => {
    await using sandbox = await listenSandbox();
    const requests: RecordedRequest[] = [];
    sandbox.onRequest((request) => requests.push(request));
    const token = `${sandbox.users[1]?.token}`;
    const { code } = await runInProcess(['query', '--upstream', sandbox.url, QUERY], {
      OPTIONGRAPH_TOKEN: token,
    });
    expect([code, requests.at(-1)?.method]).toEqual([0, 'GET']);
    for (const { headers } of requests) expect(aboutClient(headers)).toEqual(NOBODY);
  });
});

describe('the operator', () => {
  it.each([
    [[], NOBODY, '127.0.0.1'],
    [['client-ip'], { ...NOBODY, 'client-ip': CLIENT }, CLIENT],
    [['x-forwarded-for'], { ...NOBODY, 'x-forwarded-for': CLIENT }, '127.0.0.1'],
    [['user-agent'], { ...NOBODY, 'user-agent': OF_CLIENT.headers['user-agent'] }, '127.0.0.1'],
  ] as const)('chooses the headers %j', async (clientHeaders, expected, address) => {
    await using at = await serve({ clientHeaders });
    at.requests.length = 0;
    await at.post(QUERY, headerOf(at.pair.headers('user')));
    expect(at.requests).toHaveLength(3);
    for (const request of at.requests)
      expect([aboutClient(request.headers), request.address]).toEqual([expected, address]);
  });

  it('trusts proxies, and no others', async () => {
    await using at = await serve({ trustedProxies: [] });
    await at.post(QUERY, headerOf(at.pair.headers('user')));
    expect(at.requests.at(-1)).toMatchObject({
      address: '127.0.0.1',
      headers: { 'client-ip': '127.0.0.1', 'x-forwarded-for': '127.0.0.1' },
    });
  });
});

describe('what is sent is valid and bounded:', () => {
  const library = shareApi(() => openLibrary());

  it.each([
    ['::ffff:198.51.100.7', CLIENT],
    ['2001:DB8:0:0::7', '2001:db8::7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['unknown', undefined],
    ['198.51.100.7:54321', undefined],
    ['a, \xff', undefined],
  ])('the address %j', async (stated, expected) => {
    await shared.post(QUERY, { ...shared.pair.headers('user'), 'x-forwarded-for': stated });
    expect(shared.requests.map(({ headers }) => headers['client-ip']).at(-1)).toBe(expected);
  });

  it.each([
    ['Example/1.0 (X11; nested)', 'Example/1.0 (X11; nested)'],
    ['Example/1.0 (X11; (nested))', 'Example/1.0 \\(X11; \\(nested\\)\\)'],
    ['Example) (evil', 'Example\\) \\(evil'],
    ['back\\slash', 'back\\\\slash'],
    ['caf\xe9\t1', 'caf??1'],
    ['x'.repeat(600), 'x'.repeat(512)],
    [`(${'y'.repeat(600)})`, `\\(${'y'.repeat(511)}`],
    ['  ', null],
  ])('the user agent %j', async (stated, expected) => {
    await library.ask('{ authors { nodes { name } } }', { headers: { 'user-agent': stated } });
    const [sent] = library.upstream.calls.map(({ headers }) => headers['user-agent']);
    expect(sent).toBe(expected === null ? PRODUCT : `${PRODUCT} (${expected})`);
  });
});
