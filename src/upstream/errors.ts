/** The stable names of everything that can go wrong between the facade and the management API. */
export type UpstreamErrorCode =
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'OUTCOME_UNKNOWN'
  | 'INVALID_RESPONSE'
  | 'RESPONSE_TOO_LARGE'
  | 'ACTION_FAILED'
  | 'DESCRIPTION_INVALID'
  | 'VERSION_UNKNOWN'
  | 'CREDENTIALS_AMBIGUOUS'
  | 'CREDENTIALS_UNSUPPORTED'
  | 'CREDENTIALS_UNKNOWN'
  | 'ATTEMPTS_EXCEEDED'
  | 'INPUT_INVALID'
  | 'NOT_OFFERED'
  | 'SUBSCRIPTION_LIMIT'
  | 'OPERATION_LIMIT'
  | 'SHUTTING_DOWN'
  | 'PAGINATION_UNSUPPORTED';

/** Where an error happened: the action's scope and HTTP status. Names and numbers only, never a value. */
export interface UpstreamErrorPlace {
  /** Scope of the action, e.g. `shelf.book#index`. */
  readonly action?: string | undefined;
  /** HTTP status of the answer, when there was one. */
  readonly status?: number | undefined;
}

/** Base of all errors of `src/upstream` and `src/loaders`. Its message never holds a credential or a path value. */
export abstract class UpstreamError extends Error {
  abstract readonly code: UpstreamErrorCode;
  readonly action: string | undefined;
  readonly status: number | undefined;

  constructor(message: string, place: UpstreamErrorPlace = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.action = place.action;
    this.status = place.status;
  }
}

/** No connection, or it broke before an answer was complete; also 502, 503 and 504 of a proxy in front. */
export class UpstreamUnreachableError extends UpstreamError {
  override readonly code = 'UNREACHABLE';
  /** Whether the request may have reached the API all the same. */
  readonly mayHaveArrived: boolean;

  constructor(
    message: string,
    place: UpstreamErrorPlace,
    options: ErrorOptions & { readonly mayHaveArrived: boolean },
  ) {
    super(message, place, options);
    this.mayHaveArrived = options.mayHaveArrived;
  }
}

/** A write went out and no answer came that tells what became of it. It is never sent again. */
export class OutcomeUnknownError extends UpstreamError {
  override readonly code = 'OUTCOME_UNKNOWN';
}

/** The upstream did not answer within the client's time. */
export class UpstreamTimeoutError extends UpstreamError {
  override readonly code = 'TIMEOUT';
}

/** An answer that is no envelope, or holds something else than the description says. */
export class UpstreamProtocolError extends UpstreamError {
  override readonly code = 'INVALID_RESPONSE';
}

/** An answer larger than the client's bound, which is not read to its end. */
export class UpstreamResponseTooLargeError extends UpstreamError {
  override readonly code = 'RESPONSE_TOO_LARGE';
}

/** The upstream's own refusal: `status: false`, with its message and what it says of each parameter. */
export class ActionFailedError extends UpstreamError {
  override readonly code = 'ACTION_FAILED';
  readonly errors: ReadonlyMap<string, readonly string[]>;
  /** The upstream's message, or null where it gave none. */
  readonly upstreamMessage: string | null;
  /** Whether the call names an object that a 404 can say is missing; otherwise the server lacks the path itself. */
  readonly namesObject: boolean;

  constructor(
    place: Required<UpstreamErrorPlace>,
    message: string | null,
    errors: ReadonlyMap<string, readonly string[]>,
    namesObject = true,
  ) {
    super(message ?? 'The management API refused the call and gave no reason.', place);
    this.upstreamMessage = message;
    this.namesObject = namesObject;
    this.errors = errors;
  }
}

/** What answered `OPTIONS` is not a description that can be served. Raised at start-up only. */
export class DescriptionError extends UpstreamError {
  override readonly code = 'DESCRIPTION_INVALID';
}

/** The upstream has no such version of its API. Raised at start-up only. */
export class VersionUnknownError extends UpstreamError {
  override readonly code = 'VERSION_UNKNOWN';
}

/** A caller sent two credentials where exactly one can be passed on. */
export class AmbiguousCredentialsError extends UpstreamError {
  override readonly code = 'CREDENTIALS_AMBIGUOUS';
}

/** A caller sent an `Authorization` scheme that the protocol does not know. */
export class UnsupportedCredentialsError extends UpstreamError {
  override readonly code = 'CREDENTIALS_UNSUPPORTED';
}

/** The upstream does not know the caller's credential, or no longer. */
export class UnknownCredentialsError extends UpstreamError {
  override readonly code = 'CREDENTIALS_UNKNOWN';

  constructor() {
    super('The management API does not know the credential that came with the request; sign in again.');
  }
}

/** So many attempts to sign in, or credentials that are not known, that no more are passed on for a while. */
export class TooManyAttemptsError extends UpstreamError {
  override readonly code = 'ATTEMPTS_EXCEEDED';
  /** Seconds until the next attempt may be made. */
  readonly retryAfter: number;

  constructor(retryAfter: number, action?: string) {
    super(`Too many attempts to sign in; try again in ${retryAfter} s.`, { action });
    this.retryAfter = retryAfter;
  }
}

/** What the caller asked for cannot be asked of the upstream: an id, cursor or page size that makes no sense. */
export class InvalidInputError extends UpstreamError {
  override readonly code = 'INPUT_INVALID';
  /** What is wrong with single inputs, where the described rules tell. */
  readonly userErrors: readonly object[];

  constructor(message: string, place: UpstreamErrorPlace = {}, userErrors: readonly object[] = []) {
    super(message, place);
    this.userErrors = userErrors;
  }
}

/** A list whose order upstream allows no exact walk and which is too long to be read whole. */
export class PaginationUnsupportedError extends UpstreamError {
  override readonly code = 'PAGINATION_UNSUPPORTED';
}

/** A value can be had from no action that the description offers this caller. */
export class NotOfferedError extends UpstreamError {
  override readonly code = 'NOT_OFFERED';

  constructor(resource: string) {
    super(
      `The management API offers you no way to fetch a single ${resource}, so only what came with it can be told.`,
    );
  }
}

/** A caller watches as many actions, or streams as many times, as one caller may. */
export class SubscriptionLimitError extends UpstreamError {
  override readonly code = 'SUBSCRIPTION_LIMIT';
}

/** A connection has as many operations under way as one connection may. */
export class OperationLimitError extends UpstreamError {
  override readonly code = 'OPERATION_LIMIT';
}

/** The facade is closing; what was streamed can be asked for again elsewhere. */
export class ShuttingDownError extends UpstreamError {
  override readonly code = 'SHUTTING_DOWN';
}

/** Actions that answer one object; the protocol's long poll is one of them. */
const SHOWS = /#show$|^action_state#poll$/;

/**
 * Whether an error says that an object does not exist: HTTP 404, or a `show` that is refused with 200 and without a word on
 * any input.
 */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof ActionFailedError)) return false;
  const { status, errors, action = '', namesObject } = error;
  if (status === 404) return namesObject;
  return status === 200 && errors.size === 0 && SHOWS.test(action);
}

/** Whether an error says that the upstream is down for now, and not that it does not exist. */
export function isDown(error: unknown): error is UpstreamError {
  if (error instanceof UpstreamUnreachableError) return error.cause !== 'ENOTFOUND';
  return error instanceof UpstreamTimeoutError;
}
