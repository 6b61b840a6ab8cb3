// Defines the errors of operations that are refused.
import { RequestError, RetryLaterError } from '../upstream/errors.ts';

/** The operations of a client cost more than its budget for a minute. */
export class TooManyRequestsError extends RetryLaterError {
  override readonly code = 'RATE_LIMIT';

  constructor(retryAfter: number) {
    super(
      `Your operations cost more than your budget for a minute; try again in ${retryAfter} s.`,
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

/** The caller may not read the schema through introspection. */
export class IntrospectionRefusedError extends RequestError {
  override readonly code = 'INTROSPECTION_REFUSED';

  constructor(access: 'authenticated' | 'off') {
    super(
      access === 'off'
        ? 'Introspection is turned off on this server.'
        : 'Introspection needs a credential on this server; sign in first.',
    );
  }
}

/**
 * A request names a document by an id that the server does not know. The message and public code are those of Apollo's persisted
 * queries: clients recognise them, and send the text instead.
 */
export class PersistedQueryError extends RequestError {
  override readonly code = 'PERSISTED_QUERY_NOT_FOUND';

  constructor() {
    super('PersistedQueryNotFound');
  }
}

/** The hash that a request sends with a text is not its own. The message is that of Apollo's servers, the public code that of its router. */
export class HashMismatchError extends RequestError {
  override readonly code = 'PERSISTED_QUERY_HASH_MISMATCH';

  constructor() {
    super('provided sha does not match query');
  }
}

/** The server executes only the documents that its operator trusts. */
export class UntrustedDocumentError extends RequestError {
  override readonly code = 'DOCUMENT_UNTRUSTED';

  constructor() {
    super(
      'This server executes only the documents that its operator has listed; send the id or the exact text of one of them.',
    );
  }
}

/** The description offers this caller no action with a scope. */
export class ActionNotOfferedError extends RequestError {
  override readonly code = 'NOT_OFFERED';

  constructor(scope: string) {
    super(`The management API offers you no action ${scope}.`);
  }
}

/** The key of a mutation was used before, with another document, operation or variables. */
export class KeyConflictError extends RequestError {
  override readonly code = 'KEY_CONFLICT';

  constructor() {
    super(
      'This idempotency key was used with another document, operation or variables; send a new key with a new mutation.',
    );
  }
}

/** A write is not sent, because what has to be recorded of it cannot be. */
export class WriteUnrecordedError extends RequestError {
  override readonly code = 'WRITE_UNRECORDED';
}

/** A write of a dry run has passed all checks, and is not sent. */
export class DryRunError extends RequestError {
  override readonly code = 'DRY_RUN';

  constructor() {
    super('The write has passed all checks. It was not sent, because this is a dry run.');
  }
}

/** The results of a caller's mutations with keys, or of all callers', take all the room that they may for a day. */
export class TooManyKeysError extends RetryLaterError {
  override readonly code = 'RATE_LIMIT';

  constructor(retryAfter: number) {
    super(
      `The mutations with idempotency keys of this day take all the room that they may; try again in ${retryAfter} s, or send no key.`,
      retryAfter,
    );
  }
}

/** A client has the maximum number of queries and mutations under way. */
export class OperationLimitError extends RetryLaterError {
  override readonly code = 'OPERATION_LIMIT';

  constructor(count: number) {
    super(`You have ${count} operations under way, which is the maximum; try again when some have ended.`, 1);
  }
}

/** A page that is not the server's own opens a stream. */
export class ForeignPageError extends RequestError {
  override readonly code = 'PAGE_FOREIGN';

  constructor() {
    super('Pages of this origin may not subscribe; the operator can list the origin in --origins.');
  }
}
