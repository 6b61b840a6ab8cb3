// Refuses operations with one result during the shutdown, and limits their time.
import { getOperationAST, OperationTypeNode } from 'graphql';
import { isAsyncIterable, isPromise, mapAsyncIterator } from 'graphql-yoga';
import { UpstreamTimeoutError } from '../../upstream/errors.ts';
import type { OperationContext } from '../context.ts';
import type { OperationLimits } from '../limits.ts';
import type { Shutdown } from '../shutdown.ts';
import { type Execute, type Executed, type ExecutionStep, refuse } from './execution-step.ts';

/**
 * Refuses queries and mutations that begin during the shutdown with SHUTTING_DOWN. Ends those whose time is over: what is not finished
 * then is UPSTREAM_TIMEOUT.
 */
export function withOperationEnd(
  shutdown: Shutdown,
  { queryTime, mutationTime }: OperationLimits,
): ExecutionStep {
  return (execute) => (args) => {
    const { refusal } = shutdown;
    if (refusal !== null) return refuse(refusal);
    const { end } = (args.contextValue as OperationContext).operation;
    const kind = getOperationAST(args.document, args.operationName)?.operation;
    const time = kind === OperationTypeNode.MUTATION ? mutationTime : queryTime;
    const leave = shutdown.enter(end);
    const timer = setTimeout(() => end.abort(createTimeoutError(time)), time);
    const finish = (): void => {
      clearTimeout(timer);
      // What was read early for an object that does not exist is of no use to anybody.
      end.abort(FINISHED);
      leave();
    };
    const succeed = (result: Executed): Executed => {
      if (isAsyncIterable(result)) return mapAsyncIterator(result, (part) => part, undefined, finish);
      finish();
      return result;
    };
    const fail = (error: unknown): never => {
      finish();
      throw error;
    };
    let result: ReturnType<Execute>;
    try {
      result = execute(args);
    } catch (error) {
      return fail(error);
    }
    return isPromise(result) ? result.then(succeed, fail) : succeed(result);
  };
}

/** Ends calls that serve no field. No error for clients: nothing is resolved after it. */
const FINISHED = new Error('The operation has finished.');

function createTimeoutError(time: number): UpstreamTimeoutError {
  return new UpstreamTimeoutError(
    `The operation took more than ${time / 1_000} s. Request fewer rows or fields, or split it.`,
  );
}
