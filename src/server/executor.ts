// Chooses what executes operations.
import { type ExecutionArgs, type ExecutionResult, execute, subscribe } from 'graphql';
import { PlannedExecution } from '../execution/planned-execution.ts';
import type { OperationContext } from './context.ts';

/** `planned`: plans each operation once. `graphql-js`: the reference implementation. */
export type ExecutorName = 'planned' | 'graphql-js';

/** Executes operations. */
export interface Executor {
  readonly execute: (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;
  readonly subscribe: (
    args: ExecutionArgs,
  ) => Promise<ExecutionResult | AsyncIterableIterator<ExecutionResult>>;
}

/** Creates what executes the operations of a server. */
export function createExecutor(name: ExecutorName): Executor {
  if (name === 'planned')
    return new PlannedExecution((context) => (context as OperationContext).session.requester.leaving);
  // yoga's own executor, in the version for Node 20, returns fields in the order in which they are resolved.
  return {
    execute: (args) => execute(args) as ReturnType<Executor['execute']>,
    subscribe: async (args) =>
      (await subscribe(args)) as ExecutionResult | AsyncIterableIterator<ExecutionResult>,
  };
}
