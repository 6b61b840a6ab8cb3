// Tests that amounts stay within the bounds of their cluster resource.

import { describe, expect, test } from 'vitest';
import {
  admin,
  findDataset,
  type Json,
  readIds,
  readObject,
  write,
} from '../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox } from '../../src/listen-sandbox.ts';

const INVALID_AMOUNTS = [
  [100, 'has to be more than 100'],
  [-50, 'has to be more than 100'],
  [2050, 'has to be maximally 2000'],
  [120, 'has to be in steps of 50'],
] as const;
const VALID_AMOUNTS = [150, 2000, 0];

/** Starts a sandbox whose disk space allows amounts of more than 100 and at most 2000 MiB, in steps of 50. */
async function startBoundedSandbox() {
  const sandbox = await listenSandbox({ step: 0 });
  const save = async (method: 'POST' | 'PUT', target: string, input: unknown) =>
    (await write(sandbox, method, `/v7.0/${target}`, admin(sandbox), input)).envelope;
  await save('PUT', 'cluster_resources/4', { cluster_resource: { min: 100, max: 2000, stepsize: 50 } });
  return {
    sandbox,
    save,
    errors: async (...input: Parameters<typeof save>) => (await save(...input))['errors'],
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

describe('the bounds of a cluster resource', () => {
  test('apply to the items of a package', async () => {
    await using api = await startBoundedSandbox();
    const created = await api.save('POST', 'cluster_resource_packages', {
      cluster_resource_package: { label: 'Bounded' },
    });
    const { id } = created['response']?.['cluster_resource_package'] ?? {};
    const items = `cluster_resource_packages/${id}/items`;
    const add = (value: number) => api.errors('POST', items, { item: { cluster_resource: 4, value } });
    for (const [value, message] of INVALID_AMOUNTS) expect(await add(value)).toEqual({ value: [message] });
    expect(await add(150)).toBeNull();
    const [item] = await readIds(api.sandbox, `/v7.0/${items}`);
    const change = (value: number) => api.errors('PUT', `${items}/${item}`, { item: { value } });
    for (const [value, message] of INVALID_AMOUNTS) expect(await change(value)).toEqual({ value: [message] });
    for (const value of VALID_AMOUNTS) expect(await change(value)).toBeNull();
  });

  test('apply to the default amounts of objects', async () => {
    await using api = await startBoundedSandbox();
    const key = { environment: 1, cluster_resource: 4, class_name: 'Export' };
    const list = 'default_object_cluster_resources';
    const add = (value: number) =>
      api.save('POST', list, { default_object_cluster_resource: { ...key, value } });
    for (const [value, message] of INVALID_AMOUNTS) {
      expect((await add(value))['errors']).toEqual({ value: [message] });
    }
    const { id } = (await add(150))['response']?.['default_object_cluster_resource'] ?? {};
    const change = (value: number) =>
      api.errors('PUT', `${list}/${id}`, { default_object_cluster_resource: { value } });
    for (const [value, message] of INVALID_AMOUNTS) expect(await change(value)).toEqual({ value: [message] });
    for (const value of VALID_AMOUNTS) expect(await change(value)).toBeNull();
  });

  test('apply to the reference quota of a dataset and to its expansions', async () => {
    await using api = await startBoundedSandbox();
    const create = (refquota: number) =>
      api.errors('POST', 'datasets', { dataset: { name: `with-${refquota}`, refquota } });
    for (const [value, message] of INVALID_AMOUNTS.filter(([amount]) => amount > 0)) {
      expect(await create(value)).toEqual({ refquota: [message] });
    }
    for (const value of VALID_AMOUNTS) expect(await create(value)).toBeNull();
    const { id } = await findDataset(api.sandbox, 'with-150');
    const change = (refquota: number) => api.errors('PUT', `datasets/${id}`, { dataset: { refquota } });
    expect(await change(2050)).toEqual({ refquota: ['has to be maximally 2000'] });
    const expand = (added_space: number) =>
      api.errors('POST', 'dataset_expansions', { dataset_expansion: { dataset: id, added_space } });
    expect(await expand(1900)).toEqual({ added_space: ['has to be maximally 2000'] });
    expect(await expand(49)).toEqual({ added_space: ['has to be in steps of 50'] });
    expect(await expand(50)).toBeNull();
    const expansion = (await readObject(api.sandbox, `/v7.0/datasets/${id}`))?.['dataset_expansion']?.['id'];
    const history = `dataset_expansions/${expansion}/history`;
    expect(await api.errors('POST', history, { history: { added_space: 1850 } })).toEqual({
      added_space: ['has to be maximally 2000'],
    });
    expect(await api.errors('POST', history, { history: { added_space: 1800 } })).toBeNull();
  });

  test('allow all amounts in the seed', async () => {
    await using sandbox = await listenSandbox();
    const list = async (path: string) =>
      (await readObject(sandbox, `/v7.0/${path}`)) as unknown as readonly Json[];
    const resources = await list('cluster_resources');
    const amounts = [
      ...(await list('default_object_cluster_resources')),
      ...(await Promise.all((await list('cluster_resource_packages')).map(({ id }) => listItems(id)))).flat(),
      ...(await list('datasets')).map(({ refquota }) => ({ cluster_resource: { id: 4 }, value: refquota })),
    ];
    function listItems(id: unknown) {
      return list(`cluster_resource_packages/${id}/items`);
    }
    expect(amounts.length).toBeGreaterThan(500);
    for (const { cluster_resource, value } of amounts) {
      const resource = resources.find(({ id }) => Number(id) === Number(cluster_resource?.['id']));
      const amount = Number(value);
      if (amount === 0) continue;
      expect(amount).toBeGreaterThan(Number(resource?.['min']));
      expect(amount).toBeLessThanOrEqual(Number(resource?.['max']));
    }
  });
});
