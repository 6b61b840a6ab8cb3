import type { Row } from './row.ts';

/** Writes one after the other, which of them are refused, and what is there in the end. */
export interface Scenario {
  readonly id: string;
  readonly what: string;
  readonly section: string;
  readonly title: string;
  readonly steps: readonly Step[];
  /** Paths of the sandbox, and what is there at least. */
  readonly holds: Readonly<Record<string, unknown>>;
}

/** A mutation without its selection, sent as somebody, and the input that is refused. Default: none is. */
export type Step = readonly [login: 'admin' | 'user', mutation: string, refused?: string | undefined];

const unless = (allowed: boolean) => (allowed ? undefined : 'quota');
const dataset = (id: number, input: string) => `datasetUpdate(id: ${id}, input: { ${input} })`;
const memory = (input: string) => `clusterResourceUpdate(id: 2, input: { ${input} })`;
const item = (value: number) =>
  `clusterResourcePackageItemUpdate(id: "cluster_resource_package/2/item/8", input: { value: ${value} })`;
const MEMORY = '/v7.0/cluster_resource_packages/2/items/8';

/** What an administrator's lock lets others make of a quota of 1000. */
const lock = (type: string, what: string, less: boolean, more: boolean): Scenario => ({
  id: `dataset#update admin_lock_type ${type} binds`,
  what,
  section: 'Dataset',
  title: `${type}: ${what}`,
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
export const scenarios: readonly Scenario[] = [
  lock('no_lock', 'others may have any quota', true, true),
  lock('absolute', 'others may have no other quota', false, false),
  lock('not_less', 'others may have no smaller quota', false, true),
  lock('not_more', 'others may have no larger quota', true, false),
  {
    id: 'cluster_resource min',
    what: 'an amount is more than the minimum',
    section: 'Cluster resource',
    title: 'an amount of a cluster resource is more than the minimum',
    steps: [
      ['admin', memory('min: 10, max: 100, stepsize: 1')],
      ['admin', item(10), 'value'],
      ['admin', item(11)],
    ],
    holds: { [MEMORY]: { value: 11 } },
  },
  {
    id: 'cluster_resource max',
    what: 'an amount is not more than the maximum',
    section: 'Cluster resource',
    title: 'an amount of a cluster resource is not more than the maximum',
    steps: [
      ['admin', memory('min: 10, max: 100, stepsize: 1')],
      ['admin', item(100)],
      ['admin', item(101), 'value'],
    ],
    holds: { [MEMORY]: { value: 100 } },
  },
  {
    id: 'cluster_resource stepsize',
    what: 'an amount changes in steps',
    section: 'Cluster resource',
    title: 'an amount of a cluster resource changes in steps',
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
    id: 'dataset_expansion#create unlimited',
    what: 'a dataset without a reference quota has nothing to expand',
    section: 'Dataset expansion',
    title: 'a dataset without a reference quota is not expanded',
    steps: [['admin', 'datasetExpansionCreate(input: { dataset: 18, addedSpace: 10 })', 'dataset']],
    holds: { '/v7.0/datasets/18': { refquota: 0, dataset_expansion: null } },
  },
  {
    id: 'dataset.property_history of an update',
    what: 'a number that becomes another has its name, value and time in the history',
    section: 'Dataset property history',
    title: 'a number that becomes another is in the history of its dataset',
    steps: [['admin', dataset(12, 'quota: 555, relatime: true')]],
    holds: {
      '/v7.0/datasets/12/property_history?property_history[limit]=1': [{ name: 'quota', value: 555 }],
    },
  },
  {
    id: 'dns_record dynamic_update_enabled types',
    what: 'only A and AAAA records are updated dynamically',
    section: 'DNS record',
    title: 'a record that is neither A nor AAAA is not updated dynamically',
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

/** The scenarios as rows. */
export const scenarioRows: readonly Row[] = scenarios.map(({ id, what, section, title }) => ({
  id,
  what,
  where: `reference / ${section}`,
  test: title,
}));
