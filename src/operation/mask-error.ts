// Converts thrown errors to the GraphQL errors that clients get.
import { GraphQLError } from 'graphql';
import { fromReadRefusal } from '../schema/resolve/user-errors.ts';
import type { Log } from '../telemetry/log.ts';
import type { Observer } from '../telemetry/observer.ts';
import { OptiongraphError, type OptiongraphErrorCode } from '../upstream/errors/optiongraph-error.ts';
import {
  CostLimitError,
  ForeignPageError,
  InvalidInputError,
  ResultSizeError,
  RetryLaterError,
} from '../upstream/errors/request-errors.ts';
import { ActionFailedError, isMissing, UnreadableRowsError } from '../upstream/errors/upstream-errors.ts';
import { DocumentLimitError } from './cost/document-size.ts';
import { type ErrorCode, errorCodeFacts } from './error-codes.ts';

/**
 * Makes a function that converts thrown errors to GraphQL errors. Errors of the facade keep their message and get a code. Errors
 * of GraphQL itself get `BAD_USER_INPUT`. All others are masked, and logged unless they report that the client disconnected.
 */
export function createMaskError(log: Log, { limit }: Observer = {}): (error: unknown) => GraphQLError {
  return (error) => {
    const original = originalOf(error);
    const hit = limit && limitOf(original);
    // The operation's line has its address.
    if (hit) limit({ limit: hit, address: null });
    if (original instanceof OptiongraphError) return locate(original.message, extensionsOf(original), error);
    if (original instanceof GraphQLError) {
      const { code: _code, ...rest } = original.extensions;
      return locate(original.message, { ...rest, code: 'BAD_USER_INPUT', retryable: false }, error);
    }
    const internal = { code: 'INTERNAL', retryable: false };
    // The client has disconnected, which is no failure of the facade.
    if (isAbort(original)) return locate('The request was aborted.', internal, error);
    log.error('an operation failed inside the facade', original);
    return locate('The facade failed; its log has the reason.', internal, error);
  };
}

/** The codes of errors that a limit causes. */
const LIMIT_CODES: ReadonlySet<OptiongraphErrorCode> = new Set([
  'ATTEMPTS_EXCEEDED',
  'COST_LIMIT',
  'OPERATION_LIMIT',
  'RATE_LIMIT',
  'RESPONSE_TOO_LARGE',
  'RESULT_TOO_LARGE',
  'SUBSCRIPTION_LIMIT',
  'UPSTREAM_BUDGET_EXCEEDED',
  'UPSTREAM_BUSY',
]);

/** The limit that an error is about; null for other errors. */
function limitOf(error: unknown): string | null {
  if (error instanceof DocumentLimitError) return 'DOCUMENT';
  return error instanceof OptiongraphError && LIMIT_CODES.has(error.code) ? error.code : null;
}

function originalOf(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError ? originalOf(error.originalError) : error;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function locate(message: string, extensions: Record<string, unknown>, error: unknown): GraphQLError {
  const at = error instanceof GraphQLError ? error : null;
  return new GraphQLError(message, {
    nodes: at?.nodes ?? null,
    source: at?.source ?? null,
    positions: at?.positions ?? null,
    path: at?.path ?? null,
    extensions,
  });
}

function extensionsOf(error: OptiongraphError): Record<string, unknown> {
  const code = codeOf(error);
  const userErrors = code === 'BAD_USER_INPUT' ? inputErrorsOf(error) : [];
  return {
    code,
    retryable: errorCodeFacts(code).retryable,
    ...(error.action === undefined && error.status === undefined
      ? {}
      : { upstream: { action: error.action ?? null, status: error.status ?? null } }),
    ...(userErrors.length === 0 ? {} : { userErrors }),
    ...limitExtensionsOf(error),
    ...(error instanceof UnreadableRowsError ? { rows: error.rows } : {}),
    ...(error instanceof ForeignPageError ? { http: { status: 403 } } : {}),
  };
}

/** Says when to retry after a limit of a minute; a limit of one operation refuses it at any time. */
function limitExtensionsOf(error: OptiongraphError): Record<string, unknown> {
  if (error instanceof RetryLaterError)
    return { http: { headers: { 'retry-after': String(error.retryAfter) } }, retryAfter: error.retryAfter };
  if (error instanceof ResultSizeError)
    return { http: { status: 400 }, retryable: false, result: { limit: error.limit } };
  if (!(error instanceof CostLimitError)) return {};
  const { estimate, limit } = error;
  return { http: { status: 400 }, retryable: false, cost: { estimate, limit } };
}

/** Derives the code from the kind of error and the HTTP status, never from the message, which is localised. */
function codeOf(error: OptiongraphError): ErrorCode {
  switch (error.code) {
    case 'UNREACHABLE':
      return 'UPSTREAM_UNAVAILABLE';
    case 'TIMEOUT':
      return 'UPSTREAM_TIMEOUT';
    case 'INVALID_RESPONSE':
    case 'DESCRIPTION_INVALID':
    case 'VERSION_UNKNOWN':
      return 'UPSTREAM_INVALID_RESPONSE';
    case 'RESPONSE_TOO_LARGE':
      return 'UPSTREAM_RESPONSE_TOO_LARGE';
    case 'PAGINATION_UNSUPPORTED':
    case 'OUTCOME_UNKNOWN':
    case 'SUBSCRIPTION_LIMIT':
    case 'UPSTREAM_BUSY':
    case 'UPSTREAM_BUDGET_EXCEEDED':
    case 'SHUTTING_DOWN':
    case 'PERSISTED_QUERY_NOT_FOUND':
      return error.code;
    case 'ATTEMPTS_EXCEEDED':
    case 'RATE_LIMIT':
    case 'COST_LIMIT':
    case 'RESULT_TOO_LARGE':
    case 'OPERATION_LIMIT':
      return 'COST_LIMIT_EXCEEDED';
    case 'CREDENTIALS_AMBIGUOUS':
      return 'AMBIGUOUS_CREDENTIALS';
    case 'CREDENTIALS_UNSUPPORTED':
    case 'CREDENTIALS_UNKNOWN':
    case 'CREDENTIALS_MISSING':
      return 'UNAUTHENTICATED';
    case 'INPUT_INVALID':
      return 'BAD_USER_INPUT';
    case 'NOT_OFFERED':
    case 'INTROSPECTION_REFUSED':
    case 'DOCUMENT_UNTRUSTED':
    case 'PAGE_FOREIGN':
      return 'FORBIDDEN';
    case 'ROWS_UNREADABLE':
      return 'UPSTREAM_ERROR';
    case 'ACTION_FAILED':
      return error instanceof ActionFailedError ? codeOfFailure(error) : 'UPSTREAM_ERROR';
  }
}

function codeOfFailure(error: ActionFailedError): ErrorCode {
  const { status } = error;
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 403) return 'FORBIDDEN';
  if (isMissing(error)) return 'NOT_FOUND';
  if (status === 404) return 'UPSTREAM_ERROR';
  if (status === 429 || status === 503) return 'UPSTREAM_UNAVAILABLE';
  return fromReadRefusal(error) === null ? 'UPSTREAM_ERROR' : 'BAD_USER_INPUT';
}

function inputErrorsOf(error: OptiongraphError): readonly object[] {
  if (error instanceof InvalidInputError) return error.userErrors;
  return error instanceof ActionFailedError ? (fromReadRefusal(error) ?? []) : [];
}
