import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql';
import { Operation } from '../loaders/operation.ts';

/** Names the request in each error of a result, and gives every error a code. */
export function withRequestId<R extends ExecutionResult>(result: R, requestId: string): R {
  return result.errors
    ? { ...result, errors: result.errors.map((error) => addRequestId(error, requestId)) }
    : result;
}

/** One error with the request's id. Errors of cached validations are shared between requests, so it is a copy. */
export function addRequestId(error: GraphQLError, requestId: string): GraphQLError {
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

/** An error as it goes over a WebSocket: without what is meant for HTTP alone. */
export function formatError(error: GraphQLError, requestId: string): GraphQLFormattedError {
  const { extensions, ...formatted } = addRequestId(error, requestId).toJSON();
  const { http: _http, ...told } = extensions ?? {};
  return { ...formatted, extensions: told };
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

/** Tells the cost of an operation and its warnings in a result's extensions; with `isTraced` each call too. */
export function withCost<R extends ExecutionResult>(result: R, context: object, isTraced: boolean): R {
  const operation: unknown = 'operation' in context ? context.operation : undefined;
  if (!(operation instanceof Operation)) return result;
  const { cost, warnings } = operation;
  const { calls, coalesced } = cost;
  const ms = calls.reduce((sum, call) => sum + call.ms, 0);
  return {
    ...result,
    extensions: {
      ...result.extensions,
      upstream: { calls: calls.length, ms, coalesced, ...(isTraced ? { trace: calls } : {}) },
      ...(warnings.length > 0 ? { warnings } : {}),
    },
  };
}
