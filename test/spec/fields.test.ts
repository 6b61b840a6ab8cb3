// Tests that the resources of the API have exactly the fields of the reference, and that GraphQL has their types.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Pair, startPair } from '../helpers/facade.ts';
import { type Json, send } from '../helpers/sandbox-requests.ts';

/** A resource's fields: where its objects are, and what each of its fields is. */
interface Fields {
  /** The resource, or the action that has an output of its own. */
  readonly id: string;
  /** The object in GraphQL, up to its selection. */
  readonly field: string;
  /** The same object at the sandbox; with `#` the first of a list. */
  readonly path: string;
  /** `name:Type` of each, by the API's names. A Choice is a String with the choices of an input: an enum in GraphQL. */
  readonly fields: readonly string[];
}

const table = `
action_state | actionState(id: 103) | /v7.0/action_states/103 | id:Integer label:String finished:Boolean status:Boolean current:Integer total:Integer unit:String can_cancel:Boolean created_at:Datetime updated_at:Datetime
cluster | cluster | /v7.0/cluster | maintenance_lock:Boolean maintenance_lock_reason:String
cluster#full_stats | clusterFullStats | /v7.0/cluster/full_stats | nodes_online:Integer node_count:Integer vps_running:Integer vps_stopped:Integer vps_suspended:Integer vps_deleted:Integer vps_count:Integer user_active:Integer user_suspended:Integer user_deleted:Integer user_count:Integer ipv4_used:Integer ipv4_count:Integer
cluster#public_stats | clusterPublicStats | /v7.0/cluster/public_stats | user_count:Integer vps_count:Integer ipv4_left:Integer
cluster_resource | clusterResource(id: 2) | /v7.0/cluster_resources/2 | id:Integer name:String label:String min:Integer max:Integer stepsize:Integer
cluster_resource_package | clusterResourcePackage(id: 2) | /v7.0/cluster_resource_packages/2 | id:Integer label:String environment:Resource user:Resource created_at:Datetime updated_at:Datetime
cluster_resource_package.item | clusterResourcePackage(id: 2) { item(id: 8) | /v7.0/cluster_resource_packages/2/items/8 | id:Integer cluster_resource:Resource value:Integer
component | component(id: 2) | /v7.0/components/2 | id:Integer name:String label:String description:Text
dataset | dataset(id: 103) | /v7.0/datasets/103 | id:Integer name:String parent:Resource user:Resource environment:Resource current_history_id:Integer atime:Boolean compression:Boolean recordsize:Integer quota:Integer refquota:Integer relatime:Boolean sync:Choice sharenfs:String used:Integer referenced:Integer avail:Integer compressratio:Float refcompressratio:Float vps:Resource export:Resource dataset_expansion:Resource
dataset.plan | dataset(id: 12) { plan(id: 8) | /v7.0/datasets/12/plans/8 | id:Integer environment_dataset_plan:Resource
dataset.property_history | dataset(id: 12) { propertyHistory(id: 165) | /v7.0/datasets/12/property_history/165 | id:Integer name:String value:Integer created_at:Datetime
dataset.snapshot | dataset(id: 12) { snapshot(id: 246) | /v7.0/datasets/12/snapshots/246 | id:Integer dataset:Resource name:String label:String created_at:Datetime history_id:Integer mount:Resource export:Resource
dataset_expansion | datasetExpansion(id: 2) | /v7.0/dataset_expansions/2 | id:Integer vps:Resource dataset:Resource state:String original_refquota:Integer added_space:Integer enable_notifications:Boolean enable_shrink:Boolean stop_vps:Boolean over_refquota_seconds:Integer max_over_refquota_seconds:Integer created_at:Datetime
dataset_expansion.history | datasetExpansion(id: 2) { history(id: 6) | /v7.0/dataset_expansions/2/history/6 | id:Integer added_space:Integer original_refquota:Integer new_refquota:Integer created_at:Datetime admin:Resource
dataset_plan | datasetPlan(id: 2) | /v7.0/dataset_plans/2 | id:Integer label:String description:String
debug#array_top | debugArrayTop(limit: 1) | /v7.0/debugs/array_top?debug[limit]=1 | size:Integer sample:Custom
default_object_cluster_resource | defaultObjectClusterResource(id: 2) | /v7.0/default_object_cluster_resources/2 | id:Integer environment:Resource cluster_resource:Resource class_name:String value:Integer
dns_record | dnsRecord(id: 5) | /v7.0/dns_records/5 | id:Integer dns_zone:Resource user:Resource name:String type:Choice content:String ttl:Integer priority:Integer comment:Text enabled:Boolean dynamic_update_enabled:Boolean managed:Boolean dynamic_update_url:String created_at:Datetime updated_at:Datetime
`;

/** Every resource whose fields the reference lists. */
const resources: readonly Fields[] = table
  .trim()
  .split('\n')
  .map((line) => {
    const [id = '', field = '', path = '', fields = ''] = line.split(' | ');
    return { id, field, path, fields: fields.split(' ') };
  });

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

let pair: Pair;
beforeAll(async () => {
  pair = await startPair({ sandbox: { step: 'manual' } });
});
afterAll(() => pair[Symbol.asyncDispose]());

const camel = (name: string) =>
  name === 'id' ? 'databaseId' : name.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());

/** The field of a parameter. A snapshot's `label` is its time, by which associations name it. */
const fieldOf = (id: string, name: string) =>
  id === 'dataset.snapshot' && name === 'label' ? 'labelResource' : camel(name);

/** The object that an answer holds below its outer field. */
function innermost(value: Json): Json {
  if (Array.isArray(value)) return value[0] as Json;
  const [only, ...more] = Object.values(value);
  return more.length === 0 && only !== null && typeof only === 'object' ? innermost(only) : value;
}

for (const { id, field, path, fields } of resources) {
  test(`[${id}/fields] ${id} has exactly its documented fields, and GraphQL has their types`, async () => {
    const all = fields.map((one) => one.split(':') as [name: string, type: string]);
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
