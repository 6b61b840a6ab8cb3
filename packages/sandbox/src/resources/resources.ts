// Lists the resources of API version 7.0, in the order of its description.
import type { ResourceDefinition } from '../engine/definition.ts';
import { actionState } from './action-state-resource.ts';
import { apiServer } from './api-server.ts';
import { cluster } from './clusters/cluster.ts';
import { clusterResource } from './clusters/cluster-resource.ts';
import { clusterResourcePackage } from './clusters/cluster-resource-package.ts';
import { defaultObjectClusterResource } from './clusters/default-object-cluster-resource.ts';
import { component } from './component.ts';
import { dataset } from './datasets/dataset.ts';
import { datasetExpansion, datasetPlan } from './datasets/dataset-expansion.ts';
import { debug } from './debug.ts';
import { dnsRecord, dnsZone } from './dns.ts';
import { environment, location, node, pool } from './infrastructure.ts';
import { user } from './user.ts';
import { exportResource, vps } from './vps.ts';

/** The resources of version 7.0 by name, in the order of the description. */
export const resources: Readonly<Record<string, ResourceDefinition>> = {
  cluster,
  api_server: apiServer,
  cluster_resource: clusterResource,
  cluster_resource_package: clusterResourcePackage,
  component,
  dataset,
  dataset_expansion: datasetExpansion,
  dataset_plan: datasetPlan,
  debug,
  default_object_cluster_resource: defaultObjectClusterResource,
  dns_record: dnsRecord,
  dns_zone: dnsZone,
  environment,
  export: exportResource,
  location,
  node,
  pool,
  user,
  vps,
  action_state: actionState,
};
