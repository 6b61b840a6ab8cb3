// Tests the protocol of the sandbox: authentication, errors and envelopes.
import { afterAll, describe, expect, test } from 'vitest';
import { admin, ordinaryUser, send } from '../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox } from '../../src/listen-sandbox.ts';

const sandbox = await listenSandbox();
afterAll(() => sandbox.close());
const basic = (login: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`,
});
const findLogin = async (headers: Record<string, string>, query = '') => {
  const { status, envelope } = await send(sandbox, `/v7.0/users/current${query}`, null, { headers });
  return envelope['response']?.['user']?.['login'] ?? status;
};

describe('authentication', () => {
  test('answers 401 with a challenge for a bad credential, for none, and for a session token sent as Bearer', async () => {
    expect(await findLogin(basic('admin', 'wrong'))).toBe(401);
    expect(await findLogin({ authorization: 'Basic %%%' })).toBe(401);
    expect(await findLogin({ [sandbox.tokenHeader]: 'wrong' })).toBe(401);
    expect(await findLogin({ authorization: `Bearer ${admin(sandbox).token}` })).toBe(401);
    const reply = await send(sandbox, '/v7.0/datasets', null);
    expect(reply.headers.get('www-authenticate')).toMatch(/^Basic .*, Bearer /);
    expect(reply.envelope['message']).toBe('This action requires authentication');
  });

  test('gives basic precedence over a token, and refuses two tokens', async () => {
    const { token } = ordinaryUser(sandbox);
    expect(await findLogin({ ...basic('admin', 'sandbox'), [sandbox.tokenHeader]: token })).toBe('admin');
    const twice = await send(sandbox, `/v7.0/users/current?_auth_token=${token}`);
    expect([twice.status, twice.envelope['message']]).toEqual([
      400,
      'Multiple authentication tokens were provided',
    ]);
  });
});

describe('errors', () => {
  const search = (headers: Record<string, string>, body: string) =>
    send(sandbox, '/v7.0/cluster/search', admin(sandbox), { method: 'POST', headers, body });
  const json = { 'content-type': 'application/json' };

  test('are envelopes for unknown paths and methods', async () => {
    for (const [target, method] of [
      ['/nothing', 'GET'],
      ['/v7.0/datasets/', 'GET'],
      ['/v7.0/datasets', 'PUT'],
    ] as const) {
      const reply = await send(sandbox, target, admin(sandbox), { method });
      expect([reply.status, reply.envelope]).toEqual([
        404,
        { status: false, response: null, message: 'Action not found', errors: null },
      ]);
    }
  });

  test('describe the problem of a request', async () => {
    const message = async (reply: ReturnType<typeof send>) => {
      const { status, envelope } = await reply;
      return [status, envelope['message']];
    };
    expect(await message(search(json, '{"cluster"'))).toEqual([400, 'Invalid JSON syntax']);
    expect(await message(search(json, '[1]'))).toEqual([400, 'The JSON request body must be an object']);
    expect(await message(search({ 'content-type': 'text/plain' }, '{}'))).toEqual([
      415,
      'Unsupported Content-Type header',
    ]);
    expect(await message(search(json, '{}'))).toEqual([200, 'invalid input layout']);
    expect(await message(send(sandbox, '/v7.0/datasets/%zz'))).toEqual([
      400,
      'invalid path parameter encoding',
    ]);
    expect(await message(send(sandbox, '/v7.0/datasets?dataset[limit]=%zz'))).toEqual([
      400,
      'invalid query encoding',
    ]);
    expect(await message(send(sandbox, '/v7.0/datasets?dataset=1'))).toEqual([200, 'invalid input layout']);
    expect(await message(search(json, `{"cluster":{"value":"${'x'.repeat(11 * 1024 * 1024)}"}}`))).toEqual([
      413,
      'Request body too large',
    ]);
  });

  test('report a missing object in three ways', async () => {
    const readMissing = async (target: string) => {
      const { status, envelope } = await send(sandbox, target);
      expect(envelope).toMatchObject({ status: false, response: null, errors: null });
      return [status, envelope['message']];
    };
    expect(await readMissing('/v7.0/datasets/99999')).toEqual([404, 'object not found']);
    expect(await readMissing('/v7.0/datasets/abc')).toEqual([404, 'object not found']);
    expect(await readMissing('/v7.0/datasets/99999/snapshots')).toEqual([404, 'object not found']);
    expect(await readMissing('/v7.0/datasets/3/snapshots/1')).toEqual([404, 'object not found']);
    expect(await readMissing('/v7.0/environments/99')).toEqual([200, 'object not found']);
    expect(await readMissing('/v7.0/pools/99')).toEqual([200, null]);
    expect(await readMissing('/v7.0/action_states/99')).toEqual([200, 'Action state not found']);
  });

  test('for all input parameters are reported together with 200, and unknown parameters are ignored', async () => {
    const query =
      'dataset[limit]=x&dataset[from_id]=-1&dataset[user]=abc&dataset[vps]=9999&dataset[role]=odd';
    const { status, envelope } = await send(sandbox, `/v7.0/datasets?${query}&dataset[nobody]=knows&other=1`);
    expect(status).toBe(200);
    expect(envelope).toEqual({
      status: false,
      response: null,
      message: 'input parameters are not valid',
      errors: {
        from_id: ['has to be minimally 0'],
        limit: ['not a valid integer: "x"'],
        user: ['not a valid ID: "abc"'],
        vps: ['resource not found'],
        role: ['odd cannot be used'],
      },
    });
    const meta = await send(sandbox, '/v7.0/datasets?_meta[count]=perhaps');
    expect(meta.envelope['errors']).toEqual({ count: ['not a valid boolean: "perhaps"'] });
  });

  test('do not occur for unusual names in a query', async () => {
    for (const query of [
      '__proto__[x]=1',
      'dataset[__proto__]=1',
      'dataset[constructor]=1',
      'a[',
      '[]=1',
      '=',
      '&&',
    ]) {
      expect((await send(sandbox, `/v7.0/datasets?dataset[limit]=1&${query}`)).envelope['status']).toBe(true);
    }
  });
});
