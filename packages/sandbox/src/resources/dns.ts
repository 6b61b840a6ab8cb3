// Defines the resources of DNS zones and records.
import { index, show } from '../actions/actions.ts';
import { dynamicUpdateUrl } from '../domain/dynamic-update.ts';
import type { Caller, Parameters, ResourceDefinition, Row } from '../engine/definition.ts';
import { association, boolean, choice, datetime, integer, string } from '../engine/parameters.ts';
import { recordContent, recordName, recordSettings, recordType, recordWrites } from './dns-writes.ts';

const role = choice(['forward_role', 'reverse_role'], { label: 'Role' });
const source = choice(['internal_source', 'external_source'], { label: 'Source' });
const zoneEnabled = boolean({ label: 'Enabled', description: 'Enable or disable this DNS zone' });

const zone: Parameters = {
  id: integer({ label: 'ID' }),
  name: string({ label: 'Name', description: 'Fully qualified domain name' }),
  user: association('user', 'login', { nullable: true }),
  label: string({ label: 'Label' }),
  role,
  source,
  default_ttl: integer({ label: 'Default TTL', description: 'Default TTL for records, in seconds' }),
  email: string({ label: 'E-mail', description: 'Administrator of this zone' }),
  enabled: zoneEnabled,
  serial: integer(),
  created_at: datetime(),
  updated_at: datetime(),
};

/** DNS zones. The list describes `limit` but ignores it. Every user sees the zones without an owner. */
export const dnsZone: ResourceDefinition = {
  description: 'Manage DNS zones',
  table: 'dns_zones',
  isVisible: seesZone,
  output: zone,
  actions: {
    index: index({
      description: 'List DNS zones',
      ignoresLimit: true,
      filters: {
        role: { parameter: role },
        source: { parameter: source },
        enabled: { parameter: zoneEnabled },
      },
    }),
    show: show({ description: 'Show DNS zone' }),
  },
};

const zoneReference = association('dns_zone', 'name', { label: 'DnsZone' });

const record: Parameters = {
  id: integer({ label: 'ID' }),
  dns_zone: zoneReference,
  user: association('user', 'login', { role: 'admin' }),
  name: recordName,
  type: recordType,
  content: recordContent,
  ...recordSettings,
  managed: boolean({ label: 'Managed' }),
  dynamic_update_url: string({ label: 'Dynamic update URL', compute: dynamicUpdateUrl }),
  created_at: datetime(),
  updated_at: datetime(),
};

/** Records of DNS zones. */
export const dnsRecord: ResourceDefinition = {
  description: 'Manage DNS records',
  table: 'dns_records',
  isVisible: (caller, row, store) => seesZone(caller, store.row('dns_zones', row['dns_zone'])),
  output: record,
  actions: {
    index: index({
      description: 'List DNS records',
      filters: {
        dns_zone: { parameter: zoneReference },
        user: { parameter: association('user', 'login', { nullable: true }) },
      },
    }),
    show: show({ description: 'Show DNS record' }),
    ...recordWrites,
  },
};

function seesZone(caller: Caller | null, row: Row | undefined): boolean {
  return caller !== null && (caller.admin || row?.['user'] === null || row?.['user'] === caller.id);
}
