// Tests logins, the lifetimes of tokens, and credentials.
import { describe, expect, it } from 'vitest';
import { SignInLimit } from '../../src/callers/sign-in-limit.ts';
import { joinAlone } from '../../src/sharing/local-replicas.ts';
import { ask } from '../helpers/facade.ts';
import { ordinaryUser as ordinary, send } from '../helpers/sandbox-requests.ts';
import { sharePair } from '../helpers/shared-pair.ts';
import {
  basicHeader as basic,
  createOneTimeCode as codeOf,
  createStoppedClock as stoppedClock,
} from '../helpers/sign-in.ts';

const ME = '{ userCurrent { login } }';
const STEP = '{ token: result { token validTo complete nextAction } nextMutation userErrors { message } }';

interface Step {
  readonly token: {
    readonly token: string;
    readonly validTo: string | null;
    readonly complete: boolean;
    readonly nextAction: string | null;
  } | null;
  readonly nextMutation: string | null;
  readonly userErrors: readonly { readonly message: string }[];
}

const clock = stoppedClock();
// All tests sign in as the same user within a minute.
const signIns = new SignInLimit(joinAlone(), { address: 1_000, user: 1_000 });
const pair = sharePair({ sandbox: { now: clock.now }, facade: { shared: { signIns } } });

/** Requests a token without a credential. */
async function request(input: string, user = 'user'): Promise<Step> {
  const { data } = await pair.ask<{ it: Step }>(
    `mutation { it: tokenRequest(input: { user: "${user}", password: "sandbox", ${input} }) ${STEP} }`,
    { login: null },
  );
  if (!data) throw new Error('expected an answer to tokenRequest');
  return data.it;
}

/** Returns the current user for a token, or the error code if the token is refused. */
async function who(token: string): Promise<unknown> {
  return (await withToken(token, ME))['userCurrent'];
}

async function withToken(value: string, query: string): Promise<Record<string, unknown>> {
  const headers = { [pair.sandbox.tokenHeader]: value };
  const { data, errors } = await ask(pair.facade, query, { headers });
  return errors.length > 0 ? { userCurrent: errors[0]?.extensions['code'] } : (data ?? {});
}

const token = (step: Step) => step.token?.token ?? '';

describe('logins', () => {
  it('[token/issued, token#request] a login in one step returns a valid token and its end', async () => {
    const step = await request('lifetime: FIXED, scope: "all", interval: 60');
    expect(step.token).toEqual({
      token: expect.any(String),
      validTo: expect.any(String),
      complete: true,
      nextAction: null,
    });
    expect(Date.parse(step.token?.validTo ?? '')).toBe((clock.seconds + 60) * 1000);
    expect(pair.calls).toMatchObject([
      {
        method: 'POST',
        path: '/_auth/token/tokens',
        body: {
          token: { user: 'user', password: 'sandbox', lifetime: 'fixed', scope: 'all', interval: 60 },
        },
      },
    ]);
    expect(await who(token(step))).toEqual({ login: 'user' });
  });

  it('[token/wrong-password] a login with a wrong password returns no token', async () => {
    const { data } = await pair.ask<{ it: Step }>(
      `mutation { it: tokenRequest(input: { user: "user", password: "no", lifetime: FIXED }) ${STEP} }`,
      { login: null },
    );
    expect(data?.it.token).toBeNull();
    expect(data?.it.userErrors).toEqual([{ message: 'Invalid authentication credentials' }]);
    expect(pair.calls).toHaveLength(1);
  });

  it('[token/next-step] a login in two steps first returns a token that is valid only for the next step', async () => {
    const step = await request('lifetime: FIXED', 'totp');
    expect(step).toMatchObject({ token: { complete: false, nextAction: 'totp' }, nextMutation: 'tokenTotp' });
    expect(await who(token(step))).toBe('UNAUTHENTICATED');
  });

  it('[token/totp, token#totp] the second step returns a new token for a correct code', async () => {
    const first = token(await request('lifetime: FIXED', 'totp'));
    pair.calls.length = 0;
    const code = codeOf(pair.sandbox, clock.now());
    const totp = `mutation { it: tokenTotp(input: { token: "${first}", code: "${code}" }) ${STEP} }`;
    const { data } = await pair.ask<{ it: Step }>(totp, { login: null });
    expect(data?.it.token).toMatchObject({ complete: true, nextAction: null, validTo: expect.any(String) });
    expect(pair.calls).toMatchObject([
      { method: 'POST', path: '/_auth/token/tokens/totp', body: { token: { token: first, code } } },
    ]);
    expect(token(data?.it as Step)).not.toBe(first);
    expect(await who(token(data?.it as Step))).toEqual({ login: 'totp' });
  });

  it('[token/wrong-code] the second step returns no token for a wrong code', async () => {
    const first = token(await request('lifetime: FIXED', 'totp'));
    const totp = `mutation { it: tokenTotp(input: { token: "${first}", code: "x" }) ${STEP} }`;
    const { data } = await pair.ask<{ it: Step }>(totp, { login: null });
    expect([data?.it.token, data?.it.userErrors.length]).toEqual([null, 1]);
  });
});

describe('tokens', () => {
  const RENEW = 'mutation { tokenRenew { token: result { validTo } userErrors { message } } }';

  it('[token/fixed] a fixed token ends at its time and cannot be renewed', async () => {
    const fixed = token(await request('lifetime: FIXED, interval: 10'));
    clock.seconds += 9;
    expect(await who(fixed)).toEqual({ login: 'user' });
    expect((await withToken(fixed, RENEW))['tokenRenew']).toEqual({
      token: null,
      userErrors: [{ message: 'Token renewal failed' }],
    });
    clock.seconds += 1;
    expect(await who(fixed)).toBe('UNAUTHENTICATED');
  });

  it('[token/renewable_manual, token#renew] a manually renewable token is extended by renew, and not by use', async () => {
    const manual = token(await request('lifetime: RENEWABLE_MANUAL, interval: 10'));
    clock.seconds += 9;
    expect(await who(manual)).toEqual({ login: 'user' });
    const renewed = (await withToken(manual, RENEW))['tokenRenew'] as Step;
    expect(Date.parse(renewed.token?.validTo ?? '')).toBe((clock.seconds + 10) * 1000);
    expect(pair.calls.at(-1)).toMatchObject({
      method: 'POST',
      path: '/_auth/token/tokens/renew',
      status: 200,
    });
    clock.seconds += 9;
    expect(await who(manual)).toEqual({ login: 'user' });
    clock.seconds += 1;
    expect(await who(manual)).toBe('UNAUTHENTICATED');
  });

  it('[token/renewable_auto] each use extends an automatically renewable token to now plus its interval', async () => {
    const auto = token(await request('lifetime: RENEWABLE_AUTO, interval: 10'));
    for (let use = 0; use < 3; use += 1) {
      clock.seconds += 9;
      expect(await who(auto)).toEqual({ login: 'user' });
    }
    clock.seconds += 10;
    expect(await who(auto)).toBe('UNAUTHENTICATED');
  });

  it('[token/permanent] a permanent token works until it is revoked', async () => {
    const step = await request('lifetime: PERMANENT, interval: 10');
    expect(step.token?.validTo).toBeNull();
    clock.seconds += 10 * 365 * 86_400;
    expect(await who(token(step))).toEqual({ login: 'user' });
    await withToken(token(step), 'mutation { tokenRevoke { userErrors { message } } }');
    expect(await who(token(step))).toBe('UNAUTHENTICATED');
  });

  it('[token/revoked, token#revoke] revoke ends one token, and has neither input nor output', async () => {
    const [one, other] = [token(await request('lifetime: FIXED')), token(await request('lifetime: FIXED'))];
    const revoked = await withToken(one, 'mutation { tokenRevoke { userErrors { message } } }');
    expect(revoked['tokenRevoke']).toEqual({ userErrors: [] });
    expect(pair.calls.at(-1)).toMatchObject({ method: 'POST', path: '/_auth/token/tokens/revoke' });
    expect([await who(one), await who(other)]).toEqual(['UNAUTHENTICATED', { login: 'user' }]);
  });

  it('[limit/token-validity, token/validity] a token is valid for five minutes by default', async () => {
    const step = await request('lifetime: FIXED');
    expect(pair.calls[0]?.body).toEqual({ token: { user: 'user', password: 'sandbox', lifetime: 'fixed' } });
    expect(Date.parse(step.token?.validTo ?? '')).toBe((clock.seconds + 300) * 1000);
  });

  it('[token/scope] a token with a scope is valid only for the actions of the scope', async () => {
    const narrow = token(await request('lifetime: FIXED, scope: "dataset.snapshot#index dataset#index"'));
    const list = await withToken(narrow, '{ datasets(first: 1) { nodes { snapshots { nodes { id } } } } }');
    expect(list['datasets']).toMatchObject({ nodes: [{ snapshots: { nodes: expect.any(Array) } }] });
    const headers = { [pair.sandbox.tokenHeader]: narrow };
    const refused = await send(pair.sandbox, '/v7.0/users/current', null, { headers });
    expect([refused.status, refused.envelope['status']]).toEqual([403, false]);
  });
});

describe('credentials', () => {
  it('[basic] the facade passes HTTP basic credentials on unchanged', async () => {
    const headers = basic('user', 'sandbox');
    expect((await ask(pair.facade, ME, { headers })).data).toEqual({ userCurrent: { login: 'user' } });
    expect(pair.calls[0]?.headers['authorization']).toBe(headers.authorization);
  });

  it('[basic/one-factor] the sandbox refuses HTTP basic for a user with a second factor', async () => {
    const { errors } = await ask(pair.facade, ME, { headers: basic('totp', 'sandbox') });
    expect(errors[0]?.extensions['code']).toBe('UNAUTHENTICATED');
    const direct = await send(pair.sandbox, '/v7.0/users/current', null, {
      headers: basic('totp', 'sandbox'),
    });
    expect(direct.status).toBe(401);
  });

  it('[token/header] the facade sends a token in the header that the description names', async () => {
    expect((await pair.ask(ME, { login: 'user' })).data).toEqual({ userCurrent: { login: 'user' } });
    expect(pair.calls[0]?.headers['x-service-auth-token']).toBe(ordinary(pair.sandbox).token);
  });

  it('[token/query] the sandbox accepts a token in the query', async () => {
    const { envelope } = await send(
      pair.sandbox,
      `/v7.0/users/current?_auth_token=${ordinary(pair.sandbox).token}`,
      null,
    );
    expect(envelope['response']?.['user']).toMatchObject({ login: 'user' });
  });

  it('[auth/required] an anonymous caller gets an error where authentication is required, and the facade makes no call', async () => {
    // What an anonymous caller may not ask for is not in his schema.
    const { errors, calls } = await pair.ask(ME, { login: null });
    expect([errors[0]?.extensions['code'], calls]).toEqual(['BAD_USER_INPUT', 0]);
    const { status, envelope } = await send(pair.sandbox, '/v7.0/users/current', null);
    expect([status, envelope['message']]).toEqual([401, 'This action requires authentication']);
  });

  it('[auth/description] each caller sees only the fields and actions of its description', async () => {
    const fields = '{ __type(name: "Dataset") { fields { name } } }';
    type Fields = { readonly __type: { readonly fields: readonly { readonly name: string }[] } };
    const [whole, less] = [await pair.ask<Fields>(fields), await pair.ask<Fields>(fields, { login: 'user' })];
    const names = ({ data }: typeof whole) => data?.__type.fields.map(({ name }) => name) ?? [];
    expect([names(whole).includes('sharenfs'), names(less).includes('sharenfs')]).toEqual([true, false]);
    expect(names(less).length).toBeLessThan(names(whole).length);
    expect((await pair.ask('{ clusterFullStats { vpsCount } }', { login: 'user' })).errors).toHaveLength(1);
  });
});
