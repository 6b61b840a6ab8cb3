// Opens the session of each HTTP request.
import type { GraphQLError } from 'graphql';
import { ResponseCookie } from '../../auth/response-cookie.ts';
import type { AddressOf } from '../../callers/client-address.ts';
import { readRequester, type ServerContext, type ServerPlugin } from '../context.ts';
import { openSession, type SessionSource } from '../session.ts';

/** Opens the session of each HTTP request, and executes it with the caller's schema. WebSocket operations have a session already. */
export function useSession(
  addressOf: AddressOf,
  source: SessionSource,
  toClientError: (error: unknown) => GraphQLError,
): ServerPlugin {
  return {
    async onParams({ request, context, setResult }) {
      const cookie = new ResponseCookie();
      context.cookie = cookie;
      try {
        context.session ??= await openSession(
          {
            ...(context.requester ?? readRequester(request, context, addressOf)),
            cookie,
          },
          source,
        );
        if (context.report !== undefined) context.report.caller = context.session.caller;
      } catch (error) {
        setResult({ errors: [toClientError(error)] });
      }
    },
    onResponse({ serverContext, response }) {
      const setCookie = serverContext.cookie?.begin() ?? null;
      if (setCookie !== null) response.headers.append('set-cookie', setCookie);
    },
    onEnveloped({ context, setSchema }) {
      const schema = (context as ServerContext | undefined)?.session?.served.schema;
      if (schema !== undefined) setSchema(schema);
    },
  };
}
