// Lists the overrides that apply, where a description shows them to be about its API, unless the operator gives others.
import type { Overrides } from '../schema/model/overrides.ts';
import type { Description } from '../upstream/description/description.ts';
import { allResources } from '../upstream/description/select-actions.ts';

/**
 * Names in the hosting platform's API, by a resource or action (a dotted path or a scope) and parameters that it has there. An API whose
 * resource or action of that name lacks one of them is another API.
 */
const NAMES: Readonly<Record<string, NonNullable<Overrides['names']>>> = {
  // `dataset.plan` assigns a plan, `dataset_plan` is one; both would be `DatasetPlan`.
  'dataset.plan: id environment_dataset_plan': { DatasetPlanResource: 'DatasetPlanAssignment' },
  // A filter that its resource has under another name.
  'dataset#index: primary_pool to_depth': { 'Pool.datasetsByPrimaryPool': 'primaryDatasets' },
  // The list that a VPS may use, beside the resolver that it uses.
  'dns_resolver#index: vps ip_addr is_universal': { 'Vps.dnsResolversByVps': 'availableDnsResolvers' },
  // Both lists are of assignments, so their names say so twice.
  'ip_address_assignment#index: assigned_by_chain unassigned_by_chain': {
    'TransactionChain.assignedIpAddressAssignments': 'startedIpAddressAssignments',
    'TransactionChain.unassignedIpAddressAssignments': 'endedIpAddressAssignments',
  },
  // The order of several lists, named after the first of them.
  'security_advisory#index: recent_since order cve': { ActionStateOrder: 'AgeOrder' },
  'vps#passwd: type password': { VpsType: 'PasswordStrength', VpsPasswdResult: 'VpsPasswordResult' },
  'vps#show: maintenance_lock maintenance_lock_reason hostname': {
    'MaintenanceLock.NO': 'UNLOCKED',
    'MaintenanceLock.LOCK': 'LOCKED',
    'MaintenanceLock.MASTER_LOCK': 'LOCKED_ABOVE',
  },
  'vps.mount#show: mountpoint mode on_start_fail': {
    'VpsMountMode.RO': 'READ_ONLY',
    'VpsMountMode.RW': 'READ_WRITE',
  },
  'transaction#show: done success depends_on': { TransactionDone: 'TransactionStage' },
  'oom_report.usage#show: memtype failcnt usage': {
    'OomReportUsage.memtype': 'memoryType',
    'OomReportUsage.failcnt': 'failureCount',
  },
  'oom_report.task#show: swapents pgtables_bytes tgid': {
    'OomReportTask.swapents': 'swapEntries',
    'OomReportTask.pgtablesBytes': 'pageTableBytes',
    'OomReportTask.tgid': 'threadGroupId',
  },
  'webauthn.registration#begin: challenge_token options': { WebauthnBeginResult: 'WebauthnChallenge' },
};

/** Other facts about the same API, by the same. No two of them share a list. */
const FACTS: Readonly<Record<string, Overrides>> = {
  // The path of a maintenance window ends in its day of the week, which the description does not state.
  'vps.maintenance_window: weekday is_open opens_at closes_at': {
    pathIds: { 'vps.maintenance_window': 'weekday' },
  },
  // Searching is sent as POST for the sake of its input, and changes nothing.
  'cluster#search: value resource id attribute': { queries: ['cluster#search'] },
  // A chain of transactions is what a blocking action consists of; the state of the action is a view of it.
  'transaction_chain: name label state size progress concerns': {
    actionStateResources: ['transaction_chain'],
  },
  // The events have the names of classes.
  'monitored_event: monitor object_name object_id saved_until': {
    references: { 'MonitoredEvent.objectId': { namedBy: 'object_name' } },
  },
  // The begin of a range of ids inside a VPS.
  'user_namespace_map.entry: kind vps_id ns_id count': {
    references: { 'UserNamespaceMapEntry.vpsId': false },
  },
  // Numbers of IPv6 addresses.
  'ip_address: addr prefix size route_via': { bigInts: ['IpAddress.size', 'Network.size'] },
};

/** The facts that apply unless the operator gives others. Each is about a resource or an action that the description shows. */
export function builtInOverrides({ resources }: Description): Overrides {
  const parameters = new Map<string, readonly string[]>();
  for (const { path, actions } of allResources(resources)) {
    const lists = actions.map(({ input, output }) =>
      [...input.parameters, ...output.parameters].map(({ name }) => name),
    );
    parameters.set(path.join('.'), lists.flat());
    for (const [index, { scope }] of actions.entries()) parameters.set(scope, lists[index] ?? []);
  }
  const all: Record<string, object> = {};
  const names = Object.entries(NAMES).map(([shown, one]) => [shown, { names: one }] as const);
  for (const [shown, facts] of [...names, ...Object.entries(FACTS)]) {
    const [of = '', expected = ''] = shown.split(': ');
    if (!expected.split(' ').every((name) => parameters.get(of)?.includes(name))) continue;
    for (const [key, value] of Object.entries(facts) as [string, object][])
      all[key] = Array.isArray(value) ? value : { ...all[key], ...value };
  }
  return all;
}
