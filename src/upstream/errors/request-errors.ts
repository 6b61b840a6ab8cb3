// Errors that a client's request causes, or the limits of the facade that it meets.
import { type ErrorPlace, OptiongraphError } from './optiongraph-error.ts';

/** Base of the errors that a request causes: another request may succeed. */
export abstract class RequestError extends OptiongraphError {}

/** A caller sent two credentials where exactly one can be passed on. */
export class AmbiguousCredentialsError extends RequestError {
  override readonly code = 'CREDENTIALS_AMBIGUOUS';
}

/** A caller sent an `Authorization` scheme that the protocol does not know. */
export class UnsupportedCredentialsError extends RequestError {
  override readonly code = 'CREDENTIALS_UNSUPPORTED';
}

/** The upstream does not know the caller's credential, or no longer. */
export class UnknownCredentialsError extends RequestError {
  override readonly code = 'CREDENTIALS_UNKNOWN';

  constructor() {
    super('The management API does not know the credential that came with the request; sign in again.');
  }
}

/** So many attempts to sign in, or credentials that are not known, that no more are passed on for a while. */
export class TooManyAttemptsError extends RequestError {
  override readonly code = 'ATTEMPTS_EXCEEDED';
  /** Seconds until the next attempt may be made. */
  readonly retryAfter: number;

  constructor(retryAfter: number, action?: string) {
    super(`Too many attempts to sign in; try again in ${retryAfter} s.`, { action });
    this.retryAfter = retryAfter;
  }
}

/** What the caller asked for cannot be asked of the upstream: an id, cursor or page size that makes no sense. */
export class InvalidInputError extends RequestError {
  override readonly code = 'INPUT_INVALID';
  /** What is wrong with single inputs, where the described rules tell. */
  readonly userErrors: readonly object[];

  constructor(message: string, place: ErrorPlace = {}, userErrors: readonly object[] = []) {
    super(message, place);
    this.userErrors = userErrors;
  }
}

/** A list whose order upstream allows no exact walk and which is too long to be read whole. */
export class PaginationUnsupportedError extends RequestError {
  override readonly code = 'PAGINATION_UNSUPPORTED';
}

/** A value can be had from no action that the description offers this caller. */
export class NotOfferedError extends RequestError {
  override readonly code = 'NOT_OFFERED';

  constructor(resource: string) {
    super(
      `The management API offers you no way to fetch a single ${resource}, so only what came with it can be told.`,
    );
  }
}

/** A caller watches as many actions, or streams as many times, as one caller may. */
export class SubscriptionLimitError extends RequestError {
  override readonly code = 'SUBSCRIPTION_LIMIT';
}

/** A connection has as many operations under way as one connection may. */
export class OperationLimitError extends RequestError {
  override readonly code = 'OPERATION_LIMIT';
}

/** The facade is closing; what was streamed can be asked for again elsewhere. */
export class ShuttingDownError extends RequestError {
  override readonly code = 'SHUTTING_DOWN';
}
