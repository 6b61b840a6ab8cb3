import type { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { AnswerCookie } from '../../auth/answer-cookie.ts';
import type { AddressOf } from '../../callers/client-address.ts';
import { requesterOf, type ServerContext } from '../context.ts';
import { openSession, type SessionSource } from '../session.ts';

/** Opens the session of each HTTP request, and answers with the schema that is its caller's; over WebSockets it is open already. */
export function useSession(
  addressOf: AddressOf,
  source: SessionSource,
  toClientError: (error: unknown) => GraphQLError,
): Plugin<ServerContext> {
  /** Each answer brings its cookie, also one that fails. */
  const cookies = new WeakMap<Request, AnswerCookie>();
  return {
    async onParams({ request, context, setResult }) {
      const own = context as ServerContext;
      const cookie = new AnswerCookie();
      cookies.set(request, cookie);
      try {
        own.session ??= await openSession({ ...requesterOf(request, own.req, addressOf), cookie }, source);
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
