// Converts thrown errors to the GraphQL errors that clients get.
import { GraphQLError } from 'graphql';
import { InvalidInputError } from '../loaders/errors.ts';
import type { Log } from '../log.ts';
import type { Observer } from '../observer.ts';
import { fromReadRefusal } from '../schema/resolve/field-errors.ts';
import { ActionFailedError, isMissing, OptiongraphError, RetryLaterError } from '../upstream/errors.ts';
import { isObject } from '../upstream/json.ts';
import { DocumentLimitError } from './documents.ts';
import { CostLimitError, type ErrorCode, errorCodeFacts, ResultSizeError } from './errors.ts';

/**
 * Makes a function that converts thrown errors to GraphQL errors. Errors of the facade keep their message and get a code. Errors
 * of GraphQL itself get `BAD_USER_INPUT`. All others are masked, and logged unless they report that the client disconnected.
 */
export function createMaskError(log: Log, { limit }: Observer): (error: unknown) => GraphQLError {
  return (error) => {
    const original = originalOf(error);
    const hit = limit && limitOf(original);
    // The operation's line has its address.
    if (hit) limit({ limit: hit, address: null });
    if (original instanceof OptiongraphError) return locate(original.message, extensionsOf(original), error);
    if (isGraphQLError(original)) {
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

/** The code of the error that a client gets for an error. */
export function publicCodeOf(error: unknown): ErrorCode {
  const original = originalOf(error);
  if (original instanceof OptiongraphError) return codeOf(original);
  return isGraphQLError(original) ? 'BAD_USER_INPUT' : 'INTERNAL';
}

/** The codes of errors that a limit causes. */
const LIMIT_CODES: ReadonlySet<ErrorCode> = new Set([
  'COST_LIMIT_EXCEEDED',
  'SUBSCRIPTION_LIMIT',
  'UPSTREAM_BUDGET_EXCEEDED',
  'UPSTREAM_BUSY',
  'UPSTREAM_RESPONSE_TOO_LARGE',
]);

/** The limit that an error is about; null for other errors. */
function limitOf(error: unknown): string | null {
  if (error instanceof DocumentLimitError) return 'DOCUMENT';
  return error instanceof OptiongraphError && LIMIT_CODES.has(codeOf(error)) ? error.code : null;
}

/** Also one of another graphql-js, which a resolver of the library's user may throw. */
const isGraphQLError = (error: unknown): error is GraphQLError =>
  error instanceof GraphQLError ||
  (error instanceof Error &&
    error.name === 'GraphQLError' &&
    'extensions' in error &&
    isObject(error.extensions));

function originalOf(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError ? originalOf(error.originalError) : error;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

const locate = (message: string, extensions: Record<string, unknown>, error: unknown): GraphQLError =>
  createErrorAt(error instanceof GraphQLError ? error : null, message, extensions);

/** Makes an error in the places of another one. @param originalError Its cause. Default: none. */
export function createErrorAt(
  at: GraphQLError | null,
  message: string,
  extensions: Record<string, unknown>,
  originalError: Error | null = null,
): GraphQLError {
  const { nodes = null, source = null, positions = null, path = null } = at ?? {};
  return new GraphQLError(message, { nodes, source, positions, path, originalError, extensions });
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
    ...(error.code === 'PAGE_FOREIGN' ? { http: { status: 403 } } : {}),
  };
}

/** Says when to try again where a limit lets the client do so later; a limit of one operation or result refuses it at any time. */
function limitExtensionsOf(error: OptiongraphError): Record<string, unknown> {
  if (error instanceof RetryLaterError)
    return { http: { headers: { 'retry-after': String(error.retryAfter) } }, retryAfter: error.retryAfter };
  if (error instanceof ResultSizeError)
    return { http: { status: 400 }, retryable: false, result: { limit: error.limit } };
  if (!(error instanceof CostLimitError)) return {};
  const { estimate, limit } = error;
  return { http: { status: 400 }, retryable: false, cost: { estimate, limit } };
}

/**
 * The public codes of the facade's errors, by their own. An error of an action has the code of its HTTP status, see `codeOfFailure`.
 */
export const PUBLIC_CODES = {
  UNREACHABLE: 'UPSTREAM_UNAVAILABLE',
  TIMEOUT: 'UPSTREAM_TIMEOUT',
  INVALID_RESPONSE: 'UPSTREAM_INVALID_RESPONSE',
  DESCRIPTION_INVALID: 'UPSTREAM_INVALID_RESPONSE',
  VERSION_UNKNOWN: 'UPSTREAM_INVALID_RESPONSE',
  RESPONSE_TOO_LARGE: 'UPSTREAM_RESPONSE_TOO_LARGE',
  ACTION_FAILED: 'UPSTREAM_ERROR',
  PAGINATION_UNSUPPORTED: 'PAGINATION_UNSUPPORTED',
  OUTCOME_UNKNOWN: 'OUTCOME_UNKNOWN',
  SUBSCRIPTION_LIMIT: 'SUBSCRIPTION_LIMIT',
  UPSTREAM_BUSY: 'UPSTREAM_BUSY',
  UPSTREAM_BUDGET_EXCEEDED: 'UPSTREAM_BUDGET_EXCEEDED',
  ANSWER_MEMORY: 'UPSTREAM_BUDGET_EXCEEDED',
  SHUTTING_DOWN: 'SHUTTING_DOWN',
  PERSISTED_QUERY_NOT_FOUND: 'PERSISTED_QUERY_NOT_FOUND',
  PERSISTED_QUERY_HASH_MISMATCH: 'PERSISTED_QUERY_HASH_MISMATCH',
  ATTEMPTS_EXCEEDED: 'COST_LIMIT_EXCEEDED',
  RATE_LIMIT: 'COST_LIMIT_EXCEEDED',
  COST_LIMIT: 'COST_LIMIT_EXCEEDED',
  RESULT_TOO_LARGE: 'COST_LIMIT_EXCEEDED',
  OPERATION_LIMIT: 'COST_LIMIT_EXCEEDED',
  CREDENTIALS_AMBIGUOUS: 'AMBIGUOUS_CREDENTIALS',
  CREDENTIALS_UNSUPPORTED: 'UNAUTHENTICATED',
  CREDENTIALS_UNKNOWN: 'UNAUTHENTICATED',
  CREDENTIALS_MISSING: 'UNAUTHENTICATED',
  KEY_CONFLICT: 'CONFLICT',
  WRITE_UNRECORDED: 'WRITE_UNRECORDED',
  DRY_RUN: 'DRY_RUN',
  INPUT_INVALID: 'BAD_USER_INPUT',
  NOT_OFFERED: 'FORBIDDEN',
  INTROSPECTION_REFUSED: 'FORBIDDEN',
  DOCUMENT_UNTRUSTED: 'FORBIDDEN',
  PAGE_FOREIGN: 'FORBIDDEN',
} as const satisfies Readonly<Record<string, ErrorCode>>;

/** The stable codes of the errors between clients, the facade and the management API. */
export type OptiongraphErrorCode = keyof typeof PUBLIC_CODES;

const publicCodes: Readonly<Record<string, ErrorCode | undefined>> = PUBLIC_CODES;

/** Derives the code from the kind of error and the HTTP status, never from the message, which is localised. */
function codeOf(error: OptiongraphError): ErrorCode {
  return error instanceof ActionFailedError ? codeOfFailure(error) : (publicCodes[error.code] ?? 'INTERNAL');
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
