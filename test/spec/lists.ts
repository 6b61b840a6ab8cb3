import { type Row, rowsOf } from './row.ts';

/** A list of the reference, at a place where there is something to page through. */
export interface List {
  /** For example `dataset.snapshot#index`. */
  readonly action: string;
  /** Below the version. */
  readonly path: string;
  /** Of its input. */
  readonly namespace: string;
}

/** Every list of the reference. */
export const lists: readonly List[] = `
action_state#index /action_states
cluster_resource#index /cluster_resources
cluster_resource_package#index /cluster_resource_packages
cluster_resource_package.item#index /cluster_resource_packages/2/items
component#index /components
dataset#index /datasets
dataset.plan#index /datasets/43/plans
dataset.property_history#index /datasets/12/property_history
dataset.snapshot#index /datasets/12/snapshots
dataset_expansion#index /dataset_expansions
dataset_expansion.history#index /dataset_expansions/9/history
dataset_plan#index /dataset_plans
default_object_cluster_resource#index /default_object_cluster_resources
dns_record#index /dns_records
`
  .trim()
  .split('\n')
  .map((line) => {
    const [action = '', path = ''] = line.split(' ');
    return { action, path, namespace: /(\w+)#/.exec(action)?.[1] ?? '' };
  });

/** The title of the test of a list's paging in a version. */
export const pagingTitle = ({ action }: List, version: '7.0' | '5.0'): string =>
  `${action} of ${version} pages by ${version === '7.0' ? 'from_id' : 'offset'} and limit`;

/** The paging of each list, in both versions. */
export const listRows: readonly Row[] = lists.flatMap((list) =>
  rowsOf(
    'reference / Conventions',
    `
${list.action} paging 7.0 | \`from_id\` and \`limit\`, each at least 0 | ${pagingTitle(list, '7.0')}
${list.action} paging 5.0 | \`offset\` and \`limit\`, each at least 0 | ${pagingTitle(list, '5.0')}
`,
  ),
);
