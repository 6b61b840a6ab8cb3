// Defines the errors that are caused by a client's request or by the facade's limits.
import { type ErrorPlace, OptiongraphError } from './optiongraph-error.ts';

/** Base of the errors that a request causes. A different request may succeed. */
export abstract class RequestError extends OptiongraphError {}

/** The request carries two credentials, but only one can be forwarded. */
export class AmbiguousCredentialsError extends RequestError {
  override readonly code = 'CREDENTIALS_AMBIGUOUS';
}

/** The scheme of the request's `Authorization` header is not part of the protocol. */
export class UnsupportedCredentialsError extends RequestError {
  override readonly code = 'CREDENTIALS_UNSUPPORTED';
}

/** The upstream does not accept the caller's credential: it is wrong, expired or revoked. */
export class UnknownCredentialsError extends RequestError {
  override readonly code = 'CREDENTIALS_UNKNOWN';

  constructor() {
    super('The management API does not know the credential of the request; sign in again.');
  }
}

/** The upstream gives its description only to callers with a credential. */
export class MissingCredentialsError extends RequestError {
  override readonly code = 'CREDENTIALS_MISSING';

  constructor() {
    super('The management API offers nothing without a credential; sign in.');
  }
}

/** Base of the errors that end by themselves after a known time. */
export abstract class RetryLaterError extends RequestError {
  /** Seconds until the same request may succeed. */
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number, action?: string) {
    super(message, { action });
    this.retryAfter = retryAfter;
  }
}

/** The limit of sign-in attempts or of unknown credentials is reached. Further attempts are not forwarded for a while. */
export class TooManyAttemptsError extends RetryLaterError {
  override readonly code = 'ATTEMPTS_EXCEEDED';

  constructor(retryAfter: number, action?: string) {
    super(`There were too many attempts to sign in; try again in ${retryAfter} s.`, retryAfter, action);
  }
}

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

/** A call waited too long for a connection to the management API. It was not sent. */
export class UpstreamBusyError extends RetryLaterError {
  override readonly code = 'UPSTREAM_BUSY';

  constructor() {
    super('Too many calls wait for the management API; try again in a moment.', 1);
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

  constructor(limit: number, hasWritten: boolean) {
    super(
      `The result is larger than ${limit} characters, so it is not sent${hasWritten ? ', but its writes were carried out' : ''}. Request fewer rows, or fewer aliases of the same field.`,
    );
    this.limit = limit;
  }
}

/** The operation has made all the upstream calls, or read all the bytes, that one operation may. */
export class UpstreamBudgetError extends RequestError {
  override readonly code = 'UPSTREAM_BUDGET_EXCEEDED';
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

/** The server executes only the documents that its operator trusts. */
export class UntrustedDocumentError extends RequestError {
  override readonly code = 'DOCUMENT_UNTRUSTED';

  constructor() {
    super(
      'This server executes only the documents that its operator has listed; send the id or the exact text of one of them.',
    );
  }
}

/** The input cannot be sent upstream, e.g. an invalid id, cursor or page size. */
export class InvalidInputError extends RequestError {
  override readonly code = 'INPUT_INVALID';
  /** Errors of single inputs by the described rules; empty where no rule applies. */
  readonly userErrors: readonly object[];

  constructor(message: string, place: ErrorPlace = {}, userErrors: readonly object[] = []) {
    super(message, place);
    this.userErrors = userErrors;
  }
}

/** The order of a list prevents exact paging, and the list is too long to be read completely. */
export class PaginationUnsupportedError extends RequestError {
  override readonly code = 'PAGINATION_UNSUPPORTED';
}

/** The description offers this caller no action that reads a value. */
export class NotOfferedError extends RequestError {
  override readonly code = 'NOT_OFFERED';

  constructor(resource: string) {
    super(
      `The management API offers you no action that reads a single ${resource}, so only the values that another response contained are available.`,
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

/** A caller has the maximum number of open streams, or watches the maximum number of actions. */
export class SubscriptionLimitError extends RequestError {
  override readonly code = 'SUBSCRIPTION_LIMIT';
}

/** A connection has the maximum number of running operations. */
export class OperationLimitError extends RequestError {
  override readonly code = 'OPERATION_LIMIT';
}

/** A page that is not the server's own opens a stream. */
export class ForeignPageError extends RequestError {
  override readonly code = 'PAGE_FOREIGN';

  constructor() {
    super('Pages of this origin may not subscribe; the operator can list the origin in --origins.');
  }
}

/** The facade is shutting down. A client can send the operation again, which another instance may serve. */
export class ShuttingDownError extends RequestError {
  override readonly code = 'SHUTTING_DOWN';
}
