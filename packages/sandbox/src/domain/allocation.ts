// Checks the disk space that a dataset may get: quotas, administrator locks and packages of the owner.
import type { Call, Failure, Fields, Row, Value } from '../engine/definition.ts';
import type { Store } from '../engine/store.ts';
import { checkAmount } from './amount.ts';
import { exceedsQuota, invalidInput } from './write-actions.ts';

/** For each lock type, whether it allows the value that an ordinary user requests, given the administrator's limit. */
const LOCK_RULES: Readonly<Record<string, (wanted: number, limit: number) => boolean>> = {
  no_lock: () => true,
  absolute: (wanted, limit) => wanted === limit,
  not_less: (wanted, limit) => wanted >= limit,
  not_more: (wanted, limit) => wanted <= limit,
};

/** The lock types that an administrator may set on the space of a dataset. */
export const LOCK_TYPES = Object.keys(LOCK_RULES);

/** The properties that an administrator may lock, each with the column that holds its limit. */
const LIMIT_COLUMNS = Object.entries({ quota: 'admin_quota', refquota: 'admin_refquota' });

/**
 * Checks whether a dataset may get the quotas in the changes, and returns the failure where it may not. A reference quota must
 * fit into the owner's space in the environment unless an administrator overrides this. An administrator's lock does not apply
 * to administrators.
 */
export function checkSpace(
  { store, caller, input }: Call,
  dataset: Fields,
  changes: Fields,
): Failure | undefined {
  const locked = caller?.admin
    ? undefined
    : LIMIT_COLUMNS.find(([name, column]) => !isAllowedByLock(dataset, changes[name], dataset[column]));
  if (locked)
    return invalidInput('the space cannot be allocated', { [locked[0]]: 'is locked by an administrator' });
  const { refquota } = changes;
  if (refquota === dataset['refquota']) return undefined;
  const diskspace = findDiskspace(store);
  const outOfBounds = checkAmount(diskspace, refquota, 'refquota');
  if (outOfBounds) return outOfBounds;
  const isGrowing = typeof refquota === 'number' && refquota > Number(dataset['refquota'] ?? 0);
  if (!isGrowing || input.get('admin_override') === true) return undefined;
  const remaining = remainingSpace(store, dataset);
  return refquota > remaining
    ? exceedsQuota(`${remaining} MiB of ${diskspace?.['label'] ?? 'disk space'}`)
    : undefined;
}

/** Finds the cluster resource that reference quotas of datasets are allocated from. Unit: MiB. */
export function findDiskspace(store: Store): Row | undefined {
  return store.rows('cluster_resources').find(({ name }) => name === 'diskspace');
}

/** The columns that store a dataset's lock after an administrator's update. Without a type, the current lock type stays. */
export function lockColumns(type: unknown, dataset: Fields, changes: Fields): Fields {
  const lock = typeof type === 'string' ? type : dataset['admin_lock_type'];
  if (lock === undefined) return {};
  const values = LIMIT_COLUMNS.map(([name, column]) => [column, changes[name] ?? dataset[name]]);
  return { admin_lock_type: lock, ...Object.fromEntries(values) };
}

function isAllowedByLock(dataset: Fields, wanted: Value | undefined, limit: Value | undefined): boolean {
  const isAllowed = LOCK_RULES[String(dataset['admin_lock_type'])];
  return wanted === undefined || !isAllowed || isAllowed(toAmount(wanted), toAmount(limit));
}

/** Converts a quota to a comparable amount: 0 means unlimited. */
function toAmount(value: Value | undefined): number {
  return Number(value) || Number.POSITIVE_INFINITY;
}

/**
 * The MiB that the owner can still allocate to this dataset: the total of the owner's packages, or the default for users where
 * there are no packages, minus the quotas of the owner's other datasets.
 */
function remainingSpace(store: Store, { id, user, environment }: Fields): number {
  const resource = findDiskspace(store)?.id;
  const isOwn = (row: Fields) => row['user'] === user && row['environment'] === environment;
  const packages = store.rows('cluster_resource_packages').filter(isOwn);
  const packageItems = store
    .rows('package_items')
    .filter((item) => item['cluster_resource'] === resource)
    .filter((item) => packages.some((row) => row.id === item['cluster_resource_package']));
  const defaults = store
    .rows('default_object_cluster_resources')
    .filter(({ class_name, cluster_resource }) => class_name === 'User' && cluster_resource === resource)
    .filter((row) => row['environment'] === environment);
  const others = store.rows('datasets').filter((row) => isOwn(row) && row.id !== id);
  return Math.max(0, sum(packages.length > 0 ? packageItems : defaults, 'value') - sum(others, 'refquota'));
}

function sum(rows: readonly Fields[], column: string): number {
  return rows.reduce((total, row) => total + Number(row[column] ?? 0), 0);
}
