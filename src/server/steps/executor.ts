// Chooses what executes operations, and composes the steps around the execution.
import { type ExecutionArgs, type ExecutionResult, execute, GraphQLError, subscribe } from 'graphql';
import { isAsyncIterable, isPromise, mapAsyncIterator } from 'graphql-yoga';
import { PlannedExecution } from '../../execution/planned-execution.ts';
import type { OperationContext } from '../context.ts';

/** `planned`: plans each operation once. `graphql-js`: the reference implementation. */
export type ExecutorName = 'planned' | 'graphql-js';

/** A result, or its parts as they come. */
export type Executed = ExecutionResult | AsyncIterable<ExecutionResult>;

/** Executes a query or mutation. Returns a promise only where there is something to wait for. */
export type Execute = (args: ExecutionArgs) => Executed | Promise<Executed>;

/** What is done around an execution: makes a function that executes by the given one. */
export type ExecutionStep = (execute: Execute) => Execute;

/** Executes operations. */
export interface Executor {
  readonly execute: Execute;
  readonly subscribe: (
    args: ExecutionArgs,
  ) => Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>>;
}

/** Creates what executes the operations of a server. @param steps What is done around each execution; the first is the outermost. */
export function createExecutor(name: ExecutorName, steps: readonly ExecutionStep[]): Executor {
  const { execute, subscribe } = createEngine(name);
  return { execute: steps.reduceRight((inner, step) => step(inner), execute), subscribe };
}

function createEngine(name: ExecutorName): Executor {
  if (name === 'planned')
    return new PlannedExecution((context) => (context as OperationContext).session.requester.leaving);
  // yoga's own executor, in the version for Node 20, returns fields in the order in which they are resolved.
  return {
    execute: (args) => execute(args) as ReturnType<Execute>,
    subscribe: async (args) =>
      (await subscribe(args)) as ExecutionResult | AsyncIterableIterator<ExecutionResult>,
  };
}

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
