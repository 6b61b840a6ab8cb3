import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { requestIdOf } from '../context.ts';

/** Names the request in each of its errors and in the header `X-Request-Id`, and gives every error a code. */
export function useRequestId(): Plugin {
  return {
    onResultProcess({ request, result, setResult }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result || !result.errors) return;
      const requestId = requestIdOf(request);
      setResult({ ...result, errors: result.errors.map((error) => withId(error, requestId)) });
    },
    onResponse({ request, response }) {
      response.headers.set('x-request-id', requestIdOf(request));
    },
  };
}

/** Errors of cached validations are shared between requests, so each request gets its own copy. */
function withId(error: GraphQLError, requestId: string): GraphQLError {
  const code = error.extensions['code'];
  const extensions = {
    retryable: false,
    ...error.extensions,
    code: typeof code === 'string' && !isFrameworkCode(code) ? code : 'BAD_USER_INPUT',
    requestId,
  };
  return new GraphQLError(error.message, {
    nodes: error.nodes ?? null,
    source: error.source ?? null,
    positions: error.positions ?? null,
    path: error.path ?? null,
    extensions,
  });
}

/** What yoga says of bodies, documents and methods it cannot use: all the client's fault. */
function isFrameworkCode(code: string): boolean {
  return (
    code === 'BAD_REQUEST' ||
    code === 'REQUEST_ENTITY_TOO_LARGE' ||
    code === 'OPERATION_RESOLUTION_FAILURE' ||
    code.startsWith('GRAPHQL_')
  );
}
