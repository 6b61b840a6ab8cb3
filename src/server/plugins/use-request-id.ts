import { isAsyncIterable, mapAsyncIterator, type Plugin } from 'graphql-yoga';
import { requestIdOf } from '../context.ts';
import { withRequestId } from '../results.ts';

/** Names the request in each of its errors and in the header `X-Request-Id`, and gives every error a code. */
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
