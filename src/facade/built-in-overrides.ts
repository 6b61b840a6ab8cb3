// Lists the overrides that apply, where a description shows them to be about its API, unless the operator gives others.
import type { Overrides } from '../schema/model/overrides.ts';
import type { Action, Description } from '../upstream/description/description.ts';
import { allResources } from '../upstream/description/select-actions.ts';

/**
 * A fact about the hosting platform's API that its description does not state: the resource or action that it is about (a dotted path or a
 * scope), and parameters that it has there. An API whose resource or action of that name lacks one of them is another API.
 */
type Fact = readonly [of: string, parameters: readonly string[], overrides: Overrides];

const FACTS: readonly Fact[] = [
  // `dataset.plan` assigns a plan, `dataset_plan` is one; both would be `DatasetPlan`.
  [
    'dataset.plan',
    ['id', 'environment_dataset_plan'],
    { names: { DatasetPlanResource: 'DatasetPlanAssignment' } },
  ],
  // A filter that its resource has under another name.
  [
    'dataset#index',
    ['primary_pool', 'to_depth'],
    { names: { 'Pool.datasetsByPrimaryPool': 'primaryDatasets' } },
  ],
  // The list that a VPS may use, beside the resolver that it uses.
  [
    'dns_resolver#index',
    ['vps', 'ip_addr', 'is_universal'],
    { names: { 'Vps.dnsResolversByVps': 'availableDnsResolvers' } },
  ],
  // Both lists are of assignments, so their names say so twice.
  [
    'ip_address_assignment#index',
    ['assigned_by_chain', 'unassigned_by_chain'],
    {
      names: {
        'TransactionChain.assignedIpAddressAssignments': 'startedIpAddressAssignments',
        'TransactionChain.unassignedIpAddressAssignments': 'endedIpAddressAssignments',
      },
    },
  ],
  // The order of several lists, named after the first of them.
  ['security_advisory#index', ['recent_since', 'order', 'cve'], { names: { ActionStateOrder: 'AgeOrder' } }],
  [
    'vps#passwd',
    ['type', 'password'],
    { names: { VpsType: 'PasswordStrength', VpsPasswdResult: 'VpsPasswordResult' } },
  ],
  [
    'vps#show',
    ['maintenance_lock', 'maintenance_lock_reason', 'hostname'],
    {
      names: {
        'MaintenanceLock.NO': 'UNLOCKED',
        'MaintenanceLock.LOCK': 'LOCKED',
        'MaintenanceLock.MASTER_LOCK': 'LOCKED_ABOVE',
      },
    },
  ],
  [
    'vps.mount#show',
    ['mountpoint', 'mode', 'on_start_fail'],
    { names: { 'VpsMountMode.RO': 'READ_ONLY', 'VpsMountMode.RW': 'READ_WRITE' } },
  ],
  ['transaction#show', ['done', 'success', 'depends_on'], { names: { TransactionDone: 'TransactionStage' } }],
  [
    'oom_report.usage#show',
    ['memtype', 'failcnt', 'usage'],
    {
      names: { 'OomReportUsage.memtype': 'memoryType', 'OomReportUsage.failcnt': 'failureCount' },
    },
  ],
  [
    'oom_report.task#show',
    ['swapents', 'pgtables_bytes', 'tgid'],
    {
      names: {
        'OomReportTask.swapents': 'swapEntries',
        'OomReportTask.pgtablesBytes': 'pageTableBytes',
        'OomReportTask.tgid': 'threadGroupId',
      },
    },
  ],
  [
    'webauthn.registration#begin',
    ['challenge_token', 'options'],
    { names: { WebauthnBeginResult: 'WebauthnChallenge' } },
  ],
  // The path of a maintenance window ends in its day of the week, which the description does not state.
  [
    'vps.maintenance_window',
    ['weekday', 'is_open', 'opens_at', 'closes_at'],
    { pathIds: { 'vps.maintenance_window': 'weekday' } },
  ],
  // Searching is sent as POST for the sake of its input, and changes nothing.
  ['cluster#search', ['value', 'resource', 'id', 'attribute'], { queries: ['cluster#search'] }],
  // A chain of transactions is what a blocking action consists of; the state of the action is a view of it.
  [
    'transaction_chain',
    ['name', 'label', 'state', 'size', 'progress', 'concerns'],
    { actionStateResources: ['transaction_chain'] },
  ],
  // The events have the names of classes.
  [
    'monitored_event',
    ['monitor', 'object_name', 'object_id', 'saved_until'],
    { references: { 'MonitoredEvent.objectId': { namedBy: 'object_name' } } },
  ],
  // The begin of a range of ids inside a VPS.
  [
    'user_namespace_map.entry',
    ['kind', 'vps_id', 'ns_id', 'count'],
    { references: { 'UserNamespaceMapEntry.vpsId': false } },
  ],
  // Numbers of IPv6 addresses.
  ['ip_address', ['addr', 'prefix', 'size', 'route_via'], { bigInts: ['IpAddress.size', 'Network.size'] }],
];

/** The facts that apply unless the operator gives others. Each is about a resource or an action that the description shows. */
export function builtInOverrides(description: Description): Overrides {
  const parameters = new Map<string, Set<string>>();
  for (const { path, actions } of allResources(description.resources)) {
    parameters.set(path.join('.'), new Set(actions.flatMap(namesOf)));
    for (const action of actions) parameters.set(action.scope, new Set(namesOf(action)));
  }
  const shown = FACTS.filter(([of, names]) => names.every((name) => parameters.get(of)?.has(name)));
  const all: Record<string, object> = {};
  // No two facts share a list.
  for (const [key, value] of shown.flatMap(
    ([, , overrides]) => Object.entries(overrides) as [string, object][],
  ))
    all[key] = Array.isArray(value) ? value : { ...all[key], ...value };
  return all;
}

const namesOf = ({ input, output }: Action): readonly string[] =>
  [...input.parameters, ...output.parameters].map(({ name }) => name);
