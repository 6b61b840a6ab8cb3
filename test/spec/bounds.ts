import type { Row } from './row.ts';

/** An input that the documents refuse, or one at the edge of what they accept. */
export interface Bound {
  /** Action and parameter. */
  readonly of: string;
  readonly parameter: string;
  /** The mutation, with its arguments beside `input`. */
  readonly field: string;
  /** Method and path of the action below the address. */
  readonly request: string;
  /** The input by the API's names. */
  readonly input: Readonly<Record<string, unknown>>;
  /** What is said of the parameter; empty: the input is accepted. */
  readonly message: string;
  readonly title: string;
  readonly where: string;
}

const LONG = 'x'.repeat(255);
const PRESENT = 'must be present and non-empty';
const MISSING = 'required parameter is missing';

/** Parts in common: mutation and request of an action, and an input that is sound. */
const actions: Readonly<Record<string, readonly [field: string, request: string, sound: object]>> = {
  'token#request': [
    'tokenRequest()',
    'POST /_auth/token/tokens',
    { user: 'user', password: 'sandbox', lifetime: 'fixed' },
  ],
  'token#totp': ['tokenTotp()', 'POST /_auth/token/tokens/totp', { token: 't', code: '1' }],
  'cluster#set_maintenance': [
    'clusterSetMaintenance()',
    'POST /v7.0/cluster/set_maintenance',
    { lock: false },
  ],
  'api_server#unlock_transaction_signing_key': [
    'apiServerUnlockTransactionSigningKey()',
    'GET /v7.0/api_servers/unlock_transaction_signing_key',
    {},
  ],
  'cluster_resource_package#create': [
    'clusterResourcePackageCreate()',
    'POST /v7.0/cluster_resource_packages',
    {},
  ],
  'cluster_resource_package#update': [
    'clusterResourcePackageUpdate(id: 1)',
    'PUT /v7.0/cluster_resource_packages/1',
    {},
  ],
  'dataset#create': ['datasetCreate()', 'POST /v7.0/datasets', { name: 'fresh', dataset: 12 }],
  'dataset#update': ['datasetUpdate(id: 12)', 'PUT /v7.0/datasets/12', {}],
  'dataset#inherit': ['datasetInherit(id: 12)', 'POST /v7.0/datasets/12/inherit', {}],
  'dataset#migrate': ['datasetMigrate(id: 12)', 'POST /v7.0/datasets/12/migrate', { pool: 2 }],
  'dataset.plan#create': ['datasetPlanAssignmentCreate(dataset: 105)', 'POST /v7.0/datasets/105/plans', {}],
  'dataset_expansion#create': [
    'datasetExpansionCreate()',
    'POST /v7.0/dataset_expansions',
    { dataset: 106, added_space: 10 },
  ],
  'dataset_expansion#register_expanded': [
    'datasetExpansionRegisterExpanded()',
    'POST /v7.0/dataset_expansions/register_expanded',
    { dataset: 107 },
  ],
  'dataset_expansion.history#create': [
    'datasetExpansionHistoryCreate(datasetExpansion: 9)',
    'POST /v7.0/dataset_expansions/9/history',
    {},
  ],
  'default_object_cluster_resource#create': [
    'defaultObjectClusterResourceCreate()',
    'POST /v7.0/default_object_cluster_resources',
    { environment: 4, cluster_resource: 1, class_name: 'Mailbox', value: 1 },
  ],
  'default_object_cluster_resource#update': [
    'defaultObjectClusterResourceUpdate(id: 1)',
    'PUT /v7.0/default_object_cluster_resources/1',
    {},
  ],
  'dns_record#create': [
    'dnsRecordCreate()',
    'POST /v7.0/dns_records',
    { dns_zone: 1, type: 'TXT', content: 'text' },
  ],
  'dns_record#update': ['dnsRecordUpdate(id: 1)', 'PUT /v7.0/dns_records/1', {}],
};

type Case = readonly [action: string, parameter: string, value: unknown, message: string, said?: string];

const cases: readonly Case[] = [
  ...[
    ['token#request', 'user'],
    ['token#request', 'password'],
    ['api_server#unlock_transaction_signing_key', 'passphrase'],
    ['cluster_resource_package#create', 'label'],
    ['cluster_resource_package#update', 'label'],
    ['dataset#create', 'name'],
    ['dataset#inherit', 'property'],
    ['default_object_cluster_resource#create', 'class_name'],
    ['dns_record#create', 'content'],
  ].map(([action = '', parameter = '']): Case => [action, parameter, ' ', PRESENT, 'blank']),
  ...[
    ['token#request', 'user'],
    ['token#request', 'password'],
    ['token#request', 'lifetime'],
    ['token#totp', 'token'],
    ['token#totp', 'code'],
    ['cluster#set_maintenance', 'lock'],
    ['api_server#unlock_transaction_signing_key', 'passphrase'],
    ['cluster_resource_package#create', 'label'],
    ['dataset#create', 'name'],
    ['dataset#inherit', 'property'],
    ['dataset#migrate', 'pool'],
    ['dataset.plan#create', 'environment_dataset_plan'],
    ['default_object_cluster_resource#create', 'environment'],
    ['default_object_cluster_resource#create', 'cluster_resource'],
    ['default_object_cluster_resource#create', 'class_name'],
    ['default_object_cluster_resource#create', 'value'],
    ['default_object_cluster_resource#update', 'value'],
    ['dns_record#create', 'dns_zone'],
    ['dns_record#create', 'type'],
    ['dns_record#create', 'content'],
  ].map(([action = '', parameter = '']): Case => [action, parameter, undefined, MISSING, 'missing']),
  ['token#request', 'lifetime', 'weekly', 'weekly cannot be used'],
  ['dataset#create', 'sync', 'always', 'always cannot be used'],
  ['dataset#update', 'sync', 'always', 'always cannot be used'],
  ['dataset#update', 'admin_lock_type', 'some', 'some cannot be used'],
  ['dns_record#create', 'type', 'SOA', 'SOA cannot be used'],
  ['cluster_resource_package#create', 'label', 'x', 'length has to be minimally 2'],
  ['cluster_resource_package#update', 'label', 'x', 'length has to be minimally 2'],
  ['dns_record#create', 'comment', `${LONG}x`, 'length has to be maximally 255', '256 characters'],
  ['dns_record#update', 'comment', `${LONG}x`, 'length has to be maximally 255', '256 characters'],
  ['dataset#create', 'name', '-a', "'-a' is not a valid dataset name"],
  ['dataset#create', 'name', 'a b', "'a b' is not a valid dataset name"],
  ['dataset#create', 'name', 'žena', "'žena' is not a valid dataset name"],
  ['dataset#create', 'name', `${LONG}x`, `'${LONG}x' is not a valid dataset name`, '256 characters'],
  ['dataset#migrate', 'finish_weekday', -1, 'has to be in range <0, 6>'],
  ['dataset#migrate', 'finish_weekday', 7, 'has to be in range <0, 6>'],
  ['dataset#migrate', 'finish_minutes', -1, 'has to be in range <0, 1410>'],
  ['dataset#migrate', 'finish_minutes', 1411, 'has to be in range <0, 1410>'],
  ['dataset_expansion#create', 'added_space', 0, 'has to be minimally 1'],
  ['dataset_expansion#register_expanded', 'original_refquota', 0, 'has to be minimally 1'],
  ['cluster_resource_package#create', 'label', 'xy', ''],
  ['dns_record#create', 'comment', LONG, '', '255 characters'],
  ['dataset#create', 'name', 'a', ''],
  ['dataset#create', 'name', 'data/9A_-:.z', ''],
  ['dataset#create', 'name', LONG, '', '255 characters'],
  ['dataset#migrate', 'finish_weekday', 0, ''],
  ['dataset#migrate', 'finish_weekday', 6, ''],
  ['dataset#migrate', 'finish_minutes', 0, ''],
  ['dataset#migrate', 'finish_minutes', 1410, ''],
  ['dataset_expansion#create', 'added_space', 1, ''],
  ['dataset_expansion#register_expanded', 'original_refquota', 1, ''],
  ...['standard', 'disabled'].map((sync): Case => ['dataset#create', 'sync', sync, '']),
  ...['no_lock', 'absolute', 'not_less', 'not_more'].map(
    (type): Case => ['dataset#update', 'admin_lock_type', type, ''],
  ),
  ...['fixed', 'renewable_manual', 'renewable_auto', 'permanent'].map(
    (lifetime): Case => ['token#request', 'lifetime', lifetime, ''],
  ),
];

/** Every bound of an input, with the sandbox's own words for what is beyond it. */
export const bounds: readonly Bound[] = cases.map(([of, parameter, value, message, said]) => {
  const [field = '', request = '', sound = {}] = actions[of] ?? [];
  const { [parameter]: _, ...others } = sound as Record<string, unknown>;
  const input = value === undefined ? others : { ...others, [parameter]: value };
  const title = `${of} ${message === '' ? 'accepts' : 'refuses'} ${parameter} ${said ?? JSON.stringify(value)}`;
  return { of, parameter, field, request, input, message, title, where: sectionOf(of, message) };
});

/** The bounds as rows. */
export const boundRows: readonly Row[] = bounds.map(({ title, message, where }) => {
  const [of = '', verb = '', ...rest] = title.split(' ');
  const short = message.length > 80 ? `${message.slice(0, 8)}…` : message;
  return {
    id: `${of} ${rest.join(' ')}`,
    what: message === '' ? `${verb} ${rest.join(' ')}` : `“${short}”`,
    where,
    test: title,
  };
});

function sectionOf(of: string, message: string): string {
  const [resource = ''] = of.split('#');
  if (message === PRESENT || message.endsWith('cannot be used'))
    return `protocol / Errors; reference / ${resource}`;
  return message === MISSING ? `reference / ${resource}` : `protocol / Limits; reference / ${resource}`;
}
