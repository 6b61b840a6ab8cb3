// Opens the session of each HTTP request.
import type { GraphQLError } from 'graphql';
import type { AddressOf } from '../../callers/client-address.ts';
import { openSession, type SessionSource } from '../../callers/session.ts';
import type { ServerContext, ServerPlugin } from '../../operation/context.ts';
import type { TrustedDocuments } from '../../operation/documents/trusted-documents.ts';
import { openReported } from '../../operation/reports/operation-report.ts';
import type { WritableHeaders } from '../http/plain-headers.ts';
import { requesterOf } from '../http/requester.ts';

/** Opens the session of each HTTP request, and executes it with the caller's schema. WebSocket operations have a session already. */
export function useSession(
  addressOf: AddressOf,
  source: SessionSource,
  documents: Pick<TrustedDocuments, 'has'>,
  toClientError: (error: unknown) => GraphQLError,
): ServerPlugin {
  return {
    async onParams({ request, params, context, setResult }) {
      const requester = requesterOf(request, context, addressOf);
      try {
        const { report } = context;
        context.session ??= await openReported(report, { params, documents }, () =>
          openSession(requester, source, report),
        );
      } catch (error) {
        setResult({ errors: [toClientError(error)] });
      }
    },
    onResponse: ({ serverContext, response }) => setCookieOf(response.headers, serverContext),
    onEnveloped({ context, setSchema }) {
      const schema = (context as ServerContext | undefined)?.session?.served.schema;
      if (schema !== undefined) setSchema(schema);
    },
  };
}

/** Adds the cookie of a response to its headers. */
export function setCookieOf(headers: WritableHeaders, { requester }: ServerContext): void {
  const cookie = requester?.cookie;
  if (cookie === undefined) return;
  cookie.isOpen = false;
  if (cookie.setCookie !== null) headers.append('set-cookie', cookie.setCookie);
}
