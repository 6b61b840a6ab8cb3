// Tests the defaults of the reference: the API describes each of them, and a call without the parameter uses it.
import { describe, expect, test } from 'vitest';
import { ask } from '../helpers/facade.ts';
import { admin, type Json, send } from '../helpers/sandbox-requests.ts';
import { renewPair } from '../helpers/shared-pair.ts';
import { readRows } from './rows.ts';

/** A parameter's default. */
interface Default {
  /** Ids of its rows, in brackets. */
  readonly rows: string;
  readonly action: string;
  readonly parameter: string;
  readonly value: boolean | number | string;
}

const creations: Readonly<Record<string, readonly [operation: string, path: string, sent: object]>> = {
  'dataset#create': [
    'datasetCreate(input: { name: "bare", dataset: 12 }) { made: dataset { databaseId } }',
    '/v7.0/datasets',
    { dataset: { name: 'bare', dataset: 12 } },
  ],
  'dns_record#create': [
    'dnsRecordCreate(input: { dnsZone: 1, type: TXT, content: "bare" }) { made: dnsRecord { databaseId } }',
    '/v7.0/dns_records',
    { dns_record: { dns_zone: 1, type: 'TXT', content: 'bare' } },
  ],
};

/** Defaults of new datasets that the table of limits has too. */
const LIMITS = new Set(['recordsize', 'quota', 'refquota']);

const defaults = readRows(/^`(\w+)` of `(\S+)` is `(\w+)` by default\.$/).map(
  ([id, , parameter = '', action = '', text = '']): Default => {
    const limits = action === 'dataset#create' && LIMITS.has(parameter) ? `, limit/${parameter}` : '';
    const value = /^(true|false|\d+)$/.test(text) ? JSON.parse(text) : text;
    return { rows: `[${id}${limits}]`, action, parameter, value };
  },
);

/** Defaults of what a write makes: the row that it makes holds them. */
const heldDefaults = defaults.filter(
  ({ action, parameter }) => action in creations && parameter !== 'automount',
);

/** Defaults of an update: the API describes them, but what nobody sent stays. */
const updateDefaults = defaults.filter(({ action }) => action === 'dataset#update');

/** Defaults that only steer the call. */
const callDefaults = defaults.filter((one) => !heldDefaults.includes(one) && !updateDefaults.includes(one));

const pair = renewPair({ sandbox: { step: 0 } });

/** The default of a parameter, as the sandbox describes it. */
async function described({ action, parameter }: Default): Promise<unknown> {
  const [path = '', name = ''] = action.split('#');
  const { envelope } = await send(pair.sandbox, '/v7.0/', admin(pair.sandbox), { method: 'OPTIONS' });
  const { resources, authentication } = envelope['response'] ?? {};
  let found: Json | undefined = {
    resources: { ...resources, ...authentication?.['token']?.['resources'] },
  } as Json;
  for (const resource of path.split('.')) found = found?.['resources']?.[resource];
  return found?.['actions']?.[name]?.['input']?.['parameters']?.[parameter]?.['default'];
}

async function held(target: string): Promise<Json> {
  const { envelope } = await send(pair.sandbox, target);
  const [object] = Object.values(envelope['response'] ?? {});
  if (!object) throw new Error(`expected an object at ${target}`);
  return object;
}

describe('a parameter that is omitted from a new object', () => {
  const made = new Map<string, Promise<Json>>();

  /** The object that the action makes of next to nothing, made once. */
  function makeBare(action: string): Promise<Json> {
    const known = made.get(action) ?? make(action);
    made.set(action, known);
    return known;
  }
  async function make(action: string): Promise<Json> {
    const [operation, path, sent] = creations[action] ?? ['', '', {}];
    const { data, errors } = await pair.ask<{ it: Json }>(`mutation { it: ${operation} }`);
    expect(errors).toEqual([]);
    expect(pair.calls.find(({ scope }) => scope === action)?.body).toEqual(sent);
    return held(`${path}/${data?.it['made']?.['databaseId']}`);
  }

  for (const row of heldDefaults) {
    test(`${row.rows} ${row.action} sets ${row.parameter} to ${row.value} when it is omitted`, async () => {
      expect((await makeBare(row.action))[row.parameter]).toBe(row.value);
      expect(await described(row)).toBe(row.value);
    });
  }
});

describe('a parameter that is omitted from an update', () => {
  const others: Readonly<Record<string, unknown>> = {
    atime: true,
    compression: false,
    recordsize: 4096,
    quota: 400_000,
    refquota: 300_000,
    relatime: true,
    sync: 'DISABLED',
  };
  for (const row of updateDefaults) {
    test(`${row.rows} ${row.action} describes the default of ${row.parameter}, and leaves it unchanged when it is omitted`, async () => {
      expect(await described(row)).toBe(row.value);
      const set =
        'mutation ($input: DatasetUpdateInput) { datasetUpdate(id: 12, input: $input) { userErrors { message } } }';
      const variables = { input: { [row.parameter]: others[row.parameter], adminOverride: true } };
      expect((await pair.ask(set, { variables })).data).toEqual({ datasetUpdate: { userErrors: [] } });
      const before = await held('/v7.0/datasets/12');
      expect(before[row.parameter]).not.toBe(row.value);
      pair.calls.length = 0;
      await pair.ask(set, { variables: { input: { sharenfs: row.parameter } } });
      expect(pair.calls.find(({ method }) => method === 'PUT')?.body).toEqual({
        dataset: { sharenfs: row.parameter },
      });
      const after = await held('/v7.0/datasets/12');
      expect([after['sharenfs'], after[row.parameter]]).toEqual([row.parameter, before[row.parameter]]);
    });
  }
});

/** A default that only steers its call: an operation that leaves it out, and how what comes of it shows the default. */
interface Steered {
  readonly operation: string;
  readonly shows?: Readonly<Record<string, (answer: Json) => unknown>>;
}

const steered: Readonly<Record<string, Steered>> = {
  'dataset#create': {
    operation:
      'mutation { it: datasetCreate(input: { name: "again", dataset: 12 }) { made: dataset { databaseId } } }',
    shows: {
      automount: async ({ made }) => {
        const mounts = await pair.ask<{
          vpses: { nodes: readonly { mounts: { nodes: readonly Json[] } }[] };
        }>('{ vpses(first: 100) { nodes { mounts(first: 100) { nodes { dataset { databaseId } } } } } }');
        const all = mounts.data?.vpses.nodes.flatMap((vps) => vps.mounts.nodes) ?? [];
        expect(all.length).toBeGreaterThan(0);
        return all.some(({ dataset }) => dataset?.['databaseId'] === made?.['databaseId']);
      },
    },
  },
  'dataset#migrate': {
    operation: 'mutation { it: datasetMigrate(id: 12, input: { pool: 2 }) { userErrors { message } } }',
    shows: { cleanup_data: async () => !(await idsOf('datasets', 'primary_pool=5')).includes(12) },
  },
  'token#request': {
    operation:
      'mutation { it: tokenRequest(input: { user: "user", password: "sandbox", lifetime: FIXED }) { token: result { token validTo } } }',
    shows: {
      interval: ({ token }) => {
        const seconds = (Date.parse(String(token?.['validTo'])) - Date.now()) / 1000;
        return seconds > 240 && seconds <= 300 ? 300 : seconds;
      },
      scope: async ({ token }) => {
        const headers = { [pair.sandbox.tokenHeader]: String(token?.['token']) };
        const answer = await ask(
          pair.facade,
          'mutation { datasetSnapshotCreate(dataset: 12) { userErrors { code } } }',
          { headers },
        );
        return answer.errors.length === 0 ? 'all' : answer.errors;
      },
    },
  },
  'debug#array_top': {
    operation: '{ it: debugArrayTops { size } }',
    shows: { limit: (rows) => (rows as unknown as readonly Json[]).length },
  },
  'debug#hash_top': {
    operation: '{ it: debugHashTops { size } }',
    shows: { limit: (rows) => (rows as unknown as readonly Json[]).length },
  },
  'dataset.property_history#index': {
    operation: '{ it: dataset(id: 12) { propertyHistories { nodes { id } } } }',
    shows: {
      limit: async () => {
        for (let quota = 400_000; quota < 400_030; quota += 1)
          await pair.ask(
            `mutation { datasetUpdate(id: 12, input: { quota: ${quota} }) { userErrors { code } } }`,
          );
        return (await idsOf('datasets/12/property_history', '')).length;
      },
    },
  },
  'action_state#index': {
    operation: '{ it: actionStates { nodes { databaseId } } }',
    shows: {
      order: async () => {
        const ids = await idsOf('action_states', '');
        return ids.length > 2 && ids.every((id, at) => at === 0 || id < Number(ids[at - 1])) ? 'newest' : ids;
      },
    },
  },
};

/** Ids of a list, as the sandbox tells it. */
async function idsOf(list: string, filter: string): Promise<readonly number[]> {
  const namespace = list.split('/').at(-1)?.replace(/s$/, '');
  const query = filter === '' ? '' : `?${namespace}[${filter.replace('=', ']=')}&${namespace}[limit]=500`;
  const { envelope } = await send(pair.sandbox, `/v7.0/${list}${query}`);
  const [rows] = Object.values(envelope['response'] ?? {});
  return (rows as unknown as readonly { readonly id: number }[]).map(({ id }) => id);
}

describe('a parameter that is omitted from a call', () => {
  for (const row of callDefaults) {
    test(`${row.rows} ${row.action} takes ${row.parameter} to be ${row.value} when it is omitted`, async () => {
      expect(await described(row)).toBe(row.value);
      const { operation, shows = {} } = steered[row.action] ?? { operation: '' };
      const { data, errors } = await pair.ask<{ it: Json }>(operation);
      expect(errors).toEqual([]);
      const resource = /(\w+)#/.exec(row.action)?.[1] ?? '';
      const sent = pair.calls.map(({ query, body }) => ({
        ...Object.fromEntries(new URLSearchParams(query)),
        ...(body as Record<string, object> | undefined)?.[resource],
      }));
      // A page of a list is as long as `first` says, so its `limit` is always sent.
      if (row.parameter !== 'limit' || row.action.startsWith('debug'))
        for (const one of sent)
          expect(Object.keys(one)).not.toEqual(
            expect.arrayContaining([expect.stringContaining(row.parameter)]),
          );
      const show = shows[row.parameter];
      if (show !== undefined) expect(await show(data?.it as Json)).toEqual(row.value);
    });
  }
});
