// Executes operations whose deferred fragments and streamed lists are delivered after the rest of the result.
import {
  execute as executeInParts,
  flattenIncrementalResults,
  isIncrementalResults,
} from '@graphql-tools/executor';
import { type ExecutionArgs, type ExecutionResult, getOperationAST, getVariableValues } from 'graphql';
import { InvalidInputError } from '../../loaders/errors.ts';
import { findIncrementalDirectives } from './incremental-directives.ts';
import type { IncrementalResult } from './incremental-result.ts';

/**
 * Executes an operation by the executor of graphql-tools, which delivers in parts.
 * @throws InvalidInputError when the value of a variable is no number of first items.
 */
export async function executeIncrementally(
  args: ExecutionArgs,
): Promise<ExecutionResult | AsyncIterable<IncrementalResult>> {
  const { schema, document, operationName, variableValues } = args;
  const { variableDefinitions = [] } = getOperationAST(document, operationName) ?? {};
  const { coerced } = getVariableValues(schema, variableDefinitions, variableValues ?? {});
  const isNegative = ({ countVariable }: { readonly countVariable: string | null }): boolean =>
    Number(coerced?.[countVariable ?? '']) < 0;
  if (findIncrementalDirectives(document).some(isNegative))
    throw new InvalidInputError('"@stream" needs an initialCount of 0 or more.');
  const results = await executeInParts(args);
  return isIncrementalResults(results)
    ? (flattenIncrementalResults(results) as AsyncIterable<IncrementalResult>)
    : (results as ExecutionResult);
}
