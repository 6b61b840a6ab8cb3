// Keeps errors of plugins from clients.
import type { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { requestIdOf, type ServerContext } from './context.ts';
import { formatError } from './results.ts';

/** Answers 500 without details when a plugin fails to handle a request. Yoga itself would answer with a stack trace. */
export function maskHookErrors(
  plugin: Plugin<ServerContext>,
  toClientError: (error: unknown) => GraphQLError,
): Plugin<ServerContext> {
  const { onRequest } = plugin;
  if (onRequest === undefined) return plugin;
  return {
    ...plugin,
    async onRequest(payload) {
      try {
        await onRequest(payload);
      } catch (error) {
        const errors = [formatError(toClientError(error), requestIdOf(payload.request))];
        payload.endResponse(Response.json({ errors }, { status: 500 }));
      }
    },
  };
}
