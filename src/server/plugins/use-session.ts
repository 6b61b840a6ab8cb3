// Opens the session of each HTTP request.
import type { GraphQLError } from 'graphql';
import { ResponseCookie } from '../../auth/response-cookie.ts';
import type { AddressOf } from '../../callers/client-address.ts';
import { readRequester, type ServerContext, type ServerPlugin } from '../context.ts';
import { openSession, type SessionSource } from '../session.ts';
import { openReported } from '../telemetry/operation-report.ts';

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
      const requester = context.requester ?? readRequester(request, context, addressOf);
      try {
        context.session ??= await openReported(context.report, () =>
          openSession({ ...requester, cookie }, source),
        );
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
