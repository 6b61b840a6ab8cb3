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
    // A transaction that was not begun has `success` 0 as well.
    of: 'transaction#index',
    parameters: ['transaction_chain', 'done', 'success', 'label'],
    overrides: {
      failedSteps: { 'transaction#index': { where: { done: 'done', success: 0 }, message: 'label' } },
    },
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
