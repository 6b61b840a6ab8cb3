import type { Plugin } from 'graphql-yoga';

/** Ends streams that begin and cannot be sent, since the client accepts no media type that streams. */
export function useAbandonedStreams(): Plugin {
  const streams = new WeakMap<Request, AsyncIterator<unknown>>();
  return {
    onExecutionResult({ request, result }) {
      if (result !== undefined && !Array.isArray(result) && Symbol.asyncIterator in result)
        streams.set(request, result[Symbol.asyncIterator]());
    },
    async onResponse({ request, response }) {
      if (response.status === 406) await streams.get(request)?.return?.();
    },
  };
}
