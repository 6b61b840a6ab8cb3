// Adds request ids, error codes and costs to the results of operations.
import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql';
import { Operation } from '../loaders/operation.ts';
import type { HeaderReader } from '../upstream/http/caller.ts';
import { type IncrementalResult, mapErrors } from './incremental/incremental-result.ts';

/** Adds the request id to each error of a result, and a code to each error without one. */
export function withRequestId<R extends IncrementalResult>(result: R, requestId: string): R {
  return mapErrors(result, (error) => addRequestId(error, requestId));
}

/** Returns a copy of an error with the request id: requests share cached validation errors, so these must not change. */
function addRequestId(error: GraphQLError, requestId: string): GraphQLError {
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

/** Formats an error for the client, without the extension `http`, which only yoga reads. */
export function formatError(error: GraphQLError, requestId: string): GraphQLFormattedError {
  const { extensions, ...formatted } = addRequestId(error, requestId).toJSON();
  const { http: _http, ...rest } = extensions ?? {};
  return { ...formatted, extensions: rest };
}

/** Whether a code is yoga's, for a body, document or method that it cannot use. All of these are errors of the client. */
function isFrameworkCode(code: string): boolean {
  return (
    code === 'BAD_REQUEST' ||
    code === 'REQUEST_ENTITY_TOO_LARGE' ||
    code === 'OPERATION_RESOLUTION_FAILURE' ||
    code.startsWith('GRAPHQL_')
  );
}

/** Whether a client asks for each upstream call, by `X-Trace: 1`. */
export const wantsTrace = (header: HeaderReader): boolean => header('x-trace') === '1';

/** Adds the cost and the warnings of an operation to the extensions of a result; with `isTraced` also each upstream call. */
export function withCost<R extends ExecutionResult>(result: R, context: object, isTraced: boolean): R {
  const operation: unknown = 'operation' in context ? context.operation : undefined;
  if (!(operation instanceof Operation)) return result;
  const { cost, warnings } = operation;
  const { calls, ms } = cost.sum;
  const extensions = {
    ...result.extensions,
    upstream: { calls, ms, coalesced: cost.coalesced, ...(isTraced ? { trace: cost.trace } : {}) },
    ...(warnings.length > 0 ? { warnings } : {}),
  };
  // A spread with a new property after it is slow, see decision 113.
  return Object.assign({}, result, { extensions });
}
