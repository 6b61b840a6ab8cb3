// Sets the HTTP status of requests that fail as a whole.
import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import { withoutFailedData, withStatus } from '../../operation/whole-failure.ts';

/** Answers a request that fails as a whole without data and with a 4xx or 5xx status. */
export function useHttpStatus(): Plugin {
  return {
    onExecutionResult({ result, setResult, context }) {
      if (result === undefined || Array.isArray(result) || isAsyncIterable(result)) return;
      setResult(withoutFailedData(result, context));
    },
    onResultProcess({ result, setResult }) {
      if (Array.isArray(result) || isAsyncIterable(result)) return;
      setResult(withStatus(result));
    },
  };
}
