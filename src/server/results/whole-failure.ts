// Completes the errors of results: requests that fail as a whole get no data and an HTTP status, and each error the id of its request.
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Operation } from '../../loaders/operation.ts';
import { isObject } from '../../upstream/json.ts';
import { errorCodeFacts, isForResponseJsonOnly } from '../error-codes.ts';
import { createErrorAt, publicCodeOf } from '../mask-error.ts';
import { type IncrementalResult, isPart, mapErrors } from './incremental-result.ts';

/**
 * Removes the data of a request that failed as a whole: all its fields failed for a reason that concerns the whole request, or the
 * upstream no longer knows the credential of a query. The data of a mutation that has written stays.
 * @param result Its errors are those of the execution. The reasons become the first of them.
 */
export function withoutFailedData(result: IncrementalResult, operation: Operation): IncrementalResult {
  const { data, errors = [], ...rest } = result;
  const causes: GraphQLError[] = [];
  const others: GraphQLError[] = [];
  for (const error of errors) (failsRequest(error) ? causes : others).push(error);
  if (!failsAsWhole(data, causes, operation)) return result;
  return { ...rest, errors: [...causes, ...others] };
}

const failsRequest = (error: GraphQLError): boolean =>
  errorCodeFacts(publicCodeOf(error)).fails === 'request';

function failsAsWhole(
  data: ExecutionResult['data'],
  causes: readonly GraphQLError[],
  operation: Operation,
): boolean {
  if (data === undefined || causes.length === 0) return false;
  if (mayLoseData(operation) && causes.some((cause) => publicCodeOf(cause) === 'UNAUTHENTICATED'))
    return true;
  if (data === null) return true;
  const failed = new Set(causes.map(({ path }) => (path?.length === 1 ? path[0] : undefined)));
  return Object.entries(data).every(
    ([name, value]) => name === '__typename' || (value === null && failed.has(name)),
  );
}

/** Whether an operation only reads, with a credential: once that has ended, the data belongs to no known caller. */
const mayLoseData = ({ caller, hasWritten }: Operation): boolean => caller.credential !== null && !hasWritten;

/**
 * Adds the request id to each error of a result. The errors of a result without data have its HTTP status in the extension `http`; a
 * result with data always has 200 (GraphQL over HTTP).
 */
export function withIds<R extends IncrementalResult>(result: R, requestId: string): R {
  const hasStatus = !('data' in result || isPart(result));
  return mapErrors(result, (error) => {
    // Requests share the errors of a validation that is kept, so these are copied.
    const completed = { retryable: false, ...error.extensions, requestId };
    return createErrorAt(error, error.message, hasStatus ? addStatus(completed) : completed);
  });
}

function addStatus(extensions: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { code, http } = extensions;
  const own = isObject(http) ? http : {};
  // A status of the error's own, such as 405, is more specific.
  if ('status' in own) return extensions;
  const spec = isForResponseJsonOnly(code);
  return { ...extensions, http: { ...own, status: errorCodeFacts(code).status, spec } };
}
