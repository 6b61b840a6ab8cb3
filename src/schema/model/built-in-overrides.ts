// Lists the overrides that apply unless the operator gives others.
import type { Overrides } from './overrides.ts';

/** Facts about the hosting platform's API that its description does not tell; used unless the operator gives others. */
export const defaultOverrides: Overrides = {
  // `dataset.plan` assigns a plan, `dataset_plan` is one; both would be `DatasetPlan`.
  typeNames: { 'dataset.plan': 'DatasetPlanAssignment' },
  // The path of a maintenance window ends in its day of the week, which the description does not tell.
  pathIds: { 'vps.maintenance_window': 'weekday' },
  // Searching is sent as POST for the sake of its input, and changes nothing.
  queries: ['cluster#search'],
  // A chain of transactions is what a blocking action consists of; the state of the action is a view of it.
  actionStateResources: ['transaction_chain'],
  // Numbers of IPv6 addresses.
  bigInts: ['IpAddress.size', 'Network.size'],
  // A transaction that was not begun has `success` 0 as well.
  failedSteps: { 'transaction#index': { where: { done: 'done', success: 0 }, message: 'label' } },
};
