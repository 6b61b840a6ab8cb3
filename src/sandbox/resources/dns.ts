import { index, show } from '../actions.ts';
import type { Caller, Parameters, ResourceDefinition, Row } from '../definition.ts';
import { association, boolean, choice, datetime, integer, string, text } from '../parameters.ts';
import { type Begun, create, filled, lockName, remove, update } from '../writes.ts';

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

/** DNS zones; the list describes `limit` and ignores it. Zones of nobody are everybody's. */
export const dnsZone: ResourceDefinition = {
  description: 'Manage DNS zones',
  table: 'dns_zones',
  sees: seesZone,
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

const inZone = association('dns_zone', 'name', { label: 'DnsZone' });

const settings = {
  name: string({ label: 'Name', description: 'Domain name, @ as alias to origin, * for wildcards' }),
  type: choice(['A', 'AAAA', 'CNAME', 'DS', 'MX', 'NS', 'PTR', 'SRV', 'TXT'], { label: 'Type' }),
  content: string({ label: 'Content' }),
  ttl: integer({
    label: 'TTL',
    description: 'Optional TTL in seconds, defaults to zone TTL',
    nullable: true,
  }),
  priority: integer({
    label: 'Priority',
    description: 'Optional priority, used for MX and SRV records',
    nullable: true,
  }),
  comment: text({
    label: 'Comment',
    description: 'Optional comment',
    validators: { length: { max: 255 } },
  }),
  enabled: boolean({ label: 'Enabled', description: 'Enable or disable this DNS record', default: true }),
  dynamic_update_enabled: boolean({
    label: 'Enable dynamic update',
    description: 'Only for A and AAAA records',
    default: false,
  }),
} satisfies Parameters;

const record: Parameters = {
  id: integer({ label: 'ID' }),
  dns_zone: inZone,
  user: association('user', 'login', { role: 'admin' }),
  ...settings,
  managed: boolean({ label: 'Managed' }),
  dynamic_update_url: string({ label: 'Dynamic update URL' }),
  created_at: datetime(),
  updated_at: datetime(),
};

const unset = { user: null, name: null, ttl: null, priority: null, comment: null, dynamic_update_url: null };

const now = (): string => `${new Date().toISOString().slice(0, 19)}+00:00`;

function onZone(row: Row, label: string): Begun {
  const locks = [lockName('dns_records', row.id), lockName('dns_zones', row['dns_zone'])];
  return { label, total: 2, cancellable: false, locks };
}

/** Records of DNS zones. */
export const dnsRecord: ResourceDefinition = {
  description: 'Manage DNS records',
  table: 'dns_records',
  sees: (caller, row, store) => seesZone(caller, store.row('dns_zones', row['dns_zone'])),
  output: record,
  actions: {
    index: index({
      description: 'List DNS records',
      filters: {
        dns_zone: { parameter: inZone },
        user: { parameter: association('user', 'login', { nullable: true }) },
      },
    }),
    show: show({ description: 'Show DNS record' }),
    create: create({
      description: 'Create DNS record',
      parameters: filled({
        dns_zone: { ...inZone, required: true },
        user: association('user', 'login', { nullable: true, role: 'admin' }),
        ...settings,
        type: { ...settings.type, required: true },
        content: string({ label: 'Content', required: true }),
      }),
      values: (_call, given) => ({
        ...unset,
        ...given,
        managed: false,
        created_at: now(),
        updated_at: now(),
      }),
      work: ({ store }, row) => ({
        ...onZone(row, 'Create DNS record'),
        undo: () => void store.remove('dns_records', ({ id }) => id === row.id),
      }),
    }),
    update: update({
      description: 'Update DNS record',
      parameters: { user: association('user', 'login', { nullable: true, role: 'admin' }), ...settings },
      work: (_call, row) => onZone(row, 'Update DNS record'),
    }),
    delete: remove({
      description: 'Delete DNS record',
      work: (_call, row) => onZone(row, 'Delete DNS record'),
    }),
  },
};

function seesZone(caller: Caller | null, row: Row | undefined): boolean {
  return caller !== null && (caller.admin || row?.['user'] === null || row?.['user'] === caller.id);
}
