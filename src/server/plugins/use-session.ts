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
  return {
    async onParams({ request, context, setResult }) {
      const own = context as ServerContext;
      try {
        own.session ??= await openSession(askerOf(request, own.req && addressOf(own.req)), source);
      } catch (error) {
        setResult({ errors: [toClientError(error)] });
      }
    },
    onEnveloped({ context, setSchema }) {
      const schema = (context as ServerContext | undefined)?.session?.served.schema;
      if (schema !== undefined) setSchema(schema);
    },
  };
}
