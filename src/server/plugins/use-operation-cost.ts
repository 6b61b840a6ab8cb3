import type { Plugin } from 'graphql-yoga';
import { Operation } from '../../loaders/operation.ts';

/** Tells the cost of an operation and its warnings in the result's extensions; with `X-Trace: 1` each call too. */
export function useOperationCost(): Plugin {
  return {
    onExecutionResult({ result, setResult, context, request }) {
      const operation: unknown = 'operation' in context ? context.operation : undefined;
      if (!(operation instanceof Operation) || result === undefined || Array.isArray(result)) return;
      if (Symbol.asyncIterator in result) return;
      const { calls, coalesced, warnings } = operation;
      const ms = calls.reduce((sum, call) => sum + call.ms, 0);
      const trace = request.headers.get('x-trace') === '1' ? { trace: calls } : {};
      setResult({
        ...result,
        extensions: {
          ...result.extensions,
          upstream: { calls: calls.length, ms, coalesced, ...trace },
          ...(warnings.length > 0 ? { warnings } : {}),
        },
      });
    },
  };
}
