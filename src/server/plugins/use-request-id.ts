// Adds request ids to errors and responses.
import { isAsyncIterable, mapAsyncIterator, type Plugin } from 'graphql-yoga';
import { requestIdOf } from '../context.ts';
import { withRequestId } from '../results.ts';

/** Adds the request id to each error and to the header `X-Request-Id`, and a code to each error without one. */
export function useRequestId(): Plugin {
  return {
    onResultProcess({ request, result, setResult }) {
      if (Array.isArray(result)) return;
      const id = requestIdOf(request);
      setResult(
        isAsyncIterable(result)
          ? mapAsyncIterator(result, (event) => withRequestId(event, id))
          : withRequestId(result, id),
      );
    },
    onResponse({ request, response }) {
      response.headers.set('x-request-id', requestIdOf(request));
    },
  };
}
