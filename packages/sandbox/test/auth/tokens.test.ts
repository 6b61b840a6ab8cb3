// Tests the lifetimes of session tokens.
import { describe, expect, test } from 'vitest';
import { type Json, ordinaryUser, post, send } from '../../../../test/helpers/sandbox-requests.ts';
import {
  basicHeader,
  callTokenAction,
  createStoppedClock,
  findLogin,
  signIn,
} from '../../../../test/helpers/sign-in.ts';
import { listenSandbox, type Sandbox } from '../../src/listen-sandbox.ts';

const clock = createStoppedClock();
const open = () => listenSandbox({ now: clock.now });
const who = (sandbox: Sandbox, token: string) => findLogin(sandbox, { [sandbox.tokenHeader]: token });
const isoIn = (seconds: number) => new Date((clock.seconds + seconds) * 1000).toISOString();

/** Renews or revokes a token. */
async function withToken(sandbox: Sandbox, token: string, action: 'renew' | 'revoke'): Promise<Json> {
  const user = { ...ordinaryUser(sandbox), token };
  return (await post(sandbox, `/_auth/token/tokens/${action}`, user, {})).envelope;
}

describe('a token', () => {
  test('is issued with its end and as a complete login, and is valid for five minutes by default', async () => {
    await using sandbox = await open();
    const credentials = { user: 'user', password: 'sandbox', lifetime: 'fixed' };
    expect(await callTokenAction(sandbox, '', credentials)).toMatchObject({
      token: expect.stringMatching(/^[0-9a-f]{100}$/),
      valid_to: isoIn(300),
      complete: true,
      next_action: null,
    });
  });

  test('with a fixed lifetime expires on time, is not extended by use, and cannot be renewed', async () => {
    await using sandbox = await open();
    const token = await signIn(sandbox, { lifetime: 'fixed', interval: 10 });
    clock.seconds += 9;
    expect(await who(sandbox, token)).toBe('user');
    expect(await withToken(sandbox, token, 'renew')).toMatchObject({
      status: false,
      message: 'Token renewal failed',
    });
    clock.seconds += 1;
    expect(await who(sandbox, token)).toBe(401);
  });

  test('with the lifetime renewable_manual is extended by renewal, and not by use', async () => {
    await using sandbox = await open();
    const token = await signIn(sandbox, { lifetime: 'renewable_manual', interval: 10 });
    clock.seconds += 9;
    expect(await who(sandbox, token)).toBe('user');
    const renewed = await withToken(sandbox, token, 'renew');
    expect(renewed['response']?.['token']).toEqual({ valid_to: isoIn(10) });
    clock.seconds += 9;
    expect(await who(sandbox, token)).toBe('user');
    clock.seconds += 1;
    expect(await who(sandbox, token)).toBe(401);
    expect(await withToken(sandbox, token, 'renew')).toMatchObject({ status: false, response: null });
  });

  test('with the lifetime renewable_auto is extended by each use', async () => {
    await using sandbox = await open();
    const token = await signIn(sandbox, { lifetime: 'renewable_auto', interval: 10 });
    for (let use = 0; use < 5; use += 1) {
      clock.seconds += 9;
      expect(await who(sandbox, token)).toBe('user');
    }
    clock.seconds += 9;
    const described = { method: 'OPTIONS', headers: { [sandbox.tokenHeader]: token } };
    await send(sandbox, '/v7.0/datasets?method=GET', null, described);
    clock.seconds += 9;
    expect(await who(sandbox, token)).toBe('user');
    clock.seconds += 10;
    expect(await who(sandbox, token)).toBe(401);
  });

  test('with the lifetime permanent has no end and cannot be renewed', async () => {
    await using sandbox = await open();
    const wanted = { user: 'user', password: 'sandbox', lifetime: 'permanent', interval: 10 };
    const { token, valid_to } = await callTokenAction(sandbox, '', wanted);
    expect(valid_to).toBeNull();
    clock.seconds += 10 * 365 * 86_400;
    expect(await who(sandbox, String(token))).toBe('user');
    expect((await withToken(sandbox, String(token), 'renew'))['message']).toBe('Token renewal failed');
  });

  test('is invalid after it is revoked, and other tokens of its user stay valid', async () => {
    await using sandbox = await open();
    const [first, second] = [await signIn(sandbox, {}), await signIn(sandbox, {})];
    expect(await withToken(sandbox, first, 'revoke')).toMatchObject({
      status: true,
      response: { token: {} },
    });
    expect([await who(sandbox, first), await who(sandbox, second)]).toEqual([401, 'user']);
  });

  test('is required to renew and to revoke: another credential is refused', async () => {
    await using sandbox = await open();
    const headers = { ...basicHeader('user', 'sandbox'), 'content-type': 'application/json' };
    for (const action of ['renew', 'revoke']) {
      const init = { method: 'POST', headers, body: '{}' };
      const reply = await send(sandbox, `/_auth/token/tokens/${action}`, null, init);
      expect([reply.status, reply.envelope['message']]).toEqual([
        401,
        'This action requires token authentication',
      ]);
    }
  });

  test('that has expired gets the anonymous description with 200, and 401 on an action', async () => {
    await using sandbox = await open();
    const token = await signIn(sandbox, { interval: 10 });
    const describe = async (target: string, given: string | null) =>
      send(sandbox, target, null, {
        method: 'OPTIONS',
        headers: given === null ? {} : { [sandbox.tokenHeader]: given },
      });
    const own = await describe('/v7.0/', token);
    clock.seconds += 10;
    const [expired, anonymous] = [await describe('/v7.0/', token), await describe('/v7.0/', null)];
    expect([expired.status, expired.text === anonymous.text, own.text === anonymous.text]).toEqual([
      200,
      true,
      false,
    ]);
    expect((await describe('/v7.0/datasets?method=GET', token)).status).toBe(401);
  });
});
