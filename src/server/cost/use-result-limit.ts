// Refuses results that are too large to send.
import { type ExecutionResult, GraphQLError } from 'graphql';
import { handleStreamOrSingleExecutionResult, type Plugin } from 'graphql-yoga';
import { ResultSizeError } from '../../upstream/errors/request-errors.ts';
import type { OperationContext } from '../context.ts';
import type { IncrementalResult } from '../incremental/incremental-result.ts';
import { exceedsSize } from './result-size.ts';

/** What envelop passes on for a result, a part or an event. */
interface ResultPayload {
  readonly args: { readonly contextValue?: unknown };
  readonly result: ExecutionResult;
  readonly setResult: (result: IncrementalResult) => void;
}

/**
 * Replaces a result, one of its parts, or an event, whose JSON would exceed the limit by an error. The cost of an operation bounds
 * its fields and its answers, but aliases, and edges to the same object, repeat one long text in many fields.
 * @param limit Characters of JSON.
 */
export function useResultLimit(limit: number): Plugin {
  const replaceTooLarge = ({ args, result, setResult }: ResultPayload): void => {
    const { data, incremental, hasNext } = result as IncrementalResult;
    if (!exceedsSize(data ?? incremental, limit)) return;
    const { operation } = args.contextValue as OperationContext;
    const originalError = new ResultSizeError(limit, operation.hasWritten);
    const errors = [new GraphQLError(originalError.message, { originalError })];
    setResult({ errors, ...(hasNext !== undefined && { hasNext }) });
  };
  return {
    onExecute: () => ({
      onExecuteDone: (payload) => handleStreamOrSingleExecutionResult(payload, replaceTooLarge),
    }),
    onSubscribe: () => ({ onSubscribeResult: () => ({ onNext: replaceTooLarge }) }),
  };
}
