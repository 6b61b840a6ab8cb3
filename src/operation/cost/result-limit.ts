// Refuses results that are too large to send.
import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import type { OperationContext } from '../context.ts';
import { ResultSizeError } from '../errors.ts';
import type { IncrementalResult } from '../incremental/incremental-result.ts';
import { type ExecutionStep, mapResults } from '../steps/execution-step.ts';
import { exceedsSize } from './result-size.ts';

/**
 * Replaces a result, or one of its parts, whose JSON would exceed the limit by an error. The cost of an operation bounds its fields and
 * its answers, but aliases, and edges to the same object, repeat one long text in many fields.
 * @param limit Characters of JSON.
 */
export const withResultLimit =
  (limit: number): ExecutionStep =>
  (execute) =>
  (args) =>
    mapResults(execute(args), (result) => limitSize(result, args, limit));

/** Replaces a result whose JSON would exceed the limit by an error. @param limit Characters of JSON. */
export function limitSize(
  result: ExecutionResult,
  { contextValue }: Pick<ExecutionArgs, 'contextValue'>,
  limit: number,
): IncrementalResult {
  const { data, incremental, hasNext } = result as IncrementalResult;
  if (!exceedsSize(data ?? incremental, limit)) return result;
  const { operation } = contextValue as OperationContext;
  const originalError = new ResultSizeError(limit, operation.hasWritten);
  const errors = [new GraphQLError(originalError.message, { originalError })];
  return { errors, ...(hasNext !== undefined && { hasNext }) };
}
