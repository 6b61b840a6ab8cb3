// Serves a caller's schema as a file, for tools that need no introspection then.
import { createHash } from 'node:crypto';
import type { GraphQLSchema } from 'graphql';
import { printSDL } from '../../schema/print-schema.ts';
import { rateLimitHeaders } from '../../server/http/http-operation.ts';
import type { OperationRequest } from '../../server/operation-request.ts';
import type { Services, StartedPlugin } from '../../server/plugin.ts';
import { toErrorResponse } from '../../server/results.ts';

/** What a request costs and needs. SDL is printed once for each schema, so that it costs less than a whole introspection. */
const QUERY = '{ __schema { types { name } } }';

/** A schema as SDL. The tag names the text in each encoding. */
interface SchemaFile {
  readonly text: string;
  readonly etag: string;
}

/**
 * Serves `GET <endpoint>/schema.graphql`. The request is an operation with a query of introspection, so that it needs the same rights and is
 * refused in the same way. The SDL takes the place of the result.
 */
export function useSchemaFile({ endpoint, callers, run }: Services): StartedPlugin {
  const { token, oauth2 } = callers.base.description.authentication;
  const credentials = ['Authorization', token?.httpHeader, oauth2?.httpHeader].filter(
    (name) => typeof name === 'string',
  );
  const vary = [...new Set(credentials), 'Cookie', 'Accept-Language'].join(', ');
  const printed = new WeakMap<GraphQLSchema, SchemaFile>();
  return {
    async page({ request: { method, headers: sent }, url, requester }) {
      if ((method !== 'GET' && method !== 'HEAD') || url.pathname !== `${endpoint}/schema.graphql`)
        return null;
      const { header, address, requestId, leaving, signal } = requester;
      const found: { file: SchemaFile | null } = { file: null };
      const operation: OperationRequest = {
        // Without the cookie of the response, so that the session of a browser is not renewed for a file.
        requester: { header, address, requestId, leaving, signal },
        readSent: () => ({ query: QUERY }),
        execute({ schema }) {
          found.file = printed.get(schema) ?? print(schema);
          printed.set(schema, found.file);
          return { data: null };
        },
      };
      const result = await run(operation);
      const limits = rateLimitHeaders(operation.allowance);
      const { file } = found;
      if (file === null) return toErrorResponse('errors' in result ? result.errors : [], limits);
      const headers = { ...limits, etag: file.etag, 'cache-control': 'private, no-cache', vary };
      if (sent.get('if-none-match')?.includes(file.etag) === true)
        return new Response(null, { status: 304, headers: { ...headers, vary: `${vary}, Accept-Encoding` } });
      return new Response(method === 'HEAD' ? null : file.text, {
        headers: { ...headers, 'content-type': 'application/graphql; charset=utf-8' },
      });
    },
  };
}

function print(schema: GraphQLSchema): SchemaFile {
  const text = printSDL(schema);
  return { text, etag: `W/"${createHash('sha256').update(text).digest('base64url')}"` };
}
