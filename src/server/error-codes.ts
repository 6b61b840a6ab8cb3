/** What HTTP and clients need to know of an error by its code. */
interface CodeFacts {
  /** HTTP status of a response without data. */
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** What fails: one field, or the request with every field that it asks for. */
  readonly fails: 'field' | 'request';
}

const field = (status: number): CodeFacts => ({ status, retryable: false, fails: 'field' });
const request = (status: number, retryable: boolean): CodeFacts => ({ status, retryable, fails: 'request' });

/** Every code that a client sees in `extensions.code` (see CONTRACT: Errors). */
const ERROR_CODES = {
  UNAUTHENTICATED: request(401, false),
  FORBIDDEN: field(403),
  NOT_FOUND: field(404),
  BAD_USER_INPUT: field(400),
  AMBIGUOUS_CREDENTIALS: request(400, false),
  PAGINATION_UNSUPPORTED: field(501),
  UPSTREAM_ERROR: field(502),
  UPSTREAM_TIMEOUT: request(504, true),
  UPSTREAM_UNAVAILABLE: request(503, true),
  UPSTREAM_INVALID_RESPONSE: field(502),
  UPSTREAM_RESPONSE_TOO_LARGE: field(502),
  OUTCOME_UNKNOWN: field(502),
  COST_LIMIT_EXCEEDED: request(429, true),
  SUBSCRIPTION_LIMIT: field(429),
  SHUTTING_DOWN: request(503, true),
  INTERNAL: field(500),
} as const satisfies Readonly<Record<string, CodeFacts>>;

/** A code of an error. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Statuses that every client gets: the signals to sign in, to send one credential, and to slow down. */
const FOR_EVERY_MEDIA_TYPE: ReadonlySet<ErrorCode> = new Set([
  'UNAUTHENTICATED',
  'AMBIGUOUS_CREDENTIALS',
  'COST_LIMIT_EXCEEDED',
]);

/** The facts of a code; an unknown code has those of `INTERNAL`. */
export function errorCodeFacts(code: unknown): CodeFacts {
  return ERROR_CODES[isErrorCode(code) ? code : 'INTERNAL'];
}

/**
 * Whether the status is meant for `application/graphql-response+json` alone. GraphQL over HTTP wants 200 with
 * `application/json`, where a client cannot tell a 5xx of this server from one of a proxy.
 */
export function acceptsResponseJson(code: unknown): boolean {
  return !(isErrorCode(code) && FOR_EVERY_MEDIA_TYPE.has(code));
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERROR_CODES, code);
}
