// Reads the directive of live queries.
import {
  type GraphQLSchema,
  getDirectiveValues,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import { InvalidInputError } from '../../loaders/errors.ts';
import { LIVE } from '../../schema/directives.ts';
import type { Limits } from '../../server/limits.ts';

/**
 * Reads the milliseconds from the end of one execution of a live query to the next; null for an operation that is not live.
 * @throws GraphQLError when an argument is null that must not be, InvalidInputError when the interval is not positive.
 */
export function readLive(
  schema: GraphQLSchema,
  definition: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  limits: Limits,
): number | null {
  if (!definition.directives?.some(({ name }) => name.value === LIVE.name)) return null;
  const { coerced } = getVariableValues(schema, definition.variableDefinitions ?? [], variables);
  // The execution reports the errors of variables.
  if (coerced === undefined) return null;
  const values = getDirectiveValues(LIVE, definition, coerced);
  if (values?.['if'] !== true) return null;
  const { interval = null } = values as { interval?: number | null };
  if (interval !== null && !(interval > 0))
    throw new InvalidInputError('The "interval" of @live must be a positive number of seconds.');
  const { liveInterval, shortestLiveInterval, longestLiveInterval } = limits;
  const wanted = interval === null ? liveInterval : interval * 1_000;
  return Math.max(shortestLiveInterval, Math.min(longestLiveInterval, wanted));
}
