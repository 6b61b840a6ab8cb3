// Keeps errors of plugins from clients.
import type { GraphQLError } from 'graphql';
import type { ServerPlugin } from '../../operation/context.ts';
import { formatError } from '../../operation/results.ts';
import { requestIdOf } from '../http/requester.ts';

/** Answers 500 without details when a plugin fails to handle a request. Yoga itself would answer with a stack trace. */
export function maskHookErrors(
  plugin: ServerPlugin,
  toClientError: (error: unknown) => GraphQLError,
): ServerPlugin {
  const { onRequest } = plugin;
  if (onRequest === undefined) return plugin;
  return {
    ...plugin,
    async onRequest(payload) {
      try {
        await onRequest(payload);
      } catch (error) {
        const { request, serverContext } = payload;
        const errors = [formatError(toClientError(error), requestIdOf(request, serverContext))];
        payload.endResponse(Response.json({ errors }, { status: 500 }));
      }
    },
  };
}
