// Tests the limits of attempts to sign in.
import { beforeEach, describe, expect, it } from 'vitest';
import { SignInLimit, type SignInLimits } from '../../src/callers/sign-in-limit.ts';
import { joinAlone } from '../../src/sharing/local-replicas.ts';
import type { OperationResult } from '../helpers/facade.ts';
import { sharePair } from '../helpers/shared-pair.ts';
import { post } from '../helpers/transports.ts';

const attempt = (user: string, password = 'wrong') =>
  `tokenRequest(input: { user: "${user}", password: "${password}", lifetime: FIXED }) { token: result { token } userErrors { code } }`;

/** Limits that a test may replace, because starting a facade for each takes time. */
class ReplacedLimit extends SignInLimit {
  current = new SignInLimit(joinAlone());
  override attempt = (...given: Parameters<SignInLimit['attempt']>) => this.current.attempt(...given);
  override recordStep = (...given: Parameters<SignInLimit['recordStep']>) =>
    this.current.recordStep(...given);
  override recordSignIn = (...given: Parameters<SignInLimit['recordSignIn']>) =>
    this.current.recordSignIn(...given);
}

const signIns = new ReplacedLimit(joinAlone());
const pair = sharePair({ facade: { shared: { signIns } } });
const limitTo = (limits: SignInLimits): void => {
  signIns.current = new SignInLimit(joinAlone(), limits);
};
beforeEach(() => limitTo({}));

async function send(query: string, headers: Record<string, string> = {}) {
  const response = await post(pair.url, { query }, headers);
  return { response, body: (await response.json()) as Partial<OperationResult> };
}
const from = async (address: string, user: string, password?: string) =>
  (await send(`mutation { ${attempt(user, password)} }`, { 'x-forwarded-for': address })).response.status;

describe('signing in', () => {
  it('is refused before any call above the limit of one user, and other users can sign in', async () => {
    limitTo({ user: 3 });
    const outcomes: unknown[] = [];
    for (let time = 0; time < 5; time += 1) {
      const { response, body } = await send(`mutation { ${attempt('user')} }`);
      outcomes.push([response.status, body.errors?.[0]?.extensions['code']]);
    }
    const refused = [429, 'COST_LIMIT_EXCEEDED'];
    expect(outcomes).toEqual([[200, undefined], [200, undefined], [200, undefined], refused, refused]);
    expect(pair.calls).toHaveLength(3);
    const { response, body } = await send(`mutation { ${attempt('user', 'sandbox')} }`);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(body.errors?.[0]).toMatchObject({
      message: expect.stringMatching(/^There were too many attempts to sign in; try again in \d+ s\.$/),
      extensions: { retryable: true },
    });
    const other = await send(`mutation { ${attempt('admin', 'sandbox')} }`);
    expect(other.body.data).toMatchObject({ tokenRequest: { userErrors: [] } });
  });

  it('is limited to ten attempts for a user, thirty of a network, and a hundred for a user elsewhere in a minute', async () => {
    const sent = async (
      count: number,
      user: (index: number) => string,
      address: (index: number) => string,
    ) => {
      const answers = Array.from({ length: count }, (_, index) =>
        send(`mutation { ${attempt(user(index))} }`, { 'x-forwarded-for': address(index) }),
      );
      return (await Promise.all(answers)).filter(({ response }) => response.status === 200).length;
    };
    expect(
      await sent(
        12,
        () => 'ann',
        () => '192.0.2.1',
      ),
    ).toBe(10);
    expect(
      await sent(
        35,
        (index) => `user ${index}`,
        () => '192.0.2.2',
      ),
    ).toBe(30);
    expect(
      await sent(
        110,
        () => 'bob',
        (index) => `198.51.100.${index}`,
      ),
    ).toBe(100);
  });

  it('is counted by the client address that trusted proxies state', async () => {
    limitTo({ address: 2 });
    expect([
      await from('192.0.2.1', 'a'),
      await from('192.0.2.1', 'b'),
      await from('192.0.2.1', 'c'),
    ]).toEqual([200, 200, 429]);
    expect(await from('192.0.2.2', 'd')).toBe(200);
    expect(pair.calls.map(({ headers }) => headers['x-forwarded-for'])).toEqual([
      '192.0.2.1',
      '192.0.2.1',
      '192.0.2.2',
    ]);
  });

  it('is counted by the network of an IPv6 client, and by user regardless of case', async () => {
    limitTo({ address: 3, user: 1 });
    expect(await from('2001:db8::1', 'Ann')).toBe(200);
    expect(await from('2001:db8::2', 'ann ')).toBe(429);
    expect(await from('2001:db8::ffff', 'bob')).toBe(200);
    expect(await from('2001:db8::2:1', 'cid')).toBe(429);
    expect(await from('::ffff:192.0.2.1', 'dan')).toBe(200);
    expect(await from('192.0.2.1', 'eve')).toBe(200);
    expect(await from('192.0.2.1', 'eva')).toBe(200);
    expect(await from('192.0.2.1', 'fay')).toBe(429);
  });

  describe('with guesses for one user', () => {
    it('is not locked from other networks', async () => {
      limitTo({ user: 2 });
      for (const status of [200, 200, 429]) expect(await from('192.0.2.1', 'user')).toBe(status);
      expect(await from('192.0.2.2', 'user', 'sandbox')).toBe(200);
    });

    it('is limited over all networks, but not where that user has signed in', async () => {
      limitTo({ userElsewhere: 3 });
      expect(await from('192.0.2.9', 'user', 'sandbox')).toBe(200);
      const guesses = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((address) => from(address, 'user'));
      expect((await Promise.all(guesses)).toSorted()).toEqual([200, 200, 429]);
      expect(await from('192.0.2.9', 'user', 'sandbox')).toBe(200);
      expect(await from('192.0.2.4', 'user', 'sandbox')).toBe(429);
      expect(await from('192.0.2.4', 'admin', 'sandbox')).toBe(200);
    });

    it('is limited over all networks also where only a first step has succeeded', async () => {
      limitTo({ userElsewhere: 2 });
      for (const status of [200, 200, 429]) expect(await from('192.0.2.1', 'totp', 'sandbox')).toBe(status);
    });
  });

  it('counts further steps for the same user, who cannot start again to guess more codes', async () => {
    limitTo({ user: 5 });
    const guess = async (): Promise<readonly number[]> => {
      const begun = await send(
        'mutation { tokenRequest(input: { user: "totp", password: "sandbox", lifetime: FIXED }) { token: result { token } nextMutation } }',
      );
      const token = (begun.body.data as { tokenRequest?: { token?: { token: string } } } | null)?.tokenRequest
        ?.token?.token;
      const codes = ['000001', '000002'].map((code) =>
        send(`mutation { tokenTotp(input: { token: "${token}", code: "${code}" }) { userErrors { code } } }`),
      );
      return [begun, ...(await Promise.all(codes))].map(({ response }) => response.status);
    };
    expect([await guess(), await guess()]).toEqual([
      [200, 200, 200],
      [200, 200, 429],
    ]);
  });

  it('is limited to one attempt in each request, and refused over GET', async () => {
    const { body } = await send(
      `mutation { one: ${attempt('user', 'sandbox')} two: ${attempt('admin', 'sandbox')} }`,
    );
    expect(body.data).toMatchObject({ one: { userErrors: [] }, two: null });
    expect(body.errors).toMatchObject([
      {
        path: ['two'],
        message: 'A request may sign in only once; send each sign-in in its own request.',
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
    expect(pair.calls).toHaveLength(1);
    const query = encodeURIComponent(`mutation { ${attempt('user')} }`);
    const got = await pair.facade.yoga.fetch(`http://facade.test/graphql?query=${query}`);
    expect(got.status).toBe(405);
  });
});
