// Ends streams whose client cannot receive them.
import type { Plugin } from 'graphql-yoga';

/** Ends streams whose client accepts no media type that yoga can stream. Yoga starts the stream before it answers 406. */
export function useAbandonedStreams(): Plugin {
  const streams = new WeakMap<Request, AsyncIterator<unknown>>();
  return {
    onExecutionResult({ request, result }) {
      if (result !== undefined && !Array.isArray(result) && Symbol.asyncIterator in result)
        streams.set(request, result[Symbol.asyncIterator]());
    },
    onResponse: ({ request, response }) =>
      response.status === 406
        ? streams
            .get(request)
            ?.return?.()
            .then(() => undefined)
        : undefined,
  };
}
