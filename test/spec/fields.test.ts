// Tests that the resources of the API have exactly the fields of the reference, and that GraphQL has their types.
import { expect, test } from 'vitest';
import { type Json, send } from '../helpers/sandbox-requests.ts';
import { sharePair } from '../helpers/shared-pair.ts';
import { camel as camelOf, readRows } from './rows.ts';

/** An object of each resource, or of each action with an output of its own: in GraphQL up to its selection, and at the sandbox. */
const OBJECTS: Readonly<Record<string, readonly [field: string, path: string]>> = {
  action_state: ['actionState(id: 103)', 'action_states/103'],
  cluster: ['cluster', 'cluster'],
  'cluster#full_stats': ['clusterFullStats', 'cluster/full_stats'],
  'cluster#public_stats': ['clusterPublicStats', 'cluster/public_stats'],
  cluster_resource: ['clusterResource(id: 2)', 'cluster_resources/2'],
  cluster_resource_package: ['clusterResourcePackage(id: 2)', 'cluster_resource_packages/2'],
  'cluster_resource_package.item': [
    'clusterResourcePackage(id: 2) { item(id: 8)',
    'cluster_resource_packages/2/items/8',
  ],
  component: ['component(id: 2)', 'components/2'],
  dataset: ['dataset(id: 103)', 'datasets/103'],
  'dataset.plan': ['dataset(id: 12) { plan(id: 8)', 'datasets/12/plans/8'],
  'dataset.property_history': [
    'dataset(id: 12) { propertyHistory(id: 165)',
    'datasets/12/property_history/165',
  ],
  'dataset.snapshot': ['dataset(id: 12) { snapshot(id: 246)', 'datasets/12/snapshots/246'],
  dataset_expansion: ['datasetExpansion(id: 2)', 'dataset_expansions/2'],
  'dataset_expansion.history': ['datasetExpansion(id: 2) { history(id: 6)', 'dataset_expansions/2/history/6'],
  dataset_plan: ['datasetPlan(id: 2)', 'dataset_plans/2'],
  'debug#array_top': ['debugArrayTops(limit: 1)', 'debugs/array_top?debug[limit]=1'],
  default_object_cluster_resource: [
    'defaultObjectClusterResource(id: 2)',
    'default_object_cluster_resources/2',
  ],
  dns_record: ['dnsRecord(id: 5)', 'dns_records/5'],
};

/** Every resource whose fields the reference lists. A Choice is a String with described choices: an enum in GraphQL. */
const resources = readRows(/^(?:An object|The output) of `(\S+)` has (`.+`)\.$/).map(
  ([, , id = '', text = '']) => {
    const [field = '', path = ''] = OBJECTS[id] ?? [];
    const fields = [...text.matchAll(/`(\w+) (\w+)`/g)].map(
      ([, name = '', type = '']) => [name, type] as const,
    );
    return { id, field, path: `/v7.0/${path}`, fields };
  },
);

/** GraphQL's type of each type of the documents. */
const scalars: Readonly<Record<string, string>> = {
  String: 'String',
  Text: 'String',
  Boolean: 'Boolean',
  Integer: 'SafeInt',
  Float: 'Float',
  Datetime: 'DateTime',
  Custom: 'JSON',
};

const pair = sharePair({ sandbox: { step: 'manual' } });

const camel = (name: string) => (name === 'id' ? 'databaseId' : camelOf(name));

/** The field of a parameter. A snapshot's `label` is its time, by which associations name it. */
const fieldOf = (id: string, name: string) =>
  id === 'dataset.snapshot' && name === 'label' ? 'labelValue' : camel(name);

/** The object that an answer holds below its outer field. */
function innermost(value: Json): Json {
  if (Array.isArray(value)) return value[0] as Json;
  const [only, ...more] = Object.values(value);
  return more.length === 0 && only !== null && typeof only === 'object' ? innermost(only) : value;
}

for (const { id, field, path, fields: all } of resources) {
  test(`[${id}/fields] ${id} has exactly its documented fields, and GraphQL has their types`, async () => {
    const selection = all.map(([name, type]) =>
      type === 'Resource' ? `${camel(name)} { id }` : fieldOf(id, name),
    );
    const closing = '}'.repeat(field.split('{').length - 1);
    const { data, errors } = await pair.ask<Json>(
      `{ it: ${field} { __typename ${selection.join(' ')} } ${closing} }`,
    );
    expect(errors).toEqual([]);
    const shown = innermost(data?.['it'] as Json);
    const { envelope } = await send(pair.sandbox, path);
    const [answer] = Object.entries(envelope['response'] ?? {})
      .filter(([name]) => name !== '_meta')
      .map(([, value]) => value);
    const held = (Array.isArray(answer) ? answer[0] : answer) as Record<string, unknown>;
    expect(
      Object.keys(held)
        .filter((name) => name !== '_meta')
        .sort(),
    ).toEqual(all.map(([name]) => name).sort());

    type Typed = {
      readonly __type: { readonly fields: readonly { name: string; type: { name: string; kind: string } }[] };
    };
    const described = await pair.ask<Typed>(
      `{ __type(name: "${String(shown['__typename'])}") { fields { name type { name kind } } } }`,
    );
    for (const [name, type] of all) {
      const own = described.data?.__type.fields.find((one) => one.name === fieldOf(id, name))?.type;
      const value: unknown = shown[fieldOf(id, name)];
      const there = held[name];
      if (type === 'Resource') {
        expect([name, own?.kind]).toEqual([name, 'OBJECT']);
        const id = (there as Json | null)?.['id'];
        const shownId = String((value as Json | null)?.['id'])
          .split('/')
          .at(-1);
        expect([name, value === null ? undefined : shownId]).toEqual([
          name,
          there === null ? undefined : String(id),
        ]);
      } else {
        const isChoice = type === 'Choice';
        expect([name, isChoice ? own?.kind : own?.name]).toEqual([name, isChoice ? 'ENUM' : scalars[type]]);
        expect([name, value]).toEqual([name, isChoice ? String(there).toUpperCase() : there]);
      }
    }
  });
}
