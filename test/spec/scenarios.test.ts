// Tests writes whose bounds depend on the data of the sandbox.
import { expect, test } from 'vitest';
import { readObject } from '../helpers/sandbox-requests.ts';
import { renewPair } from '../helpers/shared-pair.ts';

/** Writes one after the other, which of them are refused, and what is there in the end. */
interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly steps: readonly Step[];
  /** Paths of the sandbox, and what is there at least. */
  readonly holds: Readonly<Record<string, unknown>>;
}

/** A mutation without its selection, sent as somebody, and the input that is refused. Default: none is. */
type Step = readonly [as: 'admin' | 'user', mutation: string, refused?: string | undefined];

const unless = (allowed: boolean) => (allowed ? undefined : 'quota');
const dataset = (id: number, input: string) => `datasetUpdate(id: ${id}, input: { ${input} })`;
const memory = (input: string) => `clusterResourceUpdate(id: 2, input: { ${input} })`;
const item = (value: number) =>
  `clusterResourcePackageItemUpdate(id: "cluster_resource_package/2/item/8", input: { value: ${value} })`;
const MEMORY = '/v7.0/cluster_resource_packages/2/items/8';

/** What an administrator's lock lets others make of a quota of 1000. */
const lock = (type: string, quotas: string, less: boolean, more: boolean): Scenario => ({
  id: `dataset#update/admin_lock_type/${type}/binds`,
  title: `under the lock ${type} other users may set ${quotas}`,
  steps: [
    ['admin', dataset(15, `quota: 1000, adminLockType: ${type.toUpperCase()}`)],
    ['user', dataset(15, 'quota: 999'), unless(less)],
    ['user', dataset(15, 'quota: 1001'), unless(more)],
    // No limit is more than any.
    ['user', dataset(15, 'quota: 0'), unless(more)],
    ['user', dataset(15, 'relatime: true')],
  ],
  holds: { '/v7.0/datasets/15': { quota: more ? 0 : less ? 999 : 1000, relatime: true } },
});

/** Writes whose bounds lie in what the sandbox holds. */
const scenarios: readonly Scenario[] = [
  lock('no_lock', 'any quota', true, true),
  lock('absolute', 'no other quota', false, false),
  lock('not_less', 'no smaller quota', false, true),
  lock('not_more', 'no larger quota', true, false),
  {
    id: 'cluster_resource/min',
    title: 'an amount is greater than the minimum of its cluster resource',
    steps: [
      ['admin', memory('min: 10, max: 100, stepsize: 1')],
      ['admin', item(10), 'value'],
      ['admin', item(11)],
    ],
    holds: { [MEMORY]: { value: 11 } },
  },
  {
    id: 'cluster_resource/max',
    title: 'an amount is not greater than the maximum of its cluster resource',
    steps: [
      ['admin', memory('min: 10, max: 100, stepsize: 1')],
      ['admin', item(100)],
      ['admin', item(101), 'value'],
    ],
    holds: { [MEMORY]: { value: 100 } },
  },
  {
    id: 'cluster_resource/stepsize',
    title: 'an amount changes by the step size of its cluster resource',
    steps: [
      ['admin', memory('min: 0, max: 100, stepsize: 5')],
      ['admin', item(20)],
      ['admin', item(22), 'value'],
      ['admin', item(25)],
      ['admin', item(26), 'value'],
    ],
    holds: { [MEMORY]: { value: 25 } },
  },
  {
    id: 'dataset_expansion#create/dataset/unlimited',
    title: 'the sandbox refuses to expand a dataset without a reference quota',
    steps: [['admin', 'datasetExpansionCreate(input: { dataset: 18, addedSpace: 10 })', 'dataset']],
    holds: { '/v7.0/datasets/18': { refquota: 0, dataset_expansion: null } },
  },
  {
    id: 'dataset.property_history/update',
    title: 'the history of a dataset records a number that changes',
    steps: [['admin', dataset(12, 'quota: 555, relatime: true')]],
    holds: {
      '/v7.0/datasets/12/property_history?property_history[limit]=1': [{ name: 'quota', value: 555 }],
    },
  },
  {
    id: 'dns_record/dynamic_update_enabled/types',
    title: 'the sandbox refuses dynamic updates for a record that is neither A nor AAAA',
    steps: [
      [
        'admin',
        'dnsRecordCreate(input: { dnsZone: 1, type: TXT, content: "x", dynamicUpdateEnabled: true })',
        'dynamicUpdateEnabled',
      ],
      [
        'admin',
        'dnsRecordCreate(input: { dnsZone: 1, type: AAAA, content: "::1", dynamicUpdateEnabled: true })',
      ],
    ],
    holds: {
      '/v7.0/dns_records/363': { type: 'AAAA', content: '::1', dynamic_update_enabled: true },
    },
  },
];

const pair = renewPair({ sandbox: { step: 0 } });

for (const { id, title, steps, holds } of scenarios) {
  test(`[${id}] ${title}`, async () => {
    for (const [login, mutation, refused] of steps) {
      const { data } = await pair.ask(`mutation { it: ${mutation} { userErrors { path } } }`, { login });
      const userErrors = refused === undefined ? [] : [{ path: ['input', refused] }];
      expect([mutation, data]).toEqual([mutation, { it: { userErrors } }]);
    }
    for (const [path, object] of Object.entries(holds))
      expect(await readObject(pair.sandbox, path)).toMatchObject(object as object);
  });
}
