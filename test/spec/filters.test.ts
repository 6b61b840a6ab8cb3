// Tests the filters of the reference: the facade sends each of them, and the sandbox returns the matching rows.
import { expect, test } from 'vitest';
import { readList, readObject } from '../helpers/sandbox-requests.ts';
import { sharePair } from '../helpers/shared-pair.ts';
import { camel, ENDPOINTS, readRows } from './rows.ts';

/** Reads an object, or a list, at another path. */
type Read = (path: string) => Promise<unknown>;

/** An object, as the sandbox tells it. */
type Told = Readonly<Record<string, unknown>>;

/** Whether a row has what was asked for; undefined where the row cannot show it. */
type Keeps = (row: Told, read: Read) => boolean | undefined | Promise<boolean | undefined>;

const idOf = (value: unknown): unknown => (value as { readonly id?: unknown } | null)?.id;
const timeOf = (value: unknown): number => Date.parse(String(value));
const refers = (name: string, id: number) => (row: Told) => idOf(row[name]) === id;

/** A dataset tells its pool by its VPS alone. */
const onPool =
  (pool: number): Keeps =>
  async ({ vps }, read) =>
    vps === null ? undefined : refers('pool', pool)((await read(`/v7.0/vpses/${idOf(vps)}`)) as Told);

/** A dataset is on a pool of the role: which pools are, and what is on each, is for the sandbox to say. */
const inRole =
  (role: string): Keeps =>
  async ({ id }, read) => {
    for (const pool of (await read('/v7.0/pools')) as readonly Told[]) {
      const on = (await read(`/v7.0/datasets?dataset[primary_pool]=${pool['id']}`)) as readonly Told[];
      if (pool['role'] === role && on.some((row) => row['id'] === id)) return true;
    }
    return false;
  };

const inHistory = 'dataset(id: 12) { list: propertyHistories(first: 100, FILTER) { nodes { databaseId } } }';
const at = (field: string) => `list: ${field}(first: 500, FILTER) { nodes { databaseId } }`;
const MARCH = '2024-03-13T00:00:00Z';

/** A list of each action with filters, and its path where that has an id. */
const LISTS: Readonly<Record<string, readonly [list: string, path?: string]>> = {
  'cluster_resource_package#index': [at('clusterResourcePackages')],
  'dataset#index': [at('datasets')],
  'dataset.property_history#index': [inHistory, '/v7.0/datasets/12/property_history'],
  'default_object_cluster_resource#index': [at('defaultObjectClusterResources')],
  'dns_record#index': [at('dnsRecords')],
};

/** A value of each filter, as the API takes it, and the rows that it keeps. */
const VALUES: Readonly<Record<string, readonly [value: number | string, keeps: Keeps]>> = {
  'dataset#index/user': [2, refers('user', 2)],
  'dataset#index/vps': [7, refers('vps', 7)],
  'dataset#index/dataset': [101, ({ id, name }) => id === 101 || String(name).startsWith('archive/')],
  'dataset#index/primary_pool': [5, onPool(5)],
  'dataset#index/role': ['hypervisor', inRole('hypervisor')],
  'dataset#index/to_depth': [1, ({ name }) => String(name).split('/').length <= 2],
  'cluster_resource_package#index/environment': [1, refers('environment', 1)],
  'cluster_resource_package#index/user': [2, refers('user', 2)],
  'default_object_cluster_resource#index/environment': [1, refers('environment', 1)],
  'default_object_cluster_resource#index/cluster_resource': [2, refers('cluster_resource', 2)],
  'default_object_cluster_resource#index/class_name': ['Vps', ({ class_name }) => class_name === 'Vps'],
  'dns_record#index/dns_zone': [1, refers('dns_zone', 1)],
  'dns_record#index/user': [8, refers('user', 8)],
  'dataset.property_history#index/from': [MARCH, ({ created_at }) => timeOf(created_at) >= timeOf(MARCH)],
  'dataset.property_history#index/to': [MARCH, ({ created_at }) => timeOf(created_at) <= timeOf(MARCH)],
  'dataset.property_history#index/name': ['used', ({ name }) => name === 'used'],
};

/** Every filter of a list in the reference. */
const filters = readRows(/^`(\S+)` takes the filter `((\w+)\[(\w+)\])`\.$/).map(
  ([id, , action = '', name = '', namespace = '', parameter = '']) => {
    const [value, keeps] = VALUES[id] ?? ['', () => undefined];
    const [list, path = ENDPOINTS.get(action)?.template ?? ''] = LISTS[action] ?? [''];
    const literal = parameter === 'role' ? String(value).toUpperCase() : JSON.stringify(value);
    const query = list.replace('FILTER', `filter: { ${camel(parameter)}: ${literal} }`);
    return { id, query, path, namespace, sent: `${name}=${value}`, keeps };
  },
);

interface List {
  readonly nodes: readonly { readonly databaseId: number }[];
}

const pair = sharePair({ sandbox: { step: 'manual' } });

const known = new Map<string, Promise<unknown>>();
/** Nothing is written here, so what was read once stays true. */
function read(path: string): Promise<unknown> {
  const one = known.get(path) ?? readObject(pair.sandbox, path);
  known.set(path, one);
  return one;
}

for (const filter of filters) {
  test(`[${filter.id}] the filter ${filter.sent} keeps exactly the matching rows`, async () => {
    const { data, errors } = await pair.ask<{ list?: List; dataset?: { list: List } }>(`{ ${filter.query} }`);
    expect(errors).toEqual([]);
    const call = pair.calls.find(({ path }) => path === filter.path);
    expect(decodeURIComponent(call?.query ?? '')).toContain(filter.sent);
    const served = (data?.list ?? data?.dataset?.list)?.nodes.map(({ databaseId }) => databaseId) ?? [];

    const whole = `${filter.path}?${filter.namespace}[limit]=1000`;
    const kept = new Set(
      (await readList(pair.sandbox, `${whole}&${encodeURI(filter.sent)}`)).map(({ id }) => id),
    );
    expect(new Set(served)).toEqual(kept);
    const judged = { kept: 0, left: 0 };
    for (const row of await readList(pair.sandbox, whole)) {
      const wanted = await filter.keeps(row, read);
      if (wanted === undefined) continue;
      expect([row, kept.has(row['id'])]).toEqual([row, wanted]);
      judged[wanted ? 'kept' : 'left'] += 1;
    }
    expect(Math.min(judged.kept, judged.left)).toBeGreaterThan(0);
  });
}
