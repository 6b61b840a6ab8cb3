// Defines the errors of operations that are refused, and lists the error codes of the GraphQL API with their HTTP status.
import { RequestError, RetryLaterError } from '../upstream/errors.ts';

/** The operations of a client cost more than a budget holds: its own, or one that it shares. */
export class TooManyRequestsError extends RetryLaterError {
  override readonly code = 'RATE_LIMIT';

  constructor(retryAfter: number) {
    super(`The budget for your operations is spent; try again in ${retryAfter} s.`, retryAfter);
  }
}

/** The estimated cost of an operation is above the limit. */
export class CostLimitError extends RequestError {
  override readonly code = 'COST_LIMIT';
  /** Estimated fields of the result, at least; null when the document is too entangled to estimate. */
  readonly estimate: number | null;
  readonly limit: number;

  constructor(estimate: number, limit: number) {
    super(
      `The operation costs ${Number.isFinite(estimate) ? estimate : 'too much to estimate'}; at most ${limit} is allowed. Select fewer fields, request fewer rows with "first", or split it.`,
    );
    this.estimate = Number.isFinite(estimate) ? estimate : null;
    this.limit = limit;
  }
}

/** The result of an operation is too large to send. */
export class ResultSizeError extends RequestError {
  override readonly code = 'RESULT_TOO_LARGE';
  /** Characters of JSON. */
  readonly limit: number;

  constructor(limit: number, hasWritten = false) {
    super(
      `The result is larger than ${limit} characters, so it is not sent${hasWritten ? ', but its writes were carried out' : ''}. Request fewer rows, or fewer aliases of the same field.`,
    );
    this.limit = limit;
  }
}

/** An operation is refused for a reason that its code and message name. */
export class RefusedError extends RequestError {
  override readonly code: string;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

type RefusalCode =
  | 'INTROSPECTION_REFUSED'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'PERSISTED_QUERY_HASH_MISMATCH'
  | 'DOCUMENT_UNTRUSTED'
  | 'NOT_OFFERED'
  | 'KEY_CONFLICT'
  | 'WRITE_UNRECORDED'
  | 'DRY_RUN'
  | 'PAGE_FOREIGN';

/** A client has the maximum number of queries and mutations under way. */
export class OperationLimitError extends RetryLaterError {
  override readonly code = 'OPERATION_LIMIT';

  constructor(count: number) {
    super(`You have ${count} operations under way, which is the maximum; try again when some have ended.`, 1);
  }
}

/** What an error code means for HTTP and for clients. */
interface CodeFacts {
  /** HTTP status of a response without data. */
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** What fails: one field, or the whole request. */
  readonly fails: 'field' | 'request';
  /** For the table in the documents, in Markdown. */
  readonly meaning: string;
}

const field = (status: number, meaning: string): CodeFacts => ({
  status,
  retryable: false,
  fails: 'field',
  meaning,
});
const request = (status: number, meaning: string): CodeFacts => ({
  ...field(status, meaning),
  fails: 'request',
});
const retryable = (status: number, meaning: string): CodeFacts => ({
  ...request(status, meaning),
  retryable: true,
});

/** All codes that clients see in `extensions.code` (`docs/contract.md`, Errors). */
export const ERROR_CODES = {
  UNAUTHENTICATED: request(401, 'the API does not know the credential'),
  AMBIGUOUS_CREDENTIALS: request(400, 'the request has more than one credential'),
  COST_LIMIT_EXCEEDED: retryable(
    429,
    'too many sign-ins, unknown credentials or operations under way, or a spent budget, with `retryAfter`. With 400, not retryable: one operation (`cost { estimate limit }`) or result (`result { limit }`) is too large',
  ),
  UPSTREAM_UNAVAILABLE: retryable(503, 'the API cannot be reached, or asks to slow down'),
  UPSTREAM_TIMEOUT: retryable(
    504,
    'the API or the operation takes too long; a write with this error was not sent',
  ),
  UPSTREAM_BUSY: retryable(
    503,
    'too many calls wait for the API, or this one has waited too long; it was not sent; with `retryAfter`',
  ),
  SHUTTING_DOWN: retryable(503, 'the server is closing; a write with this error was not sent'),
  WRITE_UNRECORDED: retryable(
    503,
    'the audit, or the record of the idempotency key, cannot be written, so the write was not sent',
  ),
  DRY_RUN: field(200, 'the dry run of a write has passed all checks; nothing was sent'),
  CONFLICT: field(422, 'the idempotency key was used with another mutation; nothing was executed'),
  BAD_USER_INPUT: field(
    400,
    'the document or an argument is invalid, or the API refuses a read with input of the client',
  ),
  FORBIDDEN: field(
    403,
    'the API answers 403, or offers this caller no read of the value; the origin of the page is not listed; the document is not trusted; with 421: the host is not served',
  ),
  NOT_FOUND: field(404, 'the object does not exist'),
  PERSISTED_QUERY_NOT_FOUND: field(
    400,
    'the server knows no document with the id; send the text and its hash',
  ),
  PERSISTED_QUERY_HASH_MISMATCH: field(400, 'the hash is not that of the text sent with it'),
  PAGINATION_UNSUPPORTED: field(501, 'the list cannot be walked without losing rows'),
  UPSTREAM_ERROR: field(502, 'the API fails, or refuses a read without a fault of its input'),
  UPSTREAM_INVALID_RESPONSE: field(502, "the API's response has no envelope or contradicts the description"),
  UPSTREAM_RESPONSE_TOO_LARGE: field(502, "the API's response exceeds 16 MiB"),
  UPSTREAM_BUDGET_EXCEEDED: field(
    400,
    'the operation has made all its calls, or read all its bytes; or too many large responses arrive at once, and the operation may succeed later',
  ),
  OUTCOME_UNKNOWN: field(502, 'a write was sent and no response says whether it was carried out'),
  SUBSCRIPTION_LIMIT: field(429, 'the caller has too many open streams, or watches too many actions'),
  INTERNAL: field(500, 'a fault of Optiongraph itself, masked and logged'),
} as const satisfies Readonly<Record<string, CodeFacts>>;

/** An error code. */
export type ErrorCode = keyof typeof ERROR_CODES;

/**
 * Codes whose status is sent with every media type: those that ask to sign in, to send one credential, or to slow down, and one with
 * which Apollo's servers do so.
 */
const CODES_FOR_ALL_MEDIA_TYPES: ReadonlySet<ErrorCode> = new Set([
  'UNAUTHENTICATED',
  'AMBIGUOUS_CREDENTIALS',
  'COST_LIMIT_EXCEEDED',
  'PERSISTED_QUERY_HASH_MISMATCH',
]);

/** The facts of a code; `INTERNAL` stands for unknown codes. */
export function errorCodeFacts(code: unknown): CodeFacts {
  return ERROR_CODES[isErrorCode(code) ? code : 'INTERNAL'];
}

/**
 * Whether the status of a code is sent only with `application/graphql-response+json`. GraphQL over HTTP requires 200 with
 * `application/json`, because there a client cannot tell a 5xx of this server from a proxy's.
 */
export function isForResponseJsonOnly(code: unknown): boolean {
  return !(isErrorCode(code) && CODES_FOR_ALL_MEDIA_TYPES.has(code));
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_CODES, code);
}
