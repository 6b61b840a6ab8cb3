// Defines the errors of operations that are refused.
import { RequestError, RetryLaterError } from '../upstream/errors.ts';

/** The operations of a client cost more than its budget for ten seconds. */
export class TooManyRequestsError extends RetryLaterError {
  override readonly code = 'RATE_LIMIT';

  constructor(retryAfter: number) {
    super(
      `Your operations cost more than your budget for ten seconds; try again in ${retryAfter} s.`,
      retryAfter,
    );
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
