import type { Call, Failure, Fields, Row, Value } from '../engine/definition.ts';
import type { Store } from '../engine/store.ts';
import { refusesAmount } from './amount.ts';
import { invalid } from './write-actions.ts';

/** How a limit that an administrator set binds everybody else, by the name of its kind. */
const locks: Readonly<Record<string, (wanted: number, limit: number) => boolean>> = {
  no_lock: () => true,
  absolute: (wanted, limit) => wanted === limit,
  not_less: (wanted, limit) => wanted >= limit,
  not_more: (wanted, limit) => wanted <= limit,
};

/** Kinds of an administrator's lock on the space of a dataset. */
export const lockTypes = Object.keys(locks);

/** What an administrator may limit, and the column that holds each limit. */
const limits = { quota: 'admin_quota', refquota: 'admin_refquota' } as const;
const limited = Object.entries(limits);

/**
 * Why a dataset may not be given the space that the changes name; undefined when it may. Nobody is given more than the owner
 * has in the environment unless it is overridden, and an administrator's lock binds everybody else.
 */
export function refusesSpace(
  { store, caller, input }: Call,
  dataset: Fields,
  changes: Fields,
): Failure | undefined {
  const locked = caller?.admin
    ? undefined
    : limited.find(([name, limit]) => !permits(dataset, changes[name], dataset[limit]));
  if (locked) return invalid('the space cannot be given', { [locked[0]]: 'is locked by an administrator' });
  const { refquota } = changes;
  if (refquota === dataset['refquota']) return undefined;
  const outside = refusesAmount(diskspace(store), refquota, 'refquota');
  if (outside) return outside;
  const grows = typeof refquota === 'number' && refquota > Number(dataset['refquota'] ?? 0);
  if (!grows || input.get('admin_override') === true) return undefined;
  const left = spaceLeft(store, dataset);
  return refquota > left
    ? invalid('the space cannot be given', { refquota: `only ${left} MiB are left` })
    : undefined;
}

/** The cluster resource that the reference quotas of datasets are amounts of, in MiB. */
export function diskspace(store: Store): Row | undefined {
  return store.rows('cluster_resources').find(({ name }) => name === 'diskspace');
}

/** The columns that a lock changes, as an administrator's update sets or keeps it. */
export function lockColumns(type: unknown, dataset: Fields, changes: Fields): Fields {
  const lock = typeof type === 'string' ? type : dataset['admin_lock_type'];
  if (lock === undefined) return {};
  const values = limited.map(([name, limit]) => [limit, changes[name] ?? dataset[name]]);
  return { admin_lock_type: lock, ...Object.fromEntries(values) };
}

function permits(dataset: Fields, wanted: Value | undefined, limit: Value | undefined): boolean {
  const permitted = locks[String(dataset['admin_lock_type'])];
  return wanted === undefined || !permitted || permitted(amount(wanted), amount(limit));
}

/** No limit at all is written as 0. */
function amount(value: Value | undefined): number {
  return Number(value) || Number.POSITIVE_INFINITY;
}

/** MiB that the owner may still give to this dataset: what packages hold, or else the default, less the other datasets. */
function spaceLeft(store: Store, { id, user, environment }: Fields): number {
  const resource = diskspace(store)?.id;
  const isOwn = (row: Fields) => row['user'] === user && row['environment'] === environment;
  const packages = store.rows('cluster_resource_packages').filter(isOwn);
  const held = store
    .rows('package_items')
    .filter((item) => item['cluster_resource'] === resource)
    .filter((item) => packages.some((one) => one.id === item['cluster_resource_package']));
  const fallback = store
    .rows('default_object_cluster_resources')
    .filter(({ class_name, cluster_resource }) => class_name === 'User' && cluster_resource === resource)
    .filter((row) => row['environment'] === environment);
  const others = store.rows('datasets').filter((row) => isOwn(row) && row.id !== id);
  return Math.max(0, sum(packages.length > 0 ? held : fallback, 'value') - sum(others, 'refquota'));
}

function sum(rows: readonly Fields[], column: string): number {
  return rows.reduce((total, row) => total + Number(row[column] ?? 0), 0);
}
