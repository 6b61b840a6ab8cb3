// Tests what the sandbox shows to administrators, ordinary users and anonymous callers.
import { afterAll, describe, expect, test } from 'vitest';
import { type Json, ordinaryUser, readIds, send } from '../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox, type SandboxUser } from '../../src/listen-sandbox.ts';

const sandbox = await listenSandbox({ step: 'manual' });
afterAll(() => sandbox.close());
const user = ordinaryUser(sandbox);
const hidden = { _meta: { resolved: false, authorized: false } };

async function datasetsByName(): Promise<ReadonlyMap<string, Record<string, Json>>> {
  const { envelope } = await send(sandbox, '/v7.0/datasets', user);
  const datasets = envelope['response']?.['datasets'] as unknown as readonly Record<string, Json>[];
  return new Map(datasets.map((dataset) => [String(dataset['name']), dataset]));
}

/** The actions that a user's description has, by scope. */
async function actionsFor(of: SandboxUser | null): Promise<ReadonlyMap<string, Json>> {
  const { envelope } = await send(sandbox, '/v7.0/', of, { method: 'OPTIONS' });
  const list = (resources: Json | undefined, path = ''): readonly (readonly [string, Json])[] =>
    Object.entries(resources ?? {}).flatMap(([name, { actions, resources: nested }]) => [
      ...Object.entries(actions ?? {}).map(([own, action]) => [`${path}${name}#${own}`, action] as const),
      ...list(nested, `${path}${name}.`),
    ]);
  return new Map(list(envelope['response']?.['resources']));
}

describe('an ordinary user', () => {
  test('lists and finds only their own objects', async () => {
    const ownIds = await readIds(sandbox, '/v7.0/datasets', user);
    const allIds = await readIds(sandbox, '/v7.0/datasets');
    expect(ownIds.length).toBeGreaterThanOrEqual(40);
    const foreignId = allIds.find((id) => !ownIds.includes(id));
    for (const path of ['', '/snapshots', '/plans', '/property_history']) {
      expect((await send(sandbox, `/v7.0/datasets/${foreignId}${path}`, user)).status).toBe(404);
      expect((await send(sandbox, `/v7.0/datasets/${ownIds[0]}${path}`, user)).status).toBe(200);
    }
    expect(await readIds(sandbox, '/v7.0/users', user)).toEqual([2]);
    expect(await readIds(sandbox, '/v7.0/environments', user)).toEqual([1, 2, 3]);
  });

  test('gets no data of an association that they may not see', async () => {
    const datasets = await datasetsByName();
    expect(datasets.get('archive/home')?.['parent']).toEqual(hidden);
    expect(datasets.get('blog')?.['vps']).toEqual(hidden);
    expect(datasets.get('media')?.['environment']).toEqual(hidden);
    const id = datasets.get('archive/home')?.['id'];
    const { envelope } = await send(sandbox, `/v7.0/datasets/${id}?_meta[includes]=parent__user`, user);
    expect(envelope['response']?.['dataset']?.['parent']).toEqual(hidden);
  });

  test('cannot refer to an object that they may not see', async () => {
    const { envelope } = await send(sandbox, '/v7.0/datasets?dataset[dataset]=101', user);
    expect(envelope['errors']).toEqual({ dataset: ['resource not found'] });
  });
});

describe('an action for administrators', async () => {
  const own = await actionsFor(user);
  const actions = [...(await actionsFor(null))].filter(([scope]) => !own.has(scope));

  test('steers the cluster or moves data of users', () => {
    expect(actions.map(([scope]) => scope)).toEqual(
      expect.arrayContaining(['cluster#full_stats', 'cluster#set_maintenance', 'dataset#migrate']),
    );
    expect(actions.length).toBeGreaterThan(20);
  });

  test.each(actions)('is refused to an ordinary user: %s', async (_scope, { method, path }) => {
    const target = String(path).replaceAll(/\{\w+\}/g, '1');
    const init = { method: String(method), headers: { 'content-type': 'application/json' } };
    const body = String(method) === 'GET' ? {} : { body: '{}' };
    expect((await send(sandbox, target, user, { ...init, ...body })).status).toBe(403);
  });
});
