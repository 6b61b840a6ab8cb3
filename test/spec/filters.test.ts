// Tests the filters of the reference: the facade sends each of them, and the sandbox returns the matching rows.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Pair, startPair } from '../helpers/facade.ts';
import { readList, readObject } from '../helpers/sandbox-requests.ts';

/** A filter of a list. */
interface Filter {
  /** Its row: action and parameter. */
  readonly id: string;
  /** The list with the filter, in GraphQL. */
  readonly list: string;
  /** Path of the list. */
  readonly path: string;
  /** The filter as the sandbox receives it, decoded. */
  readonly sent: string;
  /** Whether a row, as the sandbox tells it, has what was asked for; undefined where the row cannot show it. */
  readonly keeps: (row: Told, read: Read) => boolean | undefined | Promise<boolean | undefined>;
}

/** Reads an object, or a list, at another path. */
type Read = (path: string) => Promise<unknown>;

/** An object, as the sandbox tells it. */
type Told = Readonly<Record<string, unknown>>;

const idOf = (value: unknown): unknown => (value as { readonly id?: unknown } | null)?.id;
const refers = (name: string, id: number) => (row: Told) => idOf(row[name]) === id;

/** A dataset tells its pool by its VPS alone. */
const onPool =
  (pool: number): Filter['keeps'] =>
  async ({ vps }, read) =>
    vps === null ? undefined : refers('pool', pool)((await read(`/v7.0/vpses/${idOf(vps)}`)) as Told);

/** A dataset is on a pool of the role: which pools are, and what is on each, is for the sandbox to say. */
const inRole =
  (role: string): Filter['keeps'] =>
  async ({ id }, read) => {
    for (const pool of (await read('/v7.0/pools')) as readonly Told[]) {
      const on = (await read(`/v7.0/datasets?dataset[primary_pool]=${pool['id']}`)) as readonly Told[];
      if (pool['role'] === role && on.some((row) => row['id'] === id)) return true;
    }
    return false;
  };

const datasets = { path: '/v7.0/datasets' };
const packages = { path: '/v7.0/cluster_resource_packages' };
const amounts = { path: '/v7.0/default_object_cluster_resources' };
const records = { path: '/v7.0/dns_records' };
const history = { path: '/v7.0/datasets/12/property_history' };
const historyOf = (filter: string) =>
  `dataset(id: 12) { list: propertyHistories(first: 100, filter: { ${filter} }) { nodes { databaseId } } }`;
const of = (field: string, filter: string) =>
  `list: ${field}(first: 500, filter: { ${filter} }) { nodes { databaseId } }`;

/** Every filter of a list in the reference. */
const filters: readonly Filter[] = [
  {
    id: 'dataset#index/user',
    ...datasets,
    list: of('datasets', 'user: 2'),
    sent: 'dataset[user]=2',
    keeps: refers('user', 2),
  },
  {
    id: 'dataset#index/vps',
    ...datasets,
    list: of('datasets', 'vps: 7'),
    sent: 'dataset[vps]=7',
    keeps: refers('vps', 7),
  },
  {
    id: 'dataset#index/dataset',
    ...datasets,
    list: of('datasets', 'dataset: 101'),
    sent: 'dataset[dataset]=101',
    keeps: ({ id, name }) => id === 101 || String(name).startsWith('archive/'),
  },
  {
    id: 'dataset#index/primary_pool',
    ...datasets,
    list: of('datasets', 'primaryPool: 5'),
    sent: 'dataset[primary_pool]=5',
    keeps: onPool(5),
  },
  {
    id: 'dataset#index/role',
    ...datasets,
    list: of('datasets', 'role: HYPERVISOR'),
    sent: 'dataset[role]=hypervisor',
    keeps: inRole('hypervisor'),
  },
  {
    id: 'dataset#index/to_depth',
    ...datasets,
    list: of('datasets', 'toDepth: 1'),
    sent: 'dataset[to_depth]=1',
    keeps: ({ name }) => String(name).split('/').length <= 2,
  },
  {
    id: 'cluster_resource_package#index/environment',
    ...packages,
    list: of('clusterResourcePackages', 'environment: 1'),
    sent: 'cluster_resource_package[environment]=1',
    keeps: refers('environment', 1),
  },
  {
    id: 'cluster_resource_package#index/user',
    ...packages,
    list: of('clusterResourcePackages', 'user: 2'),
    sent: 'cluster_resource_package[user]=2',
    keeps: refers('user', 2),
  },
  {
    id: 'default_object_cluster_resource#index/environment',
    ...amounts,
    list: of('defaultObjectClusterResources', 'environment: 1'),
    sent: 'default_object_cluster_resource[environment]=1',
    keeps: refers('environment', 1),
  },
  {
    id: 'default_object_cluster_resource#index/cluster_resource',
    ...amounts,
    list: of('defaultObjectClusterResources', 'clusterResource: 2'),
    sent: 'default_object_cluster_resource[cluster_resource]=2',
    keeps: refers('cluster_resource', 2),
  },
  {
    id: 'default_object_cluster_resource#index/class_name',
    ...amounts,
    list: of('defaultObjectClusterResources', 'className: "Vps"'),
    sent: 'default_object_cluster_resource[class_name]=Vps',
    keeps: ({ class_name }) => class_name === 'Vps',
  },
  {
    id: 'dns_record#index/dns_zone',
    ...records,
    list: of('dnsRecords', 'dnsZone: 1'),
    sent: 'dns_record[dns_zone]=1',
    keeps: refers('dns_zone', 1),
  },
  {
    id: 'dns_record#index/user',
    ...records,
    list: of('dnsRecords', 'user: 8'),
    sent: 'dns_record[user]=8',
    keeps: refers('user', 8),
  },
  {
    id: 'dataset.property_history#index/from',
    ...history,
    list: historyOf('from: "2024-03-13T00:00:00Z"'),
    sent: 'property_history[from]=2024-03-13T00:00:00Z',
    keeps: ({ created_at }) => Date.parse(String(created_at)) >= Date.UTC(2024, 2, 13),
  },
  {
    id: 'dataset.property_history#index/to',
    ...history,
    list: historyOf('to: "2024-03-13T00:00:00Z"'),
    sent: 'property_history[to]=2024-03-13T00:00:00Z',
    keeps: ({ created_at }) => Date.parse(String(created_at)) <= Date.UTC(2024, 2, 13),
  },
  {
    id: 'dataset.property_history#index/name',
    ...history,
    list: historyOf('name: "used"'),
    sent: 'property_history[name]=used',
    keeps: ({ name }) => name === 'used',
  },
];

interface List {
  readonly nodes: readonly { readonly databaseId: number }[];
}

let pair: Pair;
beforeAll(async () => {
  pair = await startPair({ sandbox: { step: 'manual' } });
});
afterAll(() => pair[Symbol.asyncDispose]());

const known = new Map<string, Promise<unknown>>();
/** Nothing is written here, so what was read once stays true. */
function read(path: string): Promise<unknown> {
  const one = known.get(path) ?? readObject(pair.sandbox, path);
  known.set(path, one);
  return one;
}

for (const filter of filters) {
  test(`[${filter.id}] the filter ${filter.sent} keeps exactly the matching rows`, async () => {
    pair.calls.length = 0;
    const { data, errors } = await pair.ask<{ list?: List; dataset?: { list: List } }>(`{ ${filter.list} }`);
    expect(errors).toEqual([]);
    const call = pair.calls.find(({ path }) => path === filter.path);
    expect(decodeURIComponent(call?.query ?? '')).toContain(filter.sent);
    const served = (data?.list ?? data?.dataset?.list)?.nodes.map(({ databaseId }) => databaseId) ?? [];

    const [, namespace = ''] = /^(\w+)\[/.exec(filter.sent) ?? [];
    const whole = `${filter.path}?${namespace}[limit]=1000`;
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
