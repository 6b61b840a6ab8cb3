// Tests the lifetimes of session tokens.
import { describe, expect, test } from 'vitest';
import { send } from '../../../../test/helpers/sandbox-requests.ts';
import { basicHeader, createStoppedClock, findLogin, signIn } from '../../../../test/helpers/sign-in.ts';
import { listenSandbox, type Sandbox } from '../../src/listen-sandbox.ts';

const clock = createStoppedClock();
const open = () => listenSandbox({ now: clock.now });
const who = (sandbox: Sandbox, token: string) => findLogin(sandbox, { [sandbox.tokenHeader]: token });

describe('a token', () => {
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
