// Refuses results that are too large to send.
import { type ExecutionResult, GraphQLError } from 'graphql';
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import { ResultSizeError } from '../../upstream/errors/request-errors.ts';
import type { OperationContext } from '../context.ts';
import { exceedsSize } from './result-size.ts';

/**
 * Replaces a result, or an event, whose JSON would exceed the limit by an error. The cost of an operation bounds its fields and its
 * answers, but aliases, and edges to the same object, repeat one long text in many fields.
 * @param limit Characters of JSON.
 */
export function useResultLimit(limit: number): Plugin {
  const findProblem = (result: unknown, context: object): ExecutionResult | null => {
    if (isAsyncIterable(result) || !exceedsSize((result as ExecutionResult).data, limit)) return null;
    const { operation } = context as OperationContext;
    const originalError = new ResultSizeError(limit, operation.hasWritten);
    return { errors: [new GraphQLError(originalError.message, { originalError })] };
  };

  return {
    onExecute: () => ({
      onExecuteDone({ args, result, setResult }) {
        const problem = findProblem(result, args.contextValue);
        if (problem !== null) setResult(problem);
      },
    }),
    onSubscribe: () => ({
      onSubscribeResult: () => ({
        onNext({ args, result, setResult }) {
          const problem = findProblem(result, args.contextValue as object);
          if (problem !== null) setResult(problem);
        },
      }),
    }),
  };
}
