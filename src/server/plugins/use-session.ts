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
  /** Cookies that requests are answered with. */
  const renewed = new WeakMap<Request, string>();
  return {
    async onParams({ request, context, setResult }) {
      const own = context as ServerContext;
      try {
        own.session ??= await openSession(askerOf(request, own.req && addressOf(own.req)), source);
        if (own.session.setCookie !== null) renewed.set(request, own.session.setCookie);
      } catch (error) {
        setResult({ errors: [toClientError(error)] });
      }
    },
    onResponse({ request, response }) {
      const cookie = renewed.get(request);
      if (cookie !== undefined) response.headers.append('set-cookie', cookie);
    },
    onEnveloped({ context, setSchema }) {
      const schema = (context as ServerContext | undefined)?.session?.served.schema;
      if (schema !== undefined) setSchema(schema);
    },
  };
}
