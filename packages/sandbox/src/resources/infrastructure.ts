// Defines the resources of environments, locations, nodes and storage pools.
import { index, show } from '../actions/actions.ts';
import type { Caller, Parameters, ResourceDefinition, Row } from '../engine/definition.ts';
import { association, boolean, choice, datetime, float, integer, string } from '../engine/parameters.ts';

const environmentReference = association('environment', 'label');

/** Environments. Only administrators see internal ones. The response for an unknown id has status 200 and a message. */
export const environment: ResourceDefinition = {
  description: 'Manage environments',
  table: 'environments',
  isVisible: (caller: Caller | null, row: Row) => caller?.admin === true || row['internal'] === false,
  output: {
    id: integer({ label: 'ID', description: 'Environment ID' }),
    label: string({ label: 'Label', description: 'Environment label' }),
    description: string({ label: 'Description', description: 'Environment description' }),
  },
  actions: {
    index: index({ description: 'List environments' }),
    show: show({ description: 'Show environment', notFound: 'message' }),
  },
  resources: {
    dataset_plan: {
      description: 'Manage environment dataset plans',
      table: 'environment_dataset_plans',
      parent: 'environment',
      output: {
        id: integer({ label: 'ID' }),
        label: string({ label: 'Label' }),
        dataset_plan: association('dataset_plan', 'label'),
        user_add: boolean({
          label: 'User add',
          description: 'If true, the user can add this plan to a dataset',
        }),
        user_remove: boolean({
          label: 'User remove',
          description: 'If true, the user can remove this plan from a dataset',
        }),
      },
      actions: {
        index: index({ description: 'List dataset plans' }),
        show: show({ description: 'Show dataset plan' }),
      },
    },
  },
};

/** Locations of nodes. */
export const location: ResourceDefinition = {
  description: 'Manage locations',
  table: 'locations',
  output: {
    id: integer({ label: 'ID', description: 'Location ID' }),
    label: string({ label: 'Label', description: 'Location label' }),
    description: string({ label: 'Description', description: 'Location description' }),
    environment: environmentReference,
  },
  actions: {
    index: index({
      description: 'List locations',
      filters: { environment: { parameter: environmentReference } },
    }),
    show: show({ description: 'Show location', notFound: 'message' }),
  },
};

const locationReference = association('location', 'label', { description: 'Location node is placed in' });
const hypervisorType = choice(['vpsadminos'], { label: 'Hypervisor type' });

/** Servers that run VPSes or store data. */
export const node: ResourceDefinition = {
  description: 'Manage nodes',
  table: 'nodes',
  output: {
    id: integer({ label: 'ID', description: 'Node ID' }),
    name: string({ label: 'Name', description: 'Node name' }),
    domain_name: string({ label: 'Domain name', description: 'Node name including location domain' }),
    fqdn: string({ label: 'FQDN' }),
    hypervisor_type: hypervisorType,
    location: locationReference,
    cgroup_version: choice(['cgroup_invalid', 'cgroup_v1', 'cgroup_v2'], { label: 'Cgroup version' }),
  },
  actions: {
    index: index({
      description: 'List nodes',
      filters: { location: { parameter: locationReference }, hypervisor_type: { parameter: hypervisorType } },
    }),
    show: show({ description: 'Show node' }),
  },
};

const nodeReference = association('node', 'domain_name', { label: 'Node' });
const role = choice(['hypervisor', 'primary', 'backup'], { label: 'Role' });

const poolOutput: Parameters = {
  id: integer(),
  node: nodeReference,
  name: string({ label: 'Name' }),
  role,
  state: choice(['unknown', 'online', 'degraded', 'suspended', 'faulted', 'error'], { label: 'State' }),
  scan: choice(['unknown', 'none', 'scrub', 'resilver', 'error'], { label: 'Scan' }),
  scan_percent: float(),
  checked_at: datetime(),
};

/**
 * Storage pools. The list takes neither paging parameters nor metadata. The response for an unknown id has status 200 and no
 * message.
 */
export const pool: ResourceDefinition = {
  description: 'Manage storage pools',
  table: 'pools',
  output: poolOutput,
  actions: {
    index: index({
      description: 'List storage pools',
      hasPaging: false,
      takesNoMetadata: true,
      filters: { node: { parameter: nodeReference }, role: { parameter: role } },
    }),
    show: show({ description: 'Show storage pool', notFound: 'silence' }),
  },
};
