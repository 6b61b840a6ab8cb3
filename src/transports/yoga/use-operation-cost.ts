// Reports the cost of operations.
import type { Plugin } from 'graphql-yoga';
import { wantsTrace, withCost } from '../../operation/results.ts';

/** Adds the cost of each operation to the extensions of its result; with the header `X-Trace: 1` also each upstream call. */
export function useOperationCost(): Plugin {
  return {
    onExecutionResult({ result, setResult, context, request }) {
      if (result === undefined || Array.isArray(result) || Symbol.asyncIterator in result) return;
      const isTraced = wantsTrace((name) => request.headers.get(name));
      setResult(withCost(result, context, isTraced));
    },
  };
}
