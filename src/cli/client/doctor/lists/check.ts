// Defines the checks of one list.
import type { GraphQLSchema } from 'graphql';
import type { Overrides } from '../../../../schema/model/overrides.ts';
import type { Observation } from '../check-result.ts';
import type { ProbedList } from './probed-list.ts';
import type { Sample } from './sample.ts';

/** A list, its rows, and the schema in which it is served. */
export interface CheckInput {
  readonly list: ProbedList;
  readonly sample: Sample;
  readonly schema: GraphQLSchema;
  /** The overrides in use. What they settle is not found again. */
  readonly overrides: Overrides;
}

/** Finds what is wrong with a list. Rejects with OverBudgetError or UpstreamError when it cannot be made. */
export type Check = (input: CheckInput) => readonly Observation[] | Promise<readonly Observation[]>;
