import type { Row } from './row.ts';

/** A resource's fields: where its objects are, and what each of its fields is. */
export interface Fields {
  readonly resource: string;
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
cluster full statistics | clusterFullStats | /v7.0/cluster/full_stats | nodes_online:Integer node_count:Integer vps_running:Integer vps_stopped:Integer vps_suspended:Integer vps_deleted:Integer vps_count:Integer user_active:Integer user_suspended:Integer user_deleted:Integer user_count:Integer ipv4_used:Integer ipv4_count:Integer
cluster public statistics | clusterPublicStats | /v7.0/cluster/public_stats | user_count:Integer vps_count:Integer ipv4_left:Integer
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
debug arrays | debugArrayTop(limit: 1) | /v7.0/debugs/array_top?debug[limit]=1 | size:Integer sample:Custom
default_object_cluster_resource | defaultObjectClusterResource(id: 2) | /v7.0/default_object_cluster_resources/2 | id:Integer environment:Resource cluster_resource:Resource class_name:String value:Integer
dns_record | dnsRecord(id: 5) | /v7.0/dns_records/5 | id:Integer dns_zone:Resource user:Resource name:String type:Choice content:String ttl:Integer priority:Integer comment:Text enabled:Boolean dynamic_update_enabled:Boolean managed:Boolean dynamic_update_url:String created_at:Datetime updated_at:Datetime
`;

/** Every resource whose fields the reference lists. */
export const resourceFields: readonly Fields[] = table
  .trim()
  .split('\n')
  .map((line) => {
    const [resource = '', field = '', path = '', fields = ''] = line.split(' | ');
    return { resource, field, path, fields: fields.split(' ') };
  });

/** The title of the test of a resource's fields. */
export const fieldsTitle = ({ resource }: Fields): string => `${resource} has its fields`;

/** The resources' fields as rows. */
export const fieldRows: readonly Row[] = resourceFields.map((fields) => ({
  id: `fields ${fields.resource}`,
  what: fields.fields.map((field) => `\`${field.replace(':', ' ')}\``).join(', '),
  where: 'reference / Resources and their fields',
  test: fieldsTitle(fields),
}));
