// Tests the bounds of inputs: the facade and the sandbox accept values at a bound, and refuse values beyond it with the same message.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Pair, startPair } from '../helpers/facade.ts';
import { type Json, send } from '../helpers/sandbox-requests.ts';

/** An input that the documents refuse, or one at the edge of what they accept. */
interface Bound {
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
  /** Of its test. */
  readonly title: string;
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

/** The last part of the row’s id is `name`. Default: the value. */
type Case = readonly [action: string, parameter: string, value: unknown, message: string, name?: string];

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
  ['cluster_resource_package#create', 'label', 'x', 'length has to be minimally 2', '1-character'],
  ['cluster_resource_package#update', 'label', 'x', 'length has to be minimally 2', '1-character'],
  ['dns_record#create', 'comment', `${LONG}x`, 'length has to be maximally 255', '256-characters'],
  ['dns_record#update', 'comment', `${LONG}x`, 'length has to be maximally 255', '256-characters'],
  ['dataset#create', 'name', '-a', "'-a' is not a valid dataset name", 'leading-hyphen'],
  ['dataset#create', 'name', 'a b', "'a b' is not a valid dataset name", 'space'],
  ['dataset#create', 'name', 'žena', "'žena' is not a valid dataset name", 'non-ascii'],
  ['dataset#create', 'name', `${LONG}x`, `'${LONG}x' is not a valid dataset name`, '256-characters'],
  ['dataset#migrate', 'finish_weekday', -1, 'has to be in range <0, 6>', 'negative'],
  ['dataset#migrate', 'finish_weekday', 7, 'has to be in range <0, 6>'],
  ['dataset#migrate', 'finish_minutes', -1, 'has to be in range <0, 1410>', 'negative'],
  ['dataset#migrate', 'finish_minutes', 1411, 'has to be in range <0, 1410>'],
  ['dataset_expansion#create', 'added_space', 0, 'has to be minimally 1'],
  ['dataset_expansion#register_expanded', 'original_refquota', 0, 'has to be minimally 1'],
  ['cluster_resource_package#create', 'label', 'xy', '', '2-characters'],
  ['dns_record#create', 'comment', LONG, '', '255-characters'],
  ['dataset#create', 'name', 'a', '', '1-character'],
  ['dataset#create', 'name', 'data/9A_-:.z', '', 'every-character'],
  ['dataset#create', 'name', LONG, '', '255-characters'],
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

/** Rows of the protocol that a bound proves too. */
const protocolRows: Readonly<Record<string, string>> = {
  'dataset#inherit/property/blank': 'message/present',
  'dataset#create/sync/always': 'message/include',
  'dataset_expansion#create/added_space/0': 'message/minimum',
  'dataset#migrate/finish_weekday/7': 'message/range',
  'cluster_resource_package#create/label/1-character': 'message/short',
  'dns_record#create/comment/256-characters': 'message/long',
  'dataset#create/name/space': 'message/dataset-name',
  'dataset#create/name/1-character': 'limit/dataset-name/shortest',
  'dataset#create/name/255-characters': 'limit/dataset-name/longest',
  'dataset#create/name/256-characters': 'limit/dataset-name/too-long',
  'dataset#create/name/leading-hyphen': 'limit/dataset-name/first-character',
  'dataset#create/name/every-character': 'limit/dataset-name/characters',
  'dataset#migrate/finish_weekday/0': 'limit/finish_weekday/minimum',
  'dataset#migrate/finish_weekday/6': 'limit/finish_weekday/maximum',
  'dataset#migrate/finish_minutes/0': 'limit/finish_minutes/minimum',
  'dataset#migrate/finish_minutes/1410': 'limit/finish_minutes/maximum',
  'dataset_expansion#create/added_space/1': 'limit/added_space',
  'dataset_expansion#register_expanded/original_refquota/1': 'limit/original_refquota',
  'cluster_resource_package#create/label/2-characters': 'limit/package-label',
  'dns_record#create/comment/255-characters': 'limit/dns-comment',
};

const bounds = cases.map(([of, parameter, value, message, name = String(value)]): Bound => {
  const [field = '', request = '', sound = {}] = actions[of] ?? [];
  const { [parameter]: _, ...others } = sound as Record<string, unknown>;
  const input = value === undefined ? others : { ...others, [parameter]: value };
  const row = `${of}/${parameter}/${name}`;
  const rows = row in protocolRows ? `${row}, ${protocolRows[row]}` : row;
  const title = `[${rows}] ${of} ${message === '' ? 'accepts' : 'refuses'} ${inWords(parameter, value)}`;
  return { of, parameter, field, request, input, message, title };
});

function inWords(parameter: string, value: unknown): string {
  if (value === undefined) return `a call without ${parameter}`;
  if (value === ' ') return `a blank ${parameter}`;
  if (typeof value === 'string' && value.startsWith(LONG))
    return `a ${parameter} of ${value.length} characters`;
  return `${JSON.stringify(value)} as ${parameter}`;
}

const refused = bounds.filter(({ message }) => message !== '');
const accepted = bounds.filter(({ message }) => message === '');
const enums = new Set(['lifetime', 'sync', 'admin_lock_type', 'type']);

/** Sends a bound's input through GraphQL: everything that it says is wrong. */
async function mutate(pair: Pair, { field, input }: Bound): Promise<readonly string[]> {
  const [name = '', rest = ''] = field.split(/\((.*)\)/);
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input!`;
  const variables = Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      key.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase()),
      enums.has(key) ? String(value).toUpperCase() : value,
    ]),
  );
  const { data, errors } = await pair.ask<{ it: { userErrors: { message: string }[] } }>(
    `mutation ($input: ${type}) { it: ${name}(${rest}, input: $input) { userErrors { message } } }`,
    { variables: { input: variables } },
  );
  return [...errors, ...(data?.it.userErrors ?? [])].map(({ message }) => message);
}

/** Sends it to the sandbox as its own clients would. */
async function direct({ sandbox }: Pair, { of, request, input }: Bound): Promise<Json> {
  const [method = '', path = ''] = request.split(' ');
  const namespace = /(\w+)#/.exec(of)?.[1] ?? '';
  if (method === 'GET') {
    const query = Object.entries(input).map(([name, value]) => `${namespace}[${name}]=${value}`);
    return (await send(sandbox, `${path}?${query.join('&') || `${namespace}[other]=`}`)).envelope;
  }
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ [namespace]: input });
  return (await send(sandbox, path, undefined, { method, headers, body })).envelope;
}

let pair: Pair;
beforeAll(async () => {
  pair = await startPair({ sandbox: { step: 0 } });
});
afterAll(() => pair[Symbol.asyncDispose]());

for (const bound of refused) {
  test(bound.title, async () => {
    pair.calls.length = 0;
    const said = await mutate(pair, bound);
    expect(pair.calls).toEqual([]);
    // What has no value in GraphQL, none for a required parameter or one that is not a choice, is refused by its type.
    const byType = bound.message.endsWith('is missing') || bound.message.endsWith('cannot be used');
    expect(said).toContainEqual(
      byType ? expect.stringMatching(/of required type|does not exist in/) : bound.message,
    );
    expect(await direct(pair, bound)).toMatchObject({
      status: false,
      response: null,
      message: 'input parameters are not valid',
      errors: { [bound.parameter]: expect.arrayContaining([bound.message]) },
    });
  });
}

for (const bound of accepted) {
  test(bound.title, async () => {
    await using own = await startPair({ sandbox: { step: 0 } });
    expect(await mutate(own, bound)).toEqual([]);
    const call = own.calls.find(({ scope }) => scope === bound.of) ?? own.calls[0];
    const namespace = /(\w+)#/.exec(bound.of)?.[1] ?? '';
    expect(call).toMatchObject({ status: 200, body: { [namespace]: bound.input } });
  });
}
