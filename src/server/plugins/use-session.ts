import type { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { AddressOf } from '../address.ts';
import { askerOf, type ServerContext } from '../context.ts';
import { openSession, type SessionSource } from '../session.ts';

/** Opens the session of each HTTP request, and answers with the schema that is its caller's; over WebSockets it is open already. */
export function useSession(
  addressOf: AddressOf,
  source: SessionSource,
  toClientError: (error: unknown) => GraphQLError,
): Plugin<ServerContext> {
  /** Cookies that requests are answered with, whatever else becomes of them. */
  const cookies = new WeakMap<Request, string>();
  return {
    async onParams({ request, context, setResult }) {
      const own = context as ServerContext;
      try {
        const asker = {
          ...askerOf(request, own.req, addressOf),
          answerCookie: (setCookie: string) => void cookies.set(request, setCookie),
        };
        own.session ??= await openSession(asker, source);
      } catch (error) {
        setResult({ errors: [toClientError(error)] });
      }
    },
    onResponse({ request, response }) {
      const cookie = cookies.get(request);
      if (cookie !== undefined) response.headers.append('set-cookie', cookie);
    },
    onEnveloped({ context, setSchema }) {
      const schema = (context as ServerContext | undefined)?.session?.served.schema;
      if (schema !== undefined) setSchema(schema);
    },
  };
}
