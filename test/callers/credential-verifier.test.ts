// Tests when a verification counts no more, and that unknown credentials are limited by network.
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CredentialVerifier } from '../../src/callers/credential-verifier.ts';
import { joinAlone } from '../../src/sharing/local-replicas.ts';
import { createCredential } from '../../src/upstream/http/caller.ts';
import { action, describeApi, resource } from '../helpers/describe-api.ts';
import { openApi } from '../helpers/described.ts';
import { ask, startFacade, startPair } from '../helpers/facade.ts';
import { signIn } from '../helpers/sign-in.ts';
import { type Answer, ok, refuse } from '../helpers/stub-upstream.ts';
import { post } from '../helpers/transports.ts';

const SHELF = describeApi({
  shelf: resource({ show: action({ path: '/shelf', namespace: 'shelf', output: { id: 'Integer' } }) }),
});
const QUERY = '{ shelf { id } }';

/** Starts a facade and a stub upstream that answers credential probes with `answerProbe`. */
async function open(
  answerProbe: (token: string) => Answer | Promise<Answer>,
  verifier = new CredentialVerifier(joinAlone()),
) {
  const handlers = { 'shelf#show': () => ok({ shelf: { id: 1 } }) };
  const api = await openApi(SHELF, handlers, { shared: { verifier } });
  const probes: string[] = [];
  api.upstream.onOptions = ({ 'x-library-token': token }, { search }) => {
    if (!search.startsWith('?method=')) return ok(SHELF);
    probes.push(String(token));
    return async (response) => (await answerProbe(String(token)))(response);
  };
  return { ...api, probes };
}

afterEach(() => void vi.useRealTimers());

describe('the verification of a credential', () => {
  it('is discarded if the credential is forgotten before the upstream answers', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const verifier = new CredentialVerifier(joinAlone());
    let release = (): void => undefined;
    const answers: (Answer | Promise<Answer>)[] = [
      ok({}),
      new Promise<Answer>((resolve) => {
        release = () => resolve(ok({}));
      }),
    ];
    await using at = await open(() => answers.shift() ?? refuse('who?', null, 401), verifier);
    expect((await at.ask('{ __typename }', { token: 'ann' })).errors).toEqual([]);
    vi.setSystemTime(Date.now() + 300_001);
    const pending = at.ask('{ __typename }', { token: 'ann' });
    await expect.poll(() => at.probes.length).toBe(2);
    verifier.forget(createCredential('token', 'x-library-token', 'ann'));
    release();
    expect((await pending).status).toBe(401);
    expect((await at.ask('{ __typename }', { token: 'ann' })).status).toBe(401);
  });

  it('is forgotten in every version of the API when the token is revoked in one', async () => {
    const shared = { verifier: new CredentialVerifier(joinAlone()) };
    await using pair = await startPair({ facade: { shared } });
    await using five = await startFacade(pair.sandbox, { version: '5.0', shared });
    const headers = { [pair.sandbox.tokenHeader]: await signIn(pair.sandbox, {}) };
    const query = '{ session { authenticated } components { nodes { id } } }';
    for (const facade of [pair.facade, five])
      expect((await ask(facade, query, { headers })).data).toMatchObject({
        session: { authenticated: true },
      });
    await ask(pair.facade, 'mutation { tokenRevoke { userErrors { code } } }', { headers });
    for (const facade of [pair.facade, five])
      expect((await ask(facade, query, { headers })).status).toBe(401);
  });
});

describe('unknown credentials', () => {
  it('are limited by network, without refusing known credentials there or delaying other networks', async () => {
    await using at = await open(async (token) => {
      if (token.startsWith('good')) return ok({});
      await pause(20);
      return refuse('who?', null, 401);
    });
    const server = await at.listen();
    const send = async (token: string, address: string) => {
      const response = await post(
        server.url,
        { query: QUERY },
        { 'x-forwarded-for': address, 'x-library-token': token },
      );
      return { status: response.status, body: await response.json() };
    };
    // All addresses belong to one IPv6 network.
    const guesses = Array.from({ length: 150 }, (_, i) => send(`guess ${i}`, `2001:db8::${i.toString(16)}`));
    await expect.poll(() => at.probes.length).toBeGreaterThan(7);
    expect(await send('good', '192.0.2.7')).toMatchObject({
      status: 200,
      body: { data: { shelf: { id: 'shelf' } } },
    });
    expect(at.probes.length).toBeLessThan(60);
    const answers = await Promise.all(guesses);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
    // Those that were under way at the limit are answered.
    expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(70);
    expect((await send('good', '2001:db8::1')).status).toBe(200);
    expect((await send('good but new', '2001:db8::1')).status).toBe(429);
    expect((await send('good but new', '192.0.2.7')).status).toBe(200);
    expect((await send('another guess', '2001:db8:0:1::1')).status).toBe(401);
  });
});
