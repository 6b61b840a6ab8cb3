// Completes the errors of results: requests that fail as a whole get no data and an HTTP status, and each error the id of its request.
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Operation } from '../../loaders/operation.ts';
import { isObject } from '../../upstream/json.ts';
import { errorCodeFacts, isForResponseJsonOnly } from '../error-codes.ts';
import { type IncrementalResult, isPart, mapErrors } from '../incremental/incremental-result.ts';
import { createErrorAt } from '../mask-error.ts';

/**
 * Removes the data of a request that failed as a whole: all its fields failed for a reason that concerns the whole request, or the
 * upstream no longer knows the credential of a query. The data of a mutation that has written stays.
 */
export function withoutFailedData<R extends ExecutionResult>(result: R, operation: Operation): R {
  if (!failsAsWhole(result, operation)) return result;
  const { data: _data, ...rest } = result;
  return rest as R;
}

function failsAsWhole({ data, errors = [] }: ExecutionResult, operation: Operation): boolean {
  const causes = errors.filter(({ extensions }) => errorCodeFacts(extensions['code']).fails === 'request');
  if (data === undefined || causes.length === 0) return false;
  if (mayLoseData(operation) && causes.some(isUnauthenticated)) return true;
  if (data === null) return true;
  const failed = new Set(causes.map(({ path }) => (path?.length === 1 ? path[0] : undefined)));
  return Object.entries(data).every(
    ([name, value]) => name === '__typename' || (value === null && failed.has(name)),
  );
}

const isUnauthenticated = ({ extensions }: GraphQLError): boolean => extensions['code'] === 'UNAUTHENTICATED';

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
