// Defines the steps around an execution.
import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import { isAsyncIterable, isPromise, mapAsyncIterator } from 'graphql-yoga';

/** A result, or its parts as they come. */
export type Executed = ExecutionResult | AsyncIterable<ExecutionResult>;

/** Executes a query or mutation. Returns a promise only where there is something to wait for. */
export type Execute = (args: ExecutionArgs) => Executed | Promise<Executed>;

/** A step around an execution: wraps the function that executes. */
export type ExecutionStep = (execute: Execute) => Execute;

/** The result of an operation that is not executed. Its error is masked as all others. */
export const refuse = (originalError: Error): ExecutionResult => ({
  errors: [new GraphQLError(originalError.message, { originalError })],
});

/** Replaces the result of an execution, or each of its parts. */
export function mapResults(
  executed: Executed | Promise<Executed>,
  map: (result: ExecutionResult) => ExecutionResult,
): Executed | Promise<Executed> {
  if (isPromise(executed)) return executed.then((result) => mapResults(result, map));
  return isAsyncIterable(executed) ? mapAsyncIterator(executed, map) : map(executed);
}
