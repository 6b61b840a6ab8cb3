// Chooses what executes operations, and composes the steps around the execution.
import { type ExecutionResult, execute, type GraphQLError } from 'graphql';
import type { OperationContext } from '../context.ts';
import { PlannedExecution } from '../execution/planned-execution.ts';
import { type Execute, type ExecutionStep, mapResults } from './execution-step.ts';
import { createSubscribe, type ExecuteEvent, type Subscribe, type SubscriptionSteps } from './subscribe.ts';

/** `planned`: plans each operation once. `graphql-js`: the reference implementation. */
export type ExecutorName = 'planned' | 'graphql-js';

/** Executes operations. */
export interface Executor {
  readonly execute: Execute;
  readonly subscribe: Subscribe;
}

/** The steps around the operations of a server. */
export interface ExecutorSteps {
  /** Steps around the execution of each query and mutation; the first is the outermost. */
  readonly executions: readonly ExecutionStep[];
  readonly subscriptions: SubscriptionSteps;
}

/** The executors of a server, which differ only in their errors. */
export interface Executors {
  /** For yoga, which makes the errors of clients from those that are thrown. */
  readonly unmasked: Executor;
  /** Its errors are those of clients. */
  readonly masked: Executor;
}

/** Creates what executes the operations of a server. */
export function createExecutors(
  name: ExecutorName,
  { executions, subscriptions }: ExecutorSteps,
  toClientError: (error: unknown) => GraphQLError,
): Executors {
  const engine = createEngine(name);
  const execute = executions.reduceRight<Execute>((inner, step) => step(inner), engine);
  const mask = (result: ExecutionResult): ExecutionResult =>
    result.errors === undefined ? result : { ...result, errors: result.errors.map(toClientError) };
  return {
    unmasked: { execute, subscribe: createSubscribe(engine, subscriptions) },
    masked: {
      execute: (args) => mapResults(execute(args), mask),
      subscribe: createSubscribe(engine, subscriptions, { mask, toClientError }),
    },
  };
}

function createEngine(name: ExecutorName): ExecuteEvent {
  if (name === 'planned')
    return new PlannedExecution((context) => (context as OperationContext).session.requester.leaving).execute;
  // yoga's own executor, in the version for Node 20, returns fields in the order in which they are resolved.
  return (args) => execute(args) as ReturnType<ExecuteEvent>;
}
