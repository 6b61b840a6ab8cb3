// Handles requests that fail as a whole: they get no data, and an HTTP status.
import { type ExecutionResult, GraphQLError } from 'graphql';
import { Operation } from '../loaders/operation.ts';
import { isObject } from '../upstream/json.ts';
import { errorCodeFacts, isForResponseJsonOnly } from './error-codes.ts';

/**
 * Removes the data of a request that failed as a whole: all its fields failed for a reason that concerns the whole request, or the
 * upstream no longer knows the credential of a query. The data of a mutation that has written stays.
 */
export function withoutFailedData<R extends ExecutionResult>(result: R, context: object): R {
  if (!failsAsWhole(result, context)) return result;
  const { data: _data, ...rest } = result;
  return rest as R;
}

function failsAsWhole({ data, errors = [] }: ExecutionResult, context: object): boolean {
  const causes = errors.filter(({ extensions }) => errorCodeFacts(extensions['code']).fails === 'request');
  if (data === undefined || causes.length === 0) return false;
  if (mayLoseData(context) && causes.some(isUnauthenticated)) return true;
  if (data === null) return true;
  const failed = new Set(causes.map(({ path }) => (path?.length === 1 ? path[0] : undefined)));
  return Object.entries(data).every(
    ([name, value]) => name === '__typename' || (value === null && failed.has(name)),
  );
}

const isUnauthenticated = ({ extensions }: GraphQLError): boolean => extensions['code'] === 'UNAUTHENTICATED';

/** Whether an operation only reads, with a credential: once that has ended, the data belongs to no known caller. */
function mayLoseData(context: object): boolean {
  const operation: unknown = 'operation' in context ? context.operation : undefined;
  return operation instanceof Operation && operation.caller.credential !== null && !operation.hasWritten;
}

/** Gives a result without data the HTTP status of its errors. A result with data always has 200 (GraphQL over HTTP). */
export function withStatus<R extends ExecutionResult>(result: R): R {
  if (result.errors === undefined || 'data' in result) return result;
  return { ...result, errors: result.errors.map(addStatus) };
}

function addStatus(error: GraphQLError): GraphQLError {
  const { code, http } = error.extensions;
  const own = isObject(http) ? http : {};
  // Yoga's own status, e.g. 405, is more specific.
  if ('status' in own) return error;
  const { message, nodes, source, positions, path } = error;
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    extensions: {
      ...error.extensions,
      http: { ...own, status: errorCodeFacts(code).status, spec: isForResponseJsonOnly(code) },
    },
  });
}
