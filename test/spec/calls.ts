// Lists a call of each endpoint, as an operation and as what both sides say of it.
import type { Pair } from '../helpers/facade.ts';
import { camel } from './rows.ts';

/** A read: the field with its selection, and what it answers at least. */
export type Read = readonly [field: string, answer: unknown];

/** A write. */
export interface Write {
  /** The mutation with its arguments besides `input`. */
  readonly field: string;
  /** By the API's names. Default: none. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** The field of the payload with the object that it makes. */
  readonly made?: string;
  /** A further selection, and what it answers at least. */
  readonly answer?: Read;
  /** What the object has afterwards. Null: there is none. */
  readonly holds?: Readonly<Record<string, unknown>> | null;
  /** Where the object is. Default: that of the write, or `{made}` below it. */
  readonly place?: string;
}

/** All that can be set of a dataset, none of it as by default. */
const SETTINGS = {
  atime: true,
  compression: false,
  recordsize: 4096,
  quota: 512,
  refquota: 256,
  relatime: true,
  sync: 'disabled',
  sharenfs: 'on',
};
const RECORD = {
  name: 'spec',
  type: 'MX',
  content: 'mail',
  ttl: 60,
  priority: 5,
  comment: 'c',
  enabled: false,
  dynamic_update_enabled: false,
};
const CHANGES = { content: 'other', ttl: 120, priority: 3, comment: 'c', enabled: false };
const EXPANSION = { added_space: 100, enable_shrink: true, stop_vps: false, max_over_refquota_seconds: 60 };
const EXPANDED = {
  enable_notifications: false,
  enable_shrink: true,
  stop_vps: true,
  max_over_refquota_seconds: 5,
};
const GPU = { name: 'gpu', label: 'GPU', min: 1, max: 8, stepsize: 2 };
const LOCK = { lock: true, reason: 'moving' };

const FOUND = [
  { resource: 'user', id: 4, attribute: 'login', value: 'novak' },
  { resource: 'user', id: 4, attribute: 'email', value: 'novak@example.test' },
];

/** Reads by action. */
export const READS: Readonly<Record<string, Read>> = {
  'action_state#index': [
    'actionStates(first: 1, filter: { order: OLDEST }) { nodes { databaseId } }',
    { nodes: [{ databaseId: 103 }] },
  ],
  'action_state#show': [
    'actionState(id: 103) { databaseId current total canCancel }',
    { databaseId: 103, current: 3, total: 12, canCancel: true },
  ],
  'cluster#show': [
    'cluster { maintenanceLock maintenanceLockReason }',
    { maintenanceLock: false, maintenanceLockReason: null },
  ],
  'cluster#full_stats': ['clusterFullStats { nodeCount userCount }', { nodeCount: 8, userCount: 20 }],
  'cluster#public_stats': ['clusterPublicStats { userCount }', { userCount: 20 }],
  'cluster#search': [
    'clusterSearchResults(value: "novak") { resource id: databaseId attribute value }',
    FOUND,
  ],
  'cluster_resource#index': [
    'clusterResources(first: 2) { nodes { name } }',
    { nodes: [{ name: 'cpu' }, { name: 'memory' }] },
  ],
  'cluster_resource#show': [
    'clusterResource(id: 2) { name label min max stepsize }',
    { name: 'memory', label: 'memory', min: 1, max: 16384, stepsize: 1 },
  ],
  'cluster_resource_package#index': [
    'clusterResourcePackages(first: 1) { nodes { id } }',
    { nodes: [{ id: 'cluster_resource_package/1' }] },
  ],
  'cluster_resource_package#show': ['clusterResourcePackage(id: 2) { databaseId }', { databaseId: 2 }],
  'cluster_resource_package.item#index': [
    'clusterResourcePackage(id: 2) { items(first: 1) { nodes { databaseId } } }',
    { items: { nodes: [{ databaseId: 7 }] } },
  ],
  'cluster_resource_package.item#show': [
    'clusterResourcePackage(id: 2) { item(id: 8) { databaseId } }',
    { item: { databaseId: 8 } },
  ],
  'component#index': [
    'components(first: 2) { nodes { name } }',
    { nodes: [{ name: 'api' }, { name: 'console' }] },
  ],
  'component#show': [
    'component(id: 2) { name label description }',
    { name: 'console', label: 'CONSOLE ✔', description: 'Component console' },
  ],
  'dataset#find_by_name': [
    'datasetByName(name: "atlas", user: 2) { databaseId name }',
    { databaseId: 12, name: 'atlas' },
  ],
  'dataset#index': ['datasets(first: 1) { nodes { name } }', { nodes: [{ name: 'archive' }] }],
  'dataset#show': ['dataset(id: 12) { name }', { name: 'atlas' }],
  'dataset.plan#index': [
    'dataset(id: 12) { plans(first: 1) { nodes { databaseId } } }',
    { plans: { nodes: [{ databaseId: 8 }] } },
  ],
  'dataset.plan#show': ['dataset(id: 12) { plan(id: 8) { databaseId } }', { plan: { databaseId: 8 } }],
  'dataset.property_history#index': [
    'dataset(id: 12) { propertyHistories(first: 1, filter: { name: "used" }) { nodes { name } } }',
    { propertyHistories: { nodes: [{ name: 'used' }] } },
  ],
  'dataset.property_history#show': [
    'dataset(id: 12) { propertyHistory(id: 165) { databaseId name } }',
    { propertyHistory: { databaseId: 165, name: 'used' } },
  ],
  'dataset.snapshot#index': [
    'dataset(id: 12) { snapshots(first: 1) { nodes { databaseId } } }',
    { snapshots: { nodes: [{ databaseId: 245 }] } },
  ],
  'dataset.snapshot#show': [
    'dataset(id: 12) { snapshot(id: 246) { databaseId } }',
    { snapshot: { databaseId: 246 } },
  ],
  'dataset_expansion#index': [
    'datasetExpansions(first: 1) { nodes { databaseId } }',
    { nodes: [{ databaseId: 1 }] },
  ],
  'dataset_expansion#show': ['datasetExpansion(id: 2) { databaseId }', { databaseId: 2 }],
  'dataset_expansion.history#index': [
    'datasetExpansion(id: 2) { histories(first: 1) { nodes { databaseId } } }',
    { histories: { nodes: [{ databaseId: 5 }] } },
  ],
  'dataset_expansion.history#show': [
    'datasetExpansion(id: 2) { history(id: 6) { databaseId } }',
    { history: { databaseId: 6 } },
  ],
  'dataset_plan#index': [
    'datasetPlans(first: 1) { nodes { label } }',
    { nodes: [{ label: 'Daily backup' }] },
  ],
  'dataset_plan#show': ['datasetPlan(id: 3) { label }', { label: 'No backup' }],
  'debug#array_top': [
    'debugArrayTops(limit: 2) { __typename }',
    Array(2).fill({ __typename: 'DebugArrayTop' }),
  ],
  'debug#hash_top': ['debugHashTops(limit: 1) { __typename }', [{ __typename: 'DebugHashTop' }]],
  'default_object_cluster_resource#index': [
    'defaultObjectClusterResources(first: 1) { nodes { databaseId } }',
    { nodes: [{ databaseId: 1 }] },
  ],
  'default_object_cluster_resource#show': [
    'defaultObjectClusterResource(id: 2) { databaseId }',
    { databaseId: 2 },
  ],
  'dns_record#index': ['dnsRecords(first: 1) { nodes { databaseId } }', { nodes: [{ databaseId: 1 }] }],
  'dns_record#show': ['dnsRecord(id: 2) { type }', { type: 'MX' }],
};

/** A write that deletes an object. */
const remove = (field: string, id: number | string): Write => ({
  field: `${field}(id: ${JSON.stringify(id)})`,
  holds: null,
});

/** Writes by action. */
export const WRITES: Readonly<Record<string, Write>> = {
  'api_server#unlock_transaction_signing_key': {
    field: 'apiServerUnlockTransactionSigningKey()',
    input: { passphrase: 'sandbox' },
  },
  'cluster#set_maintenance': {
    field: 'clusterSetMaintenance()',
    input: LOCK,
    holds: { maintenance_lock: true, maintenance_lock_reason: 'moving' },
  },
  'cluster#generate_migration_keys': { field: 'clusterGenerateMigrationKeys' },
  'cluster_resource#create': {
    field: 'clusterResourceCreate()',
    input: GPU,
    holds: GPU,
    place: '/v7.0/cluster_resources/7',
  },
  'cluster_resource#update': {
    field: 'clusterResourceUpdate(id: 2)',
    input: { max: 99, label: 'RAM' },
    answer: ['clusterResource { label min max }', { clusterResource: { label: 'RAM', min: 1, max: 99 } }],
    holds: { label: 'RAM', name: 'memory', max: 99 },
  },
  'cluster_resource_package#create': {
    field: 'clusterResourcePackageCreate()',
    input: { label: 'small' },
    made: 'clusterResourcePackage',
    holds: { label: 'small' },
  },
  'cluster_resource_package#update': {
    field: 'clusterResourcePackageUpdate(id: 2)',
    input: { label: 'large' },
    answer: ['clusterResourcePackage { label }', { clusterResourcePackage: { label: 'large' } }],
    holds: { label: 'large' },
  },
  'cluster_resource_package#delete': remove('clusterResourcePackageDelete', 1),
  'cluster_resource_package.item#create': {
    field: 'clusterResourcePackageItemCreate(clusterResourcePackage: 3)',
    input: { cluster_resource: 2, value: 7 },
    made: 'item',
    holds: { value: 7, cluster_resource: { id: 2 } },
  },
  'cluster_resource_package.item#update': {
    field: 'clusterResourcePackageItemUpdate(id: "cluster_resource_package/2/item/8")',
    input: { value: 3 },
    answer: ['item { value }', { item: { value: 3 } }],
    holds: { value: 3 },
  },
  'cluster_resource_package.item#delete': remove(
    'clusterResourcePackageItemDelete',
    'cluster_resource_package/2/item/8',
  ),
  'dataset#create': {
    field: 'datasetCreate()',
    input: { dataset: 12, name: 'spec', automount: false, ...SETTINGS },
    made: 'dataset',
    holds: { name: 'atlas/spec', parent: { id: 12 }, ...SETTINGS },
  },
  'dataset#delete': remove('datasetDelete', 111),
  'dataset#inherit': {
    field: 'datasetInherit(id: 105)',
    input: { property: 'sync,atime' },
    holds: { sync: 'standard', atime: false },
  },
  'dataset#migrate': { field: 'datasetMigrate(id: 12)', input: { pool: 2, rsync: true, reason: 'full' } },
  'dataset#update': {
    field: 'datasetUpdate(id: 12)',
    input: { atime: true, admin_override: true, admin_lock_type: 'not_less' },
    answer: ['dataset { atime }', { dataset: { atime: true } }],
    holds: { atime: true },
  },
  'dataset.plan#create': {
    field: 'datasetPlanAssignmentCreate(dataset: 105)',
    input: { environment_dataset_plan: 1 },
    made: 'plan',
    holds: { environment_dataset_plan: { id: 1 } },
  },
  'dataset.plan#delete': remove('datasetPlanAssignmentDelete', 'dataset/12/plan/8'),
  'dataset.snapshot#create': {
    field: 'datasetSnapshotCreate(dataset: 12)',
    input: { label: 'spec' },
    made: 'snapshot',
    holds: { label: 'spec', dataset: { id: 12 } },
  },
  'dataset.snapshot#delete': remove('datasetSnapshotDelete', 'dataset/12/snapshot/245'),
  'dataset.snapshot#rollback': {
    field: 'datasetSnapshotRollback(id: "dataset/12/snapshot/246")',
    answer: ['snapshot { databaseId }', { snapshot: { databaseId: 246 } }],
    holds: { id: 246 },
  },
  'dataset_expansion#create': {
    field: 'datasetExpansionCreate()',
    input: { dataset: 106, ...EXPANSION },
    made: 'datasetExpansion',
    holds: { dataset: { id: 106 }, original_refquota: 92_160, ...EXPANSION },
  },
  'dataset_expansion#register_expanded': {
    field: 'datasetExpansionRegisterExpanded()',
    input: { dataset: 107, original_refquota: 5, enable_notifications: false },
    made: 'datasetExpansion',
    holds: { dataset: { id: 107 }, original_refquota: 5, added_space: 163_835, enable_notifications: false },
  },
  'dataset_expansion#update': {
    field: 'datasetExpansionUpdate(id: 2)',
    input: EXPANDED,
    answer: ['datasetExpansion { stopVps }', { datasetExpansion: { stopVps: true } }],
    holds: EXPANDED,
  },
  'dataset_expansion.history#create': {
    field: 'datasetExpansionHistoryCreate(datasetExpansion: 9)',
    input: { added_space: 10 },
    made: 'history',
    holds: { added_space: 10, original_refquota: 163_840, new_refquota: 163_850, admin: { id: 1 } },
  },
  'default_object_cluster_resource#create': {
    field: 'defaultObjectClusterResourceCreate()',
    input: { environment: 4, cluster_resource: 5, class_name: 'Mailbox', value: 12 },
    made: 'defaultObjectClusterResource',
    holds: { class_name: 'Mailbox', value: 12 },
  },
  'default_object_cluster_resource#update': {
    field: 'defaultObjectClusterResourceUpdate(id: 2)',
    input: { value: 77 },
    answer: ['defaultObjectClusterResource { value }', { defaultObjectClusterResource: { value: 77 } }],
    holds: { value: 77 },
  },
  'default_object_cluster_resource#delete': remove('defaultObjectClusterResourceDelete', 2),
  'dns_record#create': {
    field: 'dnsRecordCreate()',
    input: { ...RECORD, dns_zone: 1, user: 8 },
    made: 'dnsRecord',
    holds: { ...RECORD, dns_zone: { id: 1 }, user: { id: 8 }, managed: false, dynamic_update_url: null },
  },
  'dns_record#update': {
    field: 'dnsRecordUpdate(id: 2)',
    input: { ...CHANGES, user: 8 },
    answer: ['dnsRecord { ttl enabled }', { dnsRecord: { ttl: 120, enabled: false } }],
    holds: { ...CHANGES, user: { id: 8 } },
  },
  'dns_record#delete': remove('dnsRecordDelete', 2),
  'token#request': {
    field: 'tokenRequest()',
    input: { user: 'user', password: 'sandbox', lifetime: 'fixed' },
  },
  'token#totp': { field: 'tokenTotp()', input: { token: 't', code: '1' } },
};

/** Parameters whose values are those of an enum. */
const ENUMS = new Set(['admin_lock_type', 'lifetime', 'sync', 'type']);

/** Sends a write through GraphQL, with its own input or another one. */
export function mutate<Data>(
  pair: Pair,
  { field, input, made, answer }: Write,
  { given = input, more = '' }: { given?: Readonly<Record<string, unknown>> | undefined; more?: string } = {},
) {
  const [name = '', rest = ''] = field.split(/\((.*)\)/);
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input!`;
  const variables = Object.fromEntries(
    Object.entries(given ?? {}).map(([key, value]) => [
      camel(key),
      ENUMS.has(key) ? String(value).toUpperCase() : value,
    ]),
  );
  const selection = [made && `made: ${made} { databaseId }`, answer?.[0], more, 'userErrors { message }'];
  const call =
    input === undefined
      ? `mutation { it: ${field} { ${selection.join(' ')} } }`
      : `mutation ($input: ${type}) { it: ${name}(${rest}, input: $input) { ${selection.join(' ')} } }`;
  return pair.ask<Data>(call, { variables: input === undefined ? {} : { input: variables } });
}
