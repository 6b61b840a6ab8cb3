// Opens the session of each HTTP request.
import type { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { ResponseCookie } from '../../auth/response-cookie.ts';
import type { AddressOf } from '../../callers/client-address.ts';
import { readRequester, type ServerContext } from '../context.ts';
import { openSession, type SessionSource } from '../session.ts';
import { openReported } from '../telemetry/operation-report.ts';

/** Opens the session of each HTTP request, and executes it with the caller's schema. WebSocket operations have a session already. */
export function useSession(
  addressOf: AddressOf,
  source: SessionSource,
  toClientError: (error: unknown) => GraphQLError,
): Plugin<ServerContext> {
  /** The response cookie of each request. Failed responses carry it too. */
  const cookies = new WeakMap<Request, ResponseCookie>();
  return {
    async onParams({ request, context, setResult }) {
      const serverContext = context as ServerContext;
      const cookie = new ResponseCookie();
      cookies.set(request, cookie);
      const requester = serverContext.requester ?? readRequester(request, serverContext.req, addressOf);
      try {
        serverContext.session ??= await openReported(serverContext.report, () =>
          openSession({ ...requester, cookie }, source),
        );
      } catch (error) {
        setResult({ errors: [toClientError(error)] });
      }
    },
    onResponse({ request, response }) {
      const setCookie = cookies.get(request)?.begin() ?? null;
      if (setCookie !== null) response.headers.append('set-cookie', setCookie);
    },
    onEnveloped({ context, setSchema }) {
      const schema = (context as ServerContext | undefined)?.session?.served.schema;
      if (schema !== undefined) setSchema(schema);
    },
  };
}
