// Tests the lists of the sandbox: order, paging, filters and associations.
import { afterAll, describe, expect, test } from 'vitest';
import { type Json, ordinaryUser, readIds, send } from '../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox } from '../../src/listen-sandbox.ts';

const sandbox = await listenSandbox({ step: 'manual' });
afterAll(() => sandbox.close());
const ascending = (list: readonly number[]) => list.toSorted((a, b) => a - b);

async function list(target: string, server = sandbox): Promise<readonly Record<string, Json>[]> {
  const { envelope } = await send(server, target);
  const found = Object.entries(envelope['response'] ?? {}).find(([name]) => name !== '_meta')?.[1];
  return found as unknown as readonly Record<string, Json>[];
}

describe('a usual list', () => {
  test('refuses a limit above 1000', async () => {
    const { envelope } = await send(sandbox, '/v7.0/users?user[limit]=1001');
    expect(envelope['errors']).toEqual({ limit: ['has to be in range <0, 1000>'] });
  });

  test('counts all rows, regardless of paging, when the request asks for the count', async () => {
    const { envelope } = await send(
      sandbox,
      '/v7.0/datasets/2/snapshots?snapshot[limit]=2&_meta[count]=true',
    );
    expect(envelope['response']?.['_meta']).toEqual({ total_count: 150 });
    expect(envelope['response']?.['snapshots']).toHaveLength(2);
    const filtered = await send(sandbox, '/v7.0/dns_records?dns_record[dns_zone]=1&_meta[count]=1');
    const total = filtered.envelope['response']?.['_meta']?.['total_count'];
    expect(filtered.envelope['response']?.['dns_records']).toHaveLength(Number(total));
  });
});

describe('lists that deviate as on real servers', () => {
  test('fail for exactly the includes that the server cannot resolve', async () => {
    await using failing = await listenSandbox({ failingIncludes: { 'dns_record#index': ['dns_zone'] } });
    const readStatus = async (target: string) => (await send(failing, target)).status;
    expect(await readStatus('/v7.0/dns_records?_meta[includes]=dns_zone')).toBe(500);
    expect(await readStatus('/v7.0/dns_records?_meta[includes]=user,dns_zone__user')).toBe(500);
    expect(await readStatus('/v7.0/dns_records?_meta[includes]=user')).toBe(200);
    expect(await readStatus('/v7.0/dns_records')).toBe(200);
    expect(await readStatus('/v7.0/dns_records/1?_meta[includes]=dns_zone')).toBe(200);
  });

  test('sort datasets by name, and page them by id', async () => {
    const all = await list('/v7.0/datasets');
    const names = all.map(({ name }) => String(name));
    expect(names).toEqual(names.toSorted());
    const order = all.map(({ id }) => Number(id));
    expect(order.slice(0, 25)).not.toEqual(ascending(order.slice(0, 25)));
    const last = order[9] ?? 0;
    const next = await readIds(sandbox, `/v7.0/datasets?dataset[from_id]=${last}&dataset[limit]=10`);
    expect(next).toEqual(order.filter((id) => id > last).slice(0, 10));
    expect(next).not.toEqual(order.slice(10, 20));
  });

  test('ignore the limit of DNS zones', async () => {
    expect(await readIds(sandbox, '/v7.0/dns_zones?dns_zone[limit]=5')).toHaveLength(60);
    expect(await readIds(sandbox, '/v7.0/dns_zones?dns_zone[limit]=5&dns_zone[from_id]=50')).toHaveLength(10);
  });

  test('neither page pools nor take their metadata', async () => {
    const { envelope } = await send(sandbox, '/v7.0/pools?pool[limit]=2&pool[from_id]=5&_meta[count]=true');
    expect(envelope['response']?.['pools']).toHaveLength(12);
    expect(envelope['response']?.['_meta']).toEqual({});
  });

  test('sort exports by descending id, and page them by descending id', async () => {
    const all = await readIds(sandbox, '/v7.0/exports');
    expect(all).toEqual(ascending(all).reverse());
    expect(await readIds(sandbox, `/v7.0/exports?export[from_id]=${all[3]}&export[limit]=2`)).toEqual(
      all.slice(4, 6),
    );
  });
});

describe('a live log', () => {
  const path = '/v7.0/datasets/1/property_history';
  const page = (limit: number, from = '') => `${path}?property_history[limit]=${limit}${from}`;

  test('gets a new first row after every N reads of it, unlike other lists', async () => {
    await using live = await listenSandbox({ liveLog: 2 });
    const [before = 0] = await readIds(live, page(1));
    await readIds(live, '/v7.0/datasets/2/property_history');
    expect(await readIds(live, page(1))).toEqual([before]);
    const [added = 0, next] = await readIds(live, page(2));
    expect(added).toBeGreaterThan(before);
    expect(next).toBe(before);
  });
});

describe('filters', () => {
  test('treat an empty value as null when the parameter is nullable', async () => {
    const none = await list('/v7.0/datasets?dataset[vps]=');
    expect(none.length).toBeGreaterThan(0);
    expect(none.every(({ vps }) => vps === null)).toBe(true);
    const { envelope } = await send(sandbox, '/v7.0/datasets?dataset[primary_pool]=');
    expect(envelope['errors']).toEqual({ primary_pool: ['not a valid ID: ""'] });
  });

  test('that the role may not use are silently ignored', async () => {
    const user = ordinaryUser(sandbox);
    expect(await readIds(sandbox, '/v7.0/datasets?dataset[user]=4', user)).toEqual(
      await readIds(sandbox, '/v7.0/datasets', user),
    );
  });
});

describe('associations', () => {
  test('stay unresolved when the server ignores the include or the name is not an association', async () => {
    const datasets = await list('/v7.0/datasets?_meta[includes]=export,nothing,user__nothing,__proto__');
    const exported = datasets.find((dataset) => dataset['export'] !== null);
    expect(exported?.['export']?.['_meta']).toMatchObject({ resolved: false });
    expect(exported?.['user']?.['_meta']).toMatchObject({ resolved: false });
  });

  test('with nested resources have every id of their path', async () => {
    const plans = await list('/v7.0/datasets/2/plans');
    const all = plans.length > 0 ? plans : await list('/v7.0/datasets/3/plans');
    for (const plan of all) {
      expect(plan['environment_dataset_plan']?.['_meta']?.['path_params']).toEqual([4, 10]);
    }
  });
});
