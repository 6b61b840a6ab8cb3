// Lists the overrides that apply, where a description shows them to be about its API, unless the operator gives others.
import type { Overrides } from '../schema/model/overrides.ts';
import type { Action, Description } from '../upstream/description/description.ts';
import { allResources } from '../upstream/description/select-actions.ts';

/** A fact about the hosting platform's API that its description does not state. */
interface Fact {
  /** The resource or action that the fact is about: a dotted path or a scope. */
  readonly of: string;
  /** Parameters that it has there. An API whose resource or action of that name lacks one of them is another API. */
  readonly parameters: readonly string[];
  readonly overrides: Overrides;
}

const FACTS: readonly Fact[] = [
  {
    // `dataset.plan` assigns a plan, `dataset_plan` is one; both would be `DatasetPlan`.
    of: 'dataset.plan',
    parameters: ['id', 'environment_dataset_plan'],
    overrides: { names: { DatasetPlanResource: 'DatasetPlanAssignment' } },
  },
  {
    // A filter that its resource has under another name.
    of: 'dataset#index',
    parameters: ['primary_pool', 'to_depth'],
    overrides: { names: { 'Pool.datasetsByPrimaryPool': 'primaryDatasets' } },
  },
  {
    // The list that a VPS may use, beside the resolver that it uses.
    of: 'dns_resolver#index',
    parameters: ['vps', 'ip_addr', 'is_universal'],
    overrides: { names: { 'Vps.dnsResolversByVps': 'availableDnsResolvers' } },
  },
  {
    // Both lists are of assignments, so their names say so twice.
    of: 'ip_address_assignment#index',
    parameters: ['assigned_by_chain', 'unassigned_by_chain'],
    overrides: {
      names: {
        'TransactionChain.assignedIpAddressAssignments': 'startedIpAddressAssignments',
        'TransactionChain.unassignedIpAddressAssignments': 'endedIpAddressAssignments',
      },
    },
  },
  {
    // The order of several lists, named after the first of them.
    of: 'security_advisory#index',
    parameters: ['recent_since', 'order', 'cve'],
    overrides: { names: { ActionStateOrder: 'AgeOrder' } },
  },
  {
    of: 'vps#passwd',
    parameters: ['type', 'password'],
    overrides: { names: { VpsType: 'PasswordStrength', VpsPasswdResult: 'VpsPasswordResult' } },
  },
  {
    of: 'vps#show',
    parameters: ['maintenance_lock', 'maintenance_lock_reason', 'hostname'],
    overrides: {
      names: {
        'MaintenanceLock.NO': 'UNLOCKED',
        'MaintenanceLock.LOCK': 'LOCKED',
        'MaintenanceLock.MASTER_LOCK': 'LOCKED_ABOVE',
      },
    },
  },
  {
    of: 'vps.mount#show',
    parameters: ['mountpoint', 'mode', 'on_start_fail'],
    overrides: { names: { 'VpsMountMode.RO': 'READ_ONLY', 'VpsMountMode.RW': 'READ_WRITE' } },
  },
  {
    of: 'transaction#show',
    parameters: ['done', 'success', 'depends_on'],
    overrides: { names: { TransactionDone: 'TransactionStage' } },
  },
  {
    of: 'oom_report.usage#show',
    parameters: ['memtype', 'failcnt', 'usage'],
    overrides: {
      names: { 'OomReportUsage.memtype': 'memoryType', 'OomReportUsage.failcnt': 'failureCount' },
    },
  },
  {
    of: 'oom_report.task#show',
    parameters: ['swapents', 'pgtables_bytes', 'tgid'],
    overrides: {
      names: {
        'OomReportTask.swapents': 'swapEntries',
        'OomReportTask.pgtablesBytes': 'pageTableBytes',
        'OomReportTask.tgid': 'threadGroupId',
      },
    },
  },
  {
    of: 'webauthn.registration#begin',
    parameters: ['challenge_token', 'options'],
    overrides: { names: { WebauthnBeginResult: 'WebauthnChallenge' } },
  },
  {
    // The path of a maintenance window ends in its day of the week, which the description does not state.
    of: 'vps.maintenance_window',
    parameters: ['weekday', 'is_open', 'opens_at', 'closes_at'],
    overrides: { pathIds: { 'vps.maintenance_window': 'weekday' } },
  },
  {
    // Searching is sent as POST for the sake of its input, and changes nothing.
    of: 'cluster#search',
    parameters: ['value', 'resource', 'id', 'attribute'],
    overrides: { queries: ['cluster#search'] },
  },
  {
    // A chain of transactions is what a blocking action consists of; the state of the action is a view of it.
    of: 'transaction_chain',
    parameters: ['name', 'label', 'state', 'size', 'progress', 'concerns'],
    overrides: { actionStateResources: ['transaction_chain'] },
  },
  {
    // The events have the names of classes.
    of: 'monitored_event',
    parameters: ['monitor', 'object_name', 'object_id', 'saved_until'],
    overrides: { references: { 'MonitoredEvent.objectId': { namedBy: 'object_name' } } },
  },
  {
    // The begin of a range of ids inside a VPS.
    of: 'user_namespace_map.entry',
    parameters: ['kind', 'vps_id', 'ns_id', 'count'],
    overrides: { references: { 'UserNamespaceMapEntry.vpsId': false } },
  },
  {
    // Numbers of IPv6 addresses.
    of: 'ip_address',
    parameters: ['addr', 'prefix', 'size', 'route_via'],
    overrides: { bigInts: ['IpAddress.size', 'Network.size'] },
  },
];

/** The facts that apply unless the operator gives others. Each is about a resource or an action that the description shows. */
export function builtInOverrides(description: Description): Overrides {
  const parameters = new Map<string, Set<string>>();
  for (const { path, actions } of allResources(description.resources)) {
    parameters.set(path.join('.'), new Set(actions.flatMap(namesOf)));
    for (const action of actions) parameters.set(action.scope, new Set(namesOf(action)));
  }
  const shown = FACTS.filter((fact) => fact.parameters.every((name) => parameters.get(fact.of)?.has(name)));
  const all: Record<string, object> = {};
  // No two facts share a list.
  for (const [key, value] of shown.flatMap(
    ({ overrides }) => Object.entries(overrides) as [string, object][],
  ))
    all[key] = Array.isArray(value) ? value : { ...all[key], ...value };
  return all;
}

const namesOf = ({ input, output }: Action): readonly string[] =>
  [...input.parameters, ...output.parameters].map(({ name }) => name);
