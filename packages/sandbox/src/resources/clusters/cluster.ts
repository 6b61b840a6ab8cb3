// Defines the singleton resource of the cluster: statistics, search and maintenance.
import { publicStatistics, statistics } from '../../domain/statistics.ts';
import { write } from '../../domain/write-actions.ts';
import type { Fields, Parameters, ResourceDefinition, Row } from '../../engine/definition.ts';
import { boolean, integer, string } from '../../engine/parameters.ts';
import type { Store } from '../../engine/store.ts';

const status: Parameters = { maintenance_lock: boolean(), maintenance_lock_reason: string() };

const publicStats: Parameters = {
  user_count: integer({ label: 'Number of users' }),
  vps_count: integer({ label: 'Number of VPSes' }),
  ipv4_left: integer({ label: 'Number of free public IPv4 addresses' }),
};

const fullStats: Parameters = {
  nodes_online: integer({ label: 'Nodes online' }),
  node_count: integer({ label: 'Number of nodes' }),
  vps_running: integer({ label: 'Running VPSes' }),
  vps_stopped: integer({ label: 'Stopped VPSes' }),
  vps_suspended: integer({ label: 'Suspended VPSes' }),
  vps_deleted: integer({ label: 'Deleted VPSes' }),
  vps_count: integer({ label: 'Number of VPSes' }),
  user_active: integer({ label: 'Active users' }),
  user_suspended: integer({ label: 'Suspended users' }),
  user_deleted: integer({ label: 'Deleted users' }),
  user_count: integer({ label: 'Number of users' }),
  ipv4_used: integer({ label: 'Used IPv4 addresses' }),
  ipv4_count: integer({ label: 'Number of IPv4 addresses' }),
};

const found: Parameters = {
  resource: string({ label: 'Resource', description: 'Name of the located resource' }),
  id: integer({ label: 'ID', description: 'Identifier of the located resource' }),
  attribute: string({ label: 'Attribute', description: 'Attribute containing the searched value' }),
  value: string({ label: 'Value', description: 'Located value' }),
};

/** The tables and columns that a search looks through. With `byId`, a search also finds the row with the searched id. */
const SEARCHED_TABLES = [
  { resource: 'user', table: 'users', columns: ['login', 'full_name', 'email'], byId: true },
  { resource: 'vps', table: 'vpses', columns: ['hostname'], byId: true },
  { resource: 'export', table: 'exports', columns: ['path'], byId: false },
  { resource: 'dns_zone', table: 'dns_zones', columns: ['name'], byId: false },
] as const;

/** The cluster. There is only one, so its paths have no placeholder. */
export const cluster: ResourceDefinition = {
  description: 'Manage cluster',
  route: 'cluster',
  output: status,
  actions: {
    show: {
      description: 'Cluster information',
      aliases: ['find'],
      execute: ({ store }) => ({ ok: true, items: store.rows('clusters').map(withoutId) }),
    },
    full_stats: {
      description: 'Full statistics information',
      route: '/full_stats',
      role: 'admin',
      output: { layout: 'hash', parameters: fullStats },
      execute: ({ store }) => ({ ok: true, items: [statistics(store)] }),
    },
    public_stats: {
      description: 'Public statistics information',
      route: '/public_stats',
      auth: false,
      output: { layout: 'object', parameters: publicStats },
      examples: [
        { title: 'Read without credentials', response: { user_count: 20, vps_count: 27, ipv4_left: 325 } },
      ],
      execute: ({ store }) => ({ ok: true, items: [publicStatistics(store)] }),
    },
    search: {
      description: 'Search users and VPSes by IDs, names and owned objects',
      method: 'POST',
      route: '/search',
      role: 'admin',
      input: {
        layout: 'hash',
        parameters: {
          value: string({ label: 'Value', description: 'Value to be searched for', required: true }),
        },
      },
      output: { layout: 'hash_list', parameters: found },
      execute: ({ store, input }) => ({ ok: true, items: search(store, String(input.get('value'))) }),
    },
    set_maintenance: write({
      description: 'Set maintenance lock',
      route: '/set_maintenance',
      role: 'admin',
      output: {},
      input: {
        lock: boolean({ label: 'Lock', required: true }),
        reason: string({ label: 'Reason' }),
      },
      change: ({ store, input }) => ({
        onSuccess() {
          const lock = input.get('lock') === true;
          const reason = lock && input.has('reason') ? String(input.get('reason')) : null;
          store.update('clusters', 1, { maintenance_lock: lock, maintenance_lock_reason: reason });
        },
      }),
    }),
    generate_migration_keys: write({
      description: 'Generate SSH keys for VPS migrations, where applicable',
      route: '/generate_migration_keys',
      role: 'admin',
      output: {},
      work: { label: 'Generate migration keys', total: 8, unit: 'nodes', canCancel: true },
      change: () => ({}),
    }),
  },
};

/** Removes the id, which the API does not show for a singleton. */
function withoutId({ id: _, ...fields }: Row): Fields {
  return fields;
}

function search(store: Store, value: string): readonly Fields[] {
  const wanted = value.trim().toLowerCase();
  return SEARCHED_TABLES.flatMap(({ resource, table, columns, byId }) =>
    store.rows(table).flatMap((row) => [
      ...(byId && String(row.id) === wanted
        ? [{ resource, id: row.id, attribute: 'id', value: wanted }]
        : []),
      ...columns
        .filter((column) =>
          String(row[column] ?? '')
            .toLowerCase()
            .includes(wanted),
        )
        .map((attribute) => ({ resource, id: row.id, attribute, value: row[attribute] })),
    ]),
  );
}
