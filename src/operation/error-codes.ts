// Lists the error codes of the GraphQL API, with their HTTP status.

/** What an error code means for HTTP and for clients. */
interface CodeFacts {
  /** HTTP status of a response without data. */
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** What fails: one field, or the whole request. */
  readonly fails: 'field' | 'request';
}

const field = (status: number): CodeFacts => ({ status, retryable: false, fails: 'field' });
const request = (status: number, retryable: boolean): CodeFacts => ({ status, retryable, fails: 'request' });

/** All codes that clients see in `extensions.code` (`docs/contract.md`, Errors). */
export const ERROR_CODES = {
  UNAUTHENTICATED: request(401, false),
  FORBIDDEN: field(403),
  NOT_FOUND: field(404),
  BAD_USER_INPUT: field(400),
  AMBIGUOUS_CREDENTIALS: request(400, false),
  PAGINATION_UNSUPPORTED: field(501),
  PERSISTED_QUERY_NOT_FOUND: field(400),
  UPSTREAM_ERROR: field(502),
  UPSTREAM_TIMEOUT: request(504, true),
  UPSTREAM_UNAVAILABLE: request(503, true),
  UPSTREAM_INVALID_RESPONSE: field(502),
  UPSTREAM_RESPONSE_TOO_LARGE: field(502),
  OUTCOME_UNKNOWN: field(502),
  UPSTREAM_BUDGET_EXCEEDED: field(400),
  COST_LIMIT_EXCEEDED: request(429, true),
  SUBSCRIPTION_LIMIT: field(429),
  UPSTREAM_BUSY: request(503, true),
  SHUTTING_DOWN: request(503, true),
  INTERNAL: field(500),
} as const satisfies Readonly<Record<string, CodeFacts>>;

/** An error code. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Codes whose status is sent with every media type: those that ask to sign in, to send one credential, or to slow down. */
const CODES_FOR_ALL_MEDIA_TYPES: ReadonlySet<ErrorCode> = new Set([
  'UNAUTHENTICATED',
  'AMBIGUOUS_CREDENTIALS',
  'COST_LIMIT_EXCEEDED',
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
