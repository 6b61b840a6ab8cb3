import type { ResourceDefinition } from '../definition.ts';
import { actionState } from './action-state.ts';
import { apiServer } from './api-server.ts';
import { cluster } from './cluster.ts';
import { clusterResource } from './cluster-resource.ts';
import { clusterResourcePackage } from './cluster-resource-package.ts';
import { component } from './component.ts';
import { dataset } from './dataset.ts';
import { datasetExpansion, datasetPlan } from './dataset-expansion.ts';
import { debug } from './debug.ts';
import { defaultObjectClusterResource } from './default-object-cluster-resource.ts';
import { dnsRecord, dnsZone } from './dns.ts';
import { environment, location, node, pool } from './infrastructure.ts';
import { user } from './user.ts';
import { exportResource, vps } from './vps.ts';

/** The resources of version 7.0 by name, in the order in which they are described. */
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
