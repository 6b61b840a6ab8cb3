import type { Overrides } from '../schema/overrides.ts';

/** Facts about the hosting platform's API that its description does not tell; used unless the operator gives others. */
export const defaultOverrides: Overrides = {
  // `dataset.plan` assigns a plan, `dataset_plan` is one; both would be `DatasetPlan`.
  typeNames: { 'dataset.plan': 'DatasetPlanAssignment' },
  // Searching is sent as POST for the sake of its input, and changes nothing.
  queries: ['cluster#search'],
};
