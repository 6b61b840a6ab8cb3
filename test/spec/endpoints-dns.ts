// Lists the endpoints of DNS records and of action states.
import type { Endpoint } from './endpoint.ts';

const ERRORS = 'userErrors { message }';
const RECORD = {
  name: 'spec',
  type: 'MX',
  content: 'mail',
  ttl: 60,
  priority: 5,
  comment: 'c',
  enabled: false,
  dynamic_update_enabled: false,
};
const CHANGES = { content: 'other', ttl: 120, priority: 3, comment: 'c', enabled: false };

export const dnsEndpoints: readonly Endpoint[] = [
  {
    action: 'dns_record#create',
    path: 'POST /v7.0/dns_records',
    blocking: true,
    operation: `mutation { it: dnsRecordCreate(input: { dnsZone: 1, user: 8, name: "spec", type: MX, content: "mail", ttl: 60, priority: 5, comment: "c", enabled: false, dynamicUpdateEnabled: false }) { actionState { databaseId } made: dnsRecord { databaseId } ${ERRORS} } }`,
    body: { dns_record: { ...RECORD, dns_zone: 1, user: 8 } },
    answer: { userErrors: [] },
    holds: [
      '/v7.0/dns_records/{made}',
      { ...RECORD, dns_zone: { id: 1 }, user: { id: 8 }, managed: false, dynamic_update_url: null },
    ],
  },
  {
    action: 'dns_record#index',
    path: 'GET /v7.0/dns_records',
    operation: '{ it: dnsRecords(first: 1) { nodes { databaseId } } }',
    query: 'dns_record[limit]=2',
    answer: { nodes: [{ databaseId: 1 }] },
  },
  {
    action: 'dns_record#show',
    path: 'GET /v7.0/dns_records/{dns_record_id}',
    at: [2],
    operation: '{ it: dnsRecord(id: 2) { type } }',
    answer: { type: 'MX' },
  },
  {
    action: 'dns_record#update',
    path: 'PUT /v7.0/dns_records/{dns_record_id}',
    at: [2],
    blocking: true,
    operation: `mutation { it: dnsRecordUpdate(id: 2, input: { user: 8, content: "other", ttl: 120, priority: 3, comment: "c", enabled: false }) { actionState { databaseId } dnsRecord { ttl enabled } ${ERRORS} } }`,
    body: { dns_record: { ...CHANGES, user: 8 } },
    answer: { dnsRecord: { ttl: 120, enabled: false } },
    holds: ['/v7.0/dns_records/2', { ...CHANGES, user: { id: 8 } }],
  },
  {
    action: 'dns_record#delete',
    path: 'DELETE /v7.0/dns_records/{dns_record_id}',
    at: [2],
    blocking: true,
    operation: `mutation { it: dnsRecordDelete(id: 2) { actionState { databaseId } deletedId ${ERRORS} } }`,
    answer: { deletedId: 'dns_record/2' },
    holds: ['/v7.0/dns_records/2', null],
  },
  {
    action: 'action_state#index',
    path: 'GET /v7.0/action_states',
    open: true,
    operation: '{ it: actionStates(first: 1, filter: { order: OLDEST }) { nodes { databaseId } } }',
    query: 'action_state[limit]=2&action_state[order]=oldest',
    answer: { nodes: [{ databaseId: 103 }] },
  },
  {
    action: 'action_state#show',
    path: 'GET /v7.0/action_states/{action_state_id}',
    at: [103],
    open: true,
    operation: '{ it: actionState(id: 103) { databaseId current total canCancel } }',
    answer: { databaseId: 103, current: 3, total: 12, canCancel: true },
  },
];
