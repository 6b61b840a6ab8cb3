// Tests version 5.0 of the API and its differences from 7.0.
import { describe, expect, test } from 'vitest';
import {
  admin,
  findDataset,
  type Json,
  ordinaryUser,
  readFailure,
  readIds,
  readObject,
  send,
  stateId,
  write,
} from '../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox, type Sandbox } from '../../src/listen-sandbox.ts';

const openInstant = () => listenSandbox({ step: 0 });

async function described(sandbox: Sandbox, version: string): Promise<Json> {
  const { envelope } = await send(sandbox, `/v${version}/`, admin(sandbox), { method: 'OPTIONS' });
  return envelope['response'] ?? {};
}

/** Lists the actions of resources and of their nested resources, by scope. */
function listActions(resources: Json, path = ''): readonly (readonly [scope: string, action: Json])[] {
  return Object.entries(resources).flatMap(([name, { actions, resources: nested }]) => [
    ...Object.entries(actions ?? {}).map(
      ([action, description]) => [`${path}${name}#${action}`, description] as const,
    ),
    ...listActions(nested ?? {}, `${path}${name}.`),
  ]);
}

const parameterNames = (layout: Json | undefined): readonly string[] =>
  Object.keys(layout?.['parameters'] ?? {});

describe('version 5.0', () => {
  test('describes each action in the version of its path', async () => {
    await using sandbox = await openInstant();
    const all = await described(sandbox, '5.0');
    const options = (target: string) => send(sandbox, target, admin(sandbox), { method: 'OPTIONS' });
    for (const method of ['GET', 'POST']) {
      const { envelope } = await options(`/v5.0/datasets?method=${method}`);
      expect(envelope['response']).toEqual(
        all['resources']?.['dataset']?.['actions']?.[method === 'GET' ? 'index' : 'create'],
      );
    }
    // The path of a version ends with a slash, as on the reference server.
    for (const path of ['/v5.0', '/v7.0', '/v6.0/']) expect((await options(path)).status).toBe(404);
    // Both versions share this path. It answers as the default version does.
    const { envelope: token } = await options('/_auth/token/tokens?method=POST');
    expect(parameterNames(token['response']?.['input'])).toContain('scope');
  });

  test.each(['7.0', '5.0'])(
    'shows no example of %s with a parameter that the version lacks',
    async (version) => {
      await using sandbox = await openInstant();
      const resources = (await described(sandbox, version))['resources'] ?? {};
      const examples = listActions(resources).flatMap(([scope, { input, output, examples: own }]) =>
        Object.values(own ?? {}).map((example) => ({ scope, input, output, example })),
      );
      expect(examples.length).toBeGreaterThan(0);
      for (const { scope, input, output, example } of examples) {
        const { request, response } = example;
        const items = Array.isArray(response) ? response : [response ?? {}];
        expect([scope, parameterNames(input)]).toEqual([
          scope,
          expect.arrayContaining(Object.keys(request ?? {})),
        ]);
        for (const item of items)
          expect([scope, parameterNames(output)]).toEqual([scope, expect.arrayContaining(Object.keys(item))]);
      }
    },
  );

  test('applies offset and limit to every list, also to lists that 7.0 does not page', async () => {
    await using sandbox = await openInstant();
    const resources = Object.values((await described(sandbox, '5.0'))['resources'] ?? {});
    const paths = resources.flatMap(({ actions }) => {
      const { path, input } = actions?.['index'] ?? {};
      return path === undefined ? [] : [[String(path), String(input?.['namespace'])] as const];
    });
    expect(paths).toEqual(
      expect.arrayContaining([
        ['/v5.0/dns_zones', 'dns_zone'],
        ['/v5.0/pools', 'pool'],
      ]),
    );
    for (const [path, name] of paths) {
      const all = await readIds(sandbox, path);
      const page = `${path}?${name}[offset]=1&${name}[limit]=2&_meta[count]=true`;
      expect([path, await readIds(sandbox, page)]).toEqual([path, all.slice(1, 3)]);
      const { envelope } = await send(sandbox, page);
      expect([path, envelope['response']?.['_meta']]).toEqual([path, { total_count: all.length }]);
    }
    const zones = (await readIds(sandbox, '/v7.0/dns_zones')).length;
    expect(await readIds(sandbox, '/v7.0/dns_zones?dns_zone[limit]=2')).toHaveLength(zones);
  });

  test('gives a new dataset the requested mapping, else that of its parent, else none', async () => {
    await using sandbox = await openInstant();
    const user = ordinaryUser(sandbox);
    const { id: parent } = await findDataset(sandbox, 'atlas');
    const create = async (name: string, more: Record<string, unknown>) => {
      const body = { dataset: { name, dataset: parent, ...more } };
      const { envelope } = await write(sandbox, 'POST', '/v5.0/datasets', user, body);
      return envelope['response']?.['dataset'];
    };
    const parentDataset = await readObject(sandbox, `/v5.0/datasets/${parent}`);
    const created = await create('given', { user_namespace_map: 2 });
    expect(created?.['user_namespace_map']).toMatchObject({ id: 2, label: 'map 2' });
    expect((await create('inherited', {}))?.['user_namespace_map']).toEqual(
      parentDataset?.['user_namespace_map'],
    );
    expect((await create('none', { inherit_user_namespace_map: false }))?.['user_namespace_map']).toBeNull();
    expect((await create('cleared', { user_namespace_map: null }))?.['user_namespace_map']).toBeNull();
    const foreign = await write(sandbox, 'POST', '/v5.0/datasets', user, {
      dataset: { name: 'foreign', dataset: parent, user_namespace_map: 3 },
    });
    expect(readFailure(foreign)).toEqual([200, false, 'input parameters are not valid']);
    const seven = await readObject(sandbox, `/v7.0/datasets/${created?.['id']}`);
    expect(seven).toMatchObject({ name: 'atlas/given' });
    expect(seven).not.toHaveProperty('user_namespace_map');
  });

  test.each([
    ['5.0', '7.0'],
    ['7.0', '5.0'],
  ])('shows in %s an object that is written in %s, with one token for both', async (there, here) => {
    await using sandbox = await openInstant();
    const login = { user: 'user', password: 'sandbox', lifetime: 'fixed' };
    const { envelope } = await write(sandbox, 'POST', '/_auth/token/tokens', null, { token: login });
    const token = String(envelope['response']?.['token']?.['token']);
    const user = { ...ordinaryUser(sandbox), token };
    const { id: parent } = await findDataset(sandbox, 'atlas');
    const created = await write(sandbox, 'POST', `/v${here}/datasets`, user, {
      dataset: { name: 'shared', dataset: parent },
    });
    const path = `datasets/${created.envelope['response']?.['dataset']?.['id']}`;
    expect(await readObject(sandbox, `/v${there}/${path}`, user)).toMatchObject({
      name: 'atlas/shared',
      quota: 0,
    });
    await write(sandbox, 'PUT', `/v${there}/${path}`, user, { dataset: { quota: 7 } });
    expect(await readObject(sandbox, `/v${here}/${path}`, user)).toMatchObject({ quota: 7 });
    await write(sandbox, 'DELETE', `/v${there}/${path}`, user);
    expect((await send(sandbox, `/v${here}/${path}`, user)).status).toBe(404);
  });

  test('shares running actions and their locks with 7.0', async () => {
    await using sandbox = await listenSandbox({ step: 'manual' });
    const id = stateId(await write(sandbox, 'POST', '/v5.0/datasets/1/snapshots', admin(sandbox), {}));
    expect(await readObject(sandbox, `/v7.0/action_states/${id}`)).toEqual(
      await readObject(sandbox, `/v5.0/action_states/${id}`),
    );
    const locked = await write(sandbox, 'PUT', '/v7.0/datasets/1', admin(sandbox), { dataset: { quota: 1 } });
    expect(locked.status).toBe(423);
    expect((await send(sandbox, '/v6.0/datasets')).status).toBe(404);
  });
});
