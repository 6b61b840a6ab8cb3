// Tests browser sessions whose requests reach several replicas.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createFacade } from '../../../src/facade/facade.ts';
import { startServer } from '../../../src/server/server.ts';
import {
  AUTHENTICATED_QUERY,
  CLIENT,
  CookieJar,
  createBrowser,
  openBrowser,
  openBrowserAtStub,
} from '../../helpers/browser.ts';
import { collectLog } from '../../helpers/facade.ts';
import { hasRedis, REPLICAS_SECRET, startRedis, type TestRedis } from '../../helpers/redis.ts';
import { answerTokens } from '../../helpers/stub-provider.ts';
import { raw } from '../../helpers/stub-upstream.ts';

const MINUTE = 60_000;
const authenticated = (is: boolean) => ({ data: { session: { authenticated: is } } });

/** Adds a replica in front of an API, for the same browser. */
async function openReplica(upstream: URL, redis: TestRedis, jar: CookieJar) {
  const replicas = await redis.join();
  const facade = await createFacade({
    upstream,
    oauth: { clientId: CLIENT.id, clientSecret: CLIENT.secret, sessionSecret: REPLICAS_SECRET },
    shared: { replicas },
    log: collectLog(),
  });
  const server = await startServer(facade, { host: '127.0.0.1', port: 0 });
  return { ...createBrowser(server.url, jar), replicas, [Symbol.asyncDispose]: () => server.close() };
}

const renewalsOf = (forms: readonly URLSearchParams[]): number =>
  forms.filter((form) => form.get('grant_type') === 'refresh_token').length;

afterEach(() => {
  vi.useRealTimers();
});

describe.skipIf(!hasRedis)('a browser whose requests reach several replicas', () => {
  it('has its refresh token used once, when 60 requests come as its access token ends', {
    retry: 1,
  }, async () => {
    await using redis = await startRedis();
    const shared = { replicas: await redis.join() };
    const oauth = { clientId: CLIENT.id, clientSecret: CLIENT.secret, sessionSecret: REPLICAS_SECRET };
    await using one = await openBrowserAtStub(undefined, { shared, oauth });
    await using two = await openReplica(one.upstream.url, redis, one.jar);
    await using three = await openReplica(one.upstream.url, redis, one.jar);
    vi.useFakeTimers({ toFake: ['Date'] });
    one.provider.answer = answerTokens({ expires_in: 3_600, refresh_token: 'canary-first-refresh-token' });
    await one.signIn();
    vi.setSystemTime(Date.now() + 61 * MINUTE);
    const fresh = answerTokens({
      access_token: 'canary-second-access-token',
      expires_in: 3_600,
      refresh_token: 'canary-second-refresh-token',
    });
    // A second use of the first token would end the session.
    one.provider.answer = (response) => {
      one.provider.answer = raw('{"error":"invalid_grant"}', 400);
      fresh(response);
    };
    const lines = await redis.record();
    const browsers = [one, two, three];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => browsers[index % 3]?.ask(AUTHENTICATED_QUERY)),
    );
    for (const answer of answers) expect(answer).toMatchObject(authenticated(true));
    expect(renewalsOf(one.provider.requests)).toBe(1);
    expect(lines.join('\n')).toMatch(/"SET" "test:value:/i);
    expect(lines.join('\n')).not.toContain('canary');
    for (const key of (await redis.send('KEYS', 'test:value:*')) as string[])
      expect(await redis.send('GET', key)).not.toContain('canary');
  });

  it('has its session renewed while Redis is away', async () => {
    await using redis = await startRedis();
    const shared = { replicas: await redis.join() };
    const oauth = { clientId: CLIENT.id, clientSecret: CLIENT.secret, sessionSecret: REPLICAS_SECRET };
    await using one = await openBrowserAtStub(undefined, { shared, oauth });
    vi.useFakeTimers({ toFake: ['Date'] });
    one.provider.answer = answerTokens({ expires_in: 3_600, refresh_token: 'first' });
    await one.signIn();
    vi.setSystemTime(Date.now() + 61 * MINUTE);
    one.provider.answer = answerTokens({ access_token: 'second', expires_in: 3_600, refresh_token: 'next' });
    await redis.stop();
    expect(await one.ask(AUTHENTICATED_QUERY)).toMatchObject(authenticated(true));
    expect(renewalsOf(one.provider.requests)).toBe(1);
  });

  it('is signed out of all', async () => {
    await using redis = await startRedis();
    const shared = { replicas: await redis.join() };
    await using one = await openBrowser({ sessionSecret: REPLICAS_SECRET }, { shared });
    await using other = await openReplica(new URL(one.pair.sandbox.url), redis, new CookieJar());
    await one.signIn();
    const [name = '', value = ''] = one.jar.header.split(/=(.*)/s);
    const askOther = async (): Promise<unknown> => {
      other.jar.set(name, value);
      const { data = null } = await other.ask(AUTHENTICATED_QUERY);
      return data;
    };
    expect(await askOther()).toEqual({ session: { authenticated: true } });
    expect((await one.logout()).status).toBe(204);
    await expect.poll(askOther).toBeNull();
  });
});

describe('a session secret', () => {
  it('is replaced without ending a session: the first of several encrypts, and all decrypt', async () => {
    const [before, after] = ['b'.repeat(32), 'a'.repeat(32)];
    await using at = await openBrowser({ sessionSecret: before });
    await at.signIn();
    const ask = async (sessionSecret: readonly string[]) => {
      const oauth = { clientId: CLIENT.id, clientSecret: CLIENT.secret, sessionSecret };
      const upstream = new URL(at.pair.sandbox.url);
      await using facade = await createFacade({ upstream, oauth, log: collectLog() });
      await using server = await startServer(facade, { host: '127.0.0.1', port: 0 });
      const jar = new CookieJar();
      const [name = '', value = ''] = at.jar.header.split(/=(.*)/s);
      jar.set(name, value);
      return await createBrowser(server.url, jar).ask(AUTHENTICATED_QUERY);
    };
    expect(await ask([before, after])).toMatchObject(authenticated(true));
    expect(await ask([after, before])).toMatchObject(authenticated(true));
    expect(await ask([after])).toMatchObject({ status: 401 });
  });
});
