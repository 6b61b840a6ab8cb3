// Refuses operations during the shutdown, limits their time, and stops their execution when the client leaves.
import { type ExecutionArgs, GraphQLError, getOperationAST, OperationTypeNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Shutdown } from '../../loaders/shutdown.ts';
import { UpstreamTimeoutError } from '../../upstream/errors/upstream-errors.ts';
import type { OperationContext } from '../context.ts';
import type { OperationLimits } from '../limits.ts';

/** Arguments of the executor, which stops when the signal aborts. */
interface AbortableArgs extends ExecutionArgs {
  readonly signal: AbortSignal | undefined;
}

/**
 * Refuses operations that begin during the shutdown with SHUTTING_DOWN. Ends queries and mutations whose time is over: what is not
 * finished then is UPSTREAM_TIMEOUT. Stops resolving fields when the client leaves.
 */
export function useOperationEnd(
  shutdown: Shutdown,
  { queryTime, mutationTime }: OperationLimits,
  toClientError: (error: unknown) => GraphQLError,
): Plugin {
  const findRefusal = (): { errors: GraphQLError[] } | null => {
    try {
      shutdown.throwIfBegun();
      return null;
    } catch (error) {
      return { errors: [toClientError(error)] };
    }
  };

  return {
    onExecute({ executeFn, setExecuteFn, setResultAndStopExecution }) {
      const refusal = findRefusal();
      if (refusal !== null) return setResultAndStopExecution(refusal);
      setExecuteFn(async (args: ExecutionArgs) => {
        const { operation, session } = args.contextValue as OperationContext;
        const { end } = operation;
        const kind = getOperationAST(args.document, args.operationName)?.operation;
        const time = kind === OperationTypeNode.MUTATION ? mutationTime : queryTime;
        const leave = shutdown.enter(end);
        const timer = setTimeout(() => end.abort(createTimeoutError(time)), time);
        // Only a client that has left needs no answer; otherwise each field says what has happened to it.
        const { signal } = session.requester;
        const abortable: AbortableArgs = { ...args, signal };
        try {
          return await executeFn(abortable);
        } catch (error) {
          if (signal?.aborted !== true) throw error;
          return { errors: [new GraphQLError('The client has left.', { originalError: signal.reason })] };
        } finally {
          clearTimeout(timer);
          leave();
        }
      });
    },
    onSubscribe({ setResultAndStopExecution }) {
      const refusal = findRefusal();
      if (refusal !== null) setResultAndStopExecution(refusal);
    },
  };
}

function createTimeoutError(time: number): UpstreamTimeoutError {
  return new UpstreamTimeoutError(
    `The operation took more than ${time / 1_000} s. Request fewer rows or fields, or split it.`,
  );
}
