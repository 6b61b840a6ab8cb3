import type { Plugin } from 'graphql-yoga';
import { withCost } from '../results.ts';

/** Tells the cost of each operation in its result's extensions; the header `X-Trace: 1` asks for each call. */
export function useOperationCost(): Plugin {
  return {
    onExecutionResult({ result, setResult, context, request }) {
      if (result === undefined || Array.isArray(result) || Symbol.asyncIterator in result) return;
      setResult(withCost(result, context, request.headers.get('x-trace') === '1'));
    },
  };
}
