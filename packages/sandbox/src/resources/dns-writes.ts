// Defines the write actions of DNS records, including dynamic updates.
import { isIPv4, isIPv6 } from 'node:net';
import { notFound } from '../actions/actions.ts';
import { timestamp } from '../actions/running-actions.ts';
import { createAccessToken } from '../domain/dynamic-update.ts';
import {
  conflict,
  create,
  inputFields,
  invalidInput,
  isTaken,
  remove,
  removeRow,
  update,
  write,
} from '../domain/write-actions.ts';
import type {
  ActionDefinition,
  Call,
  Caller,
  Failure,
  Fields,
  Parameters,
  Row,
} from '../engine/definition.ts';
import {
  association,
  boolean,
  choice,
  integer,
  string,
  text,
  withFilledDefaults,
} from '../engine/parameters.ts';

/** The types of DNS records. */
export const recordType = choice(['A', 'AAAA', 'CNAME', 'DS', 'MX', 'NS', 'PTR', 'SRV', 'TXT'], {
  label: 'Type',
});

/** The name of a record. */
export const recordName = string({
  label: 'Name',
  description: 'Domain name, @ as alias to origin, * for wildcards',
});

/** The content of a record. */
export const recordContent = string({ label: 'Content' });
const comment = text({ label: 'Comment', description: 'Optional comment' });
const ownerInput = association('user', 'login', { role: 'admin', nullable: true });

/** The settings of a record that clients can read and set. */
export const recordSettings: Parameters = {
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
  comment,
  enabled: boolean({ label: 'Enabled', description: 'Enable or disable this DNS record', default: true }),
  dynamic_update_enabled: boolean({
    label: 'Enable dynamic update',
    description: 'Only for A and AAAA records',
    default: false,
  }),
};

const settingsInput: Parameters = {
  ...recordSettings,
  comment: { ...comment, validators: { length: { max: 255 } } },
};

const UPDATABLE_COLUMNS = ['user', 'content', ...Object.keys(settingsInput)];

/** Writes of DNS records. New content applies at once and is undone on failure. A deletion applies when the action succeeds. */
export const recordWrites: Readonly<Record<string, ActionDefinition>> = {
  create: create({
    description: 'Create a DNS record',
    work: { label: 'Create DNS record', total: 3, canCancel: true },
    input: withFilledDefaults({
      dns_zone: association('dns_zone', 'name', { label: 'DnsZone', required: true }),
      user: ownerInput,
      name: recordName,
      type: { ...recordType, required: true },
      content: { ...recordContent, required: true },
      ...settingsInput,
    }),
    change: createRecord,
  }),
  update: update({
    description: 'Update DNS record',
    work: { label: 'Update DNS record', total: 3 },
    input: { user: ownerInput, content: recordContent, ...settingsInput },
    change(call, row) {
      const changes = inputFields(call, UPDATABLE_COLUMNS);
      const failure = checkAccess(call, row) ?? checkRecord({ ...row, ...changes });
      const isUnchanged = Object.entries(changes).every(([column, value]) => row[column] === value);
      return failure ?? { isUnchanged, start: () => (isUnchanged ? row : updateRecord(call, row, changes)) };
    },
  }),
  delete: remove({
    description: 'Delete DNS record',
    work: { label: 'Delete DNS record', total: 3 },
    change: (call, row) => checkAccess(call, row) ?? removeRow(call, row),
  }),
  dynamic_update: write({
    description: "Update DNS record with the client's address",
    method: 'GET',
    route: '/dynamic_update/{access_token}',
    auth: false,
    work: { label: 'Update DNS record', total: 1 },
    output: { content: recordContent },
    change(call) {
      const { store, pathParams, request } = call;
      const row = store
        .rows('dns_records')
        .find(
          ({ access_token, dynamic_update_enabled }) =>
            dynamic_update_enabled && access_token === pathParams[0],
        );
      if (!row) return notFound.status;
      const changes = { content: request.address };
      const isUnchanged = row['content'] === request.address;
      const failure = checkRecord({ ...row, ...changes });
      const start = () => (isUnchanged ? row : updateRecord(call, row, changes));
      return failure ?? { lockTargets: [['dns_record', row.id]], isUnchanged, start };
    },
  }),
};

function createRecord(call: Call) {
  const { store, caller, input } = call;
  const zone = store.row('dns_zones', input.get('dns_zone'));
  if (!ownsZone(caller, zone)) return denied;
  const fields: Fields = {
    dns_zone: zone?.id ?? null,
    user: zone?.['user'] ?? null,
    name: '@',
    ttl: null,
    priority: null,
    comment: null,
    ...inputFields(call, ['name', 'type', ...UPDATABLE_COLUMNS]),
    managed: false,
    created_at: timestamp(),
    updated_at: null,
  };
  const { dns_zone, name, type, content } = fields;
  if (isTaken(call, { dns_zone, name, type, content }))
    return conflict(`record ${name} ${type} ${content} already exists`);
  const access_token = fields['dynamic_update_enabled'] ? createAccessToken() : null;
  return checkRecord(fields) ?? { start: () => store.insert('dns_records', { ...fields, access_token }) };
}

/**
 * Updates a record and returns it. The secret stays while dynamic updates are enabled. Disabling them deletes the secret, and
 * enabling them again creates a new one.
 */
function updateRecord({ store }: Call, row: Row, changes: Fields): Row | undefined {
  const { dynamic_update_enabled: isEnabled = row['dynamic_update_enabled'] } = changes;
  const access_token = isEnabled ? (row['access_token'] ?? createAccessToken()) : null;
  store.update('dns_records', row.id, { ...changes, access_token, updated_at: timestamp() });
  return store.row('dns_records', row.id);
}

const denied: Failure = { ok: false, message: 'Access denied: the zone is not yours', httpStatus: 403 };

/** Every user can read zones without an owner, but only administrators can change them. */
function ownsZone(caller: Caller | null, zone: Row | undefined): boolean {
  return caller?.admin === true || (caller !== null && zone?.['user'] === caller.id);
}

function checkAccess({ store, caller }: Call, row: Row): Failure | undefined {
  if (!ownsZone(caller, store.row('dns_zones', row['dns_zone']))) return denied;
  return row['managed'] ? { ok: false, message: 'managed records cannot be changed' } : undefined;
}

/** Checks the rules of the record's type. */
function checkRecord({ type, content: value, dynamic_update_enabled }: Fields): Failure | undefined {
  const errors: Record<string, string> = {};
  if (type === 'A' && !isIPv4(String(value))) errors['content'] = 'is not an IPv4 address';
  if (type === 'AAAA' && !isIPv6(String(value))) errors['content'] = 'is not an IPv6 address';
  if (dynamic_update_enabled && type !== 'A' && type !== 'AAAA') {
    errors['dynamic_update_enabled'] = 'is only for A and AAAA records';
  }
  return Object.keys(errors).length > 0 ? invalidInput('the record is not valid', errors) : undefined;
}
