// Defines the resources of VPSes, their mounts, and NFS exports.
import { index, show } from '../actions/actions.ts';
import { visibleToOwner, visibleToOwnerOf } from '../domain/access.ts';
import type { ResourceDefinition } from '../engine/definition.ts';
import { byDescendingId } from '../engine/lists.ts';
import { association, boolean, choice, datetime, integer, string } from '../engine/parameters.ts';
import { objectState } from './user.ts';

const nodeReference = association('node', 'domain_name', { label: 'Node' });
const datasetReference = association('dataset', 'name', { description: 'Dataset the VPS resides in' });

/** Virtual servers and their mounts. */
export const vps: ResourceDefinition = {
  description: 'Manage VPS',
  table: 'vpses',
  isVisible: visibleToOwner('user'),
  output: {
    id: integer({ label: 'VPS id' }),
    user: association('user', 'login', { description: 'VPS owner' }),
    hostname: string({ label: 'Hostname', description: 'VPS hostname' }),
    node: nodeReference,
    dataset: datasetReference,
    pool: association('pool', 'name', {
      description: 'Storage pool the VPS resides in',
      ignoresIncludes: true,
    }),
    created_at: datetime({ label: 'Created at' }),
    memory: integer({ label: 'Memory' }),
    is_running: boolean({ label: 'Running' }),
    object_state: objectState,
  },
  actions: {
    index: index({
      description: 'List VPS',
      filters: {
        node: { parameter: nodeReference },
        hostname_exact: { parameter: string(), matches: (row, hostname) => row['hostname'] === hostname },
        object_state: { parameter: objectState },
      },
    }),
    show: show({ description: 'Show VPS properties' }),
  },
  resources: {
    mount: {
      description: 'Manage mounts',
      table: 'mounts',
      parent: 'vps',
      output: {
        id: integer(),
        vps: association('vps', 'hostname', { label: 'VPS' }),
        dataset: datasetReference,
        mountpoint: string({ label: 'Mountpoint' }),
        mode: choice(['ro', 'rw'], { label: 'Mode', default: 'rw' }),
        expiration_date: datetime({ label: 'Expiration date' }),
        enabled: boolean({ label: 'Enabled' }),
        current_state: choice(['created', 'mounted', 'unmounted', 'skipped', 'delayed', 'waiting'], {
          label: 'Current state',
        }),
      },
      actions: {
        index: index({ description: 'List mounts' }),
        show: show({ description: 'Show mount' }),
      },
    },
  },
};

/** NFS exports. The list is sorted newest first, and `from_id` lists lower ids. */
export const exportResource: ResourceDefinition = {
  description: 'Manage NFS exports',
  table: 'exports',
  isVisible: visibleToOwnerOf('dataset', 'datasets'),
  output: {
    id: integer({ label: 'Export ID' }),
    dataset: association('dataset', 'name'),
    snapshot: association('dataset.snapshot', 'created_at'),
    path: string({ label: 'Path' }),
    rw: boolean({ label: 'Read-write', description: 'Allow the export to be mounted as read-write.' }),
    enabled: boolean({ label: 'Enabled' }),
    expiration_date: datetime({ label: 'Expiration date' }),
    created_at: datetime(),
    updated_at: datetime(),
  },
  actions: {
    index: index({ description: 'List exports', order: byDescendingId, fromIdKeeps: 'below' }),
    show: show({ description: 'Show export' }),
  },
};
