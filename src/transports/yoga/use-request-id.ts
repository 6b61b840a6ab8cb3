// Adds request ids to errors and responses.
import { isAsyncIterable, mapAsyncIterator } from 'graphql-yoga';
import type { ServerPlugin } from '../../operation/context.ts';
import { withRequestId } from '../../operation/results.ts';
import { requestIdOf } from '../http/requester.ts';

/** Adds the request id to each error and to the header `X-Request-Id`, and a code to each error without one. */
export function useRequestId(): ServerPlugin {
  return {
    onResultProcess({ request, serverContext, result, setResult }) {
      if (Array.isArray(result)) return;
      const id = requestIdOf(request, serverContext);
      setResult(
        isAsyncIterable(result)
          ? mapAsyncIterator(result, (event) => withRequestId(event, id))
          : withRequestId(result, id),
      );
    },
    onResponse({ request, serverContext, response }) {
      response.headers.set('x-request-id', requestIdOf(request, serverContext));
    },
  };
}
