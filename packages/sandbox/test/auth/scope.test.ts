// Tests the scopes of session tokens.
import { afterAll, describe, expect, test } from 'vitest';
import { type Json, ordinaryUser, send } from '../../../../test/helpers/sandbox-requests.ts';
import { callTokenAction, signIn } from '../../../../test/helpers/sign-in.ts';
import { listenSandbox } from '../../src/listen-sandbox.ts';

const sandbox = await listenSandbox({ step: 0 });
afterAll(() => sandbox.close());

const withScope = async (scope: string) => ({
  ...ordinaryUser(sandbox),
  token: await signIn(sandbox, { scope }),
});

/** Reads several paths with a token of the given scope. Returns the status for each path. */
async function statuses(scope: string): Promise<Record<string, number>> {
  const user = await withScope(scope);
  const paths = ['datasets', 'datasets/2', 'datasets/2/snapshots', 'users/current', 'components'];
  const replies = await Promise.all(paths.map((path) => send(sandbox, `/v7.0/${path}`, user)));
  return Object.fromEntries(paths.map((path, index) => [path, replies[index]?.status ?? 0]));
}

describe('a token with a scope', () => {
  const [yes, no] = [200, 403];
  test.each([
    ['all', [yes, yes, yes, yes, yes]],
    ['*#*', [yes, yes, yes, yes, yes]],
    ['dataset#index', [yes, no, no, no, yes]],
    ['dataset#*', [yes, yes, no, no, yes]],
    ['dataset.*#*', [no, no, yes, no, yes]],
    ['dataset.snapshot#index', [no, no, yes, no, yes]],
    ['*#index', [yes, no, yes, no, yes]],
    ['dataset#show  user#current', [no, yes, no, yes, yes]],
    ['data#index', [no, no, no, no, yes]],
  ])('%s may call the actions of its scope, and actions that need no credential', async (scope, expected) => {
    const own = await send(sandbox, '/v7.0/datasets/2', ordinaryUser(sandbox));
    expect(own.status).toBe(200);
    expect(Object.values(await statuses(scope))).toEqual(expected);
  });

  test('gets 403 for other actions and for their descriptions', async () => {
    const user = await withScope('dataset#index');
    const reply = await send(sandbox, '/v7.0/users/current', user);
    expect([reply.status, reply.envelope['message']]).toEqual([
      403,
      'Access denied. Insufficient permissions.',
    ]);
    const options = { method: 'OPTIONS' };
    expect((await send(sandbox, '/v7.0/users/current?method=GET', user, options)).status).toBe(403);
    expect((await send(sandbox, '/v7.0/datasets?method=GET', user, options)).status).toBe(200);
  });

  test.each(['', 'dataset', 'dataset#', '#index', 'a*#show', 'dataset#index,user#show', '<b>'])(
    '%j is refused as a scope',
    async (scope) => {
      const credentials = { user: 'user', password: 'sandbox', lifetime: 'fixed', scope };
      expect(await callTokenAction(sandbox, '', credentials)).toMatchObject({
        status: 400,
        errors: { scope: [`${scope} cannot be used`] },
      });
    },
  );
});

describe('the anonymous description', () => {
  const actions = (description: Json, resource: string) =>
    Object.keys(description['response']?.['resources']?.[resource]?.['actions'] ?? {});

  test('contains only what an anonymous caller may use, if the sandbox is configured so', async () => {
    await using narrow = await listenSandbox({ anonymousDescription: 'usable' });
    const { envelope, status } = await send(narrow, '/v7.0/', null, { method: 'OPTIONS' });
    expect(status).toBe(200);
    expect(actions(envelope, 'cluster')).toEqual(['public_stats']);
    expect(actions(envelope, 'component')).toEqual(['index', 'show']);
    expect(envelope['response']?.['resources']).not.toHaveProperty('dataset');
    const tokens = envelope['response']?.['authentication']?.['token']?.['resources']?.['token']?.['actions'];
    expect(Object.keys(tokens ?? {})).toEqual(['request', 'totp']);
    const bad = { method: 'OPTIONS', headers: { [narrow.tokenHeader]: 'bad' } };
    expect((await send(narrow, '/v7.0/', null, bad)).envelope).toEqual(envelope);
    const own = await send(narrow, '/v7.0/', ordinaryUser(narrow), { method: 'OPTIONS' });
    expect(actions(own.envelope, 'dataset')).toContain('index');
  });
});
