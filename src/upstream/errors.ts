// Defines the base of all errors, and the errors of the client of the management API.

/** Where an error occurred: the action's scope and the HTTP status. It holds names and numbers, never a value. */
export interface ErrorPlace {
  /** Scope of the action, e.g. `shelf.book#index`. */
  readonly action?: string | undefined;
  /** HTTP status of the response; undefined when none arrived. */
  readonly status?: number | undefined;
}

/**
 * Base of the facade's errors. A message never contains a credential or the value of a path placeholder. They have no stack: their code and
 * message say what is wrong, a list can have one in each row, and stacks of ten thousand errors take tens of megabytes.
 */
export abstract class OptiongraphError extends Error {
  /** Stable name of the kind of error. */
  abstract readonly code: string;
  readonly action: string | undefined;
  readonly status: number | undefined;

  constructor(message: string, place: ErrorPlace = {}, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = new.target.name;
    this.action = place.action;
    this.status = place.status;
  }
}

/** The HTTP status of a response that became an error; null for none. */
export const statusOf = (error: unknown): number | null =>
  error instanceof OptiongraphError ? (error.status ?? null) : null;

/** Base of the errors that the upstream causes. */
export abstract class UpstreamError extends OptiongraphError {}

/** The connection failed or broke before the response was complete, or a gateway answered 429, 502, 503 or 504. */
export class UpstreamUnreachableError extends UpstreamError {
  override readonly code = 'UNREACHABLE';
  /** Whether the request may have reached the API nevertheless. */
  readonly mayHaveArrived: boolean;
  /** Milliseconds after which the server asks to try again; null when it does not say. */
  readonly retryAfter: number | null;

  constructor(
    message: string,
    place: ErrorPlace,
    options: ErrorOptions & { readonly mayHaveArrived: boolean; readonly retryAfter?: number | null },
  ) {
    super(message, place, options);
    this.mayHaveArrived = options.mayHaveArrived;
    this.retryAfter = options.retryAfter ?? null;
  }
}

/** The upstream did not answer within the transport's timeout. */
export class UpstreamTimeoutError extends UpstreamError {
  override readonly code = 'TIMEOUT';
}

/** The response is not an envelope, or its content contradicts the description. */
export class UpstreamProtocolError extends UpstreamError {
  override readonly code = 'INVALID_RESPONSE';
}

/** The response exceeds the transport's maximum size. The rest is not read. */
export class UpstreamResponseTooLargeError extends UpstreamError {
  override readonly code = 'RESPONSE_TOO_LARGE';
}

/** What is known of a refusal besides the message. */
interface Refusal {
  /** Messages by parameter; default: none. */
  readonly errors: ReadonlyMap<string, readonly string[]>;
  /** Whether the call refers to an object, so that 404 and 410 mean that the object is missing; otherwise the path is. Default: true. */
  readonly namesObject: boolean;
  /** Paths of the client's inputs by the parameters that they set; default: the call has no inputs of a client. */
  readonly inputPaths: ReadonlyMap<string, readonly string[]>;
  /** Whether the client has given any of these inputs; default: no. */
  readonly hasInput: boolean;
}

/** The upstream refused the call with `status: false`. The error carries its message and its errors by parameter. */
export class ActionFailedError extends UpstreamError implements Refusal {
  override readonly code = 'ACTION_FAILED';
  /** The upstream's message; null where it sent none. */
  readonly upstreamMessage: string | null;
  readonly errors: Refusal['errors'];
  readonly namesObject: boolean;
  readonly inputPaths: Refusal['inputPaths'];
  readonly hasInput: boolean;

  constructor(
    place: ErrorPlace,
    message: string | null,
    { errors = new Map(), namesObject = true, inputPaths = new Map(), hasInput = false }: Partial<Refusal>,
  ) {
    super(message ?? 'The management API refused the call and gave no reason.', place);
    this.upstreamMessage = message;
    this.errors = errors;
    this.namesObject = namesObject;
    this.inputPaths = inputPaths;
    this.hasInput = hasInput;
  }

  /** Returns the error of a call whose parameters are set by these inputs, if the client gives them. */
  withInputPaths(inputPaths: Refusal['inputPaths'], hasInput: boolean): ActionFailedError {
    const { errors, namesObject } = this;
    return new ActionFailedError(this, this.upstreamMessage, { errors, namesObject, inputPaths, hasInput });
  }
}

/** The response to `OPTIONS` is not a description that can be served. */
export class DescriptionError extends UpstreamError {
  override readonly code = 'DESCRIPTION_INVALID';
}

/** The upstream does not have the configured version of its API. Thrown at start-up only. */
export class VersionUnknownError extends UpstreamError {
  override readonly code = 'VERSION_UNKNOWN';
}

/** Scopes of actions that answer one object; the protocol's long poll is one of them. */
const SHOW_SCOPE = /#show$|^action_state#poll$/;

/**
 * Whether an error means that an object does not exist: HTTP 404 or 410, or a refused `show` with status 200 and no errors by
 * parameter.
 */
export function isMissing(error: unknown): error is ActionFailedError {
  if (!(error instanceof ActionFailedError)) return false;
  const { status, errors, action = '', namesObject } = error;
  if (status === 404 || status === 410) return namesObject;
  return status === 200 && errors.size === 0 && SHOW_SCOPE.test(action);
}

/** Whether an error means that the upstream is temporarily down. A host name that does not exist is not temporary. */
export function isDown(error: unknown): error is OptiongraphError {
  if (error instanceof UpstreamUnreachableError) return error.cause !== 'ENOTFOUND';
  return error instanceof UpstreamTimeoutError;
}

/** Base of the errors that a request causes. A different request may succeed. */
export abstract class RequestError extends OptiongraphError {}

/** The request carries two credentials, but only one can be forwarded. */
export class AmbiguousCredentialsError extends RequestError {
  override readonly code = 'CREDENTIALS_AMBIGUOUS';
}

/** The scheme of the request's `Authorization` header is not part of the protocol. */
export class UnsupportedCredentialsError extends RequestError {
  override readonly code = 'CREDENTIALS_UNSUPPORTED';

  /** Refuses HTTP basic from a browser. @param tokenHeader The header for tokens; null when the API describes none. */
  static ofBrowser(tokenHeader: string | null): UnsupportedCredentialsError {
    const place = tokenHeader === null ? '' : ` in the header ${tokenHeader}`;
    return new UnsupportedCredentialsError(
      `HTTP basic must not be used from web browsers (they would keep the password); send a token${place} instead.`,
    );
  }
}

/** The upstream does not accept the caller's credential: it is wrong, expired or revoked. */
export class UnknownCredentialsError extends RequestError {
  override readonly code = 'CREDENTIALS_UNKNOWN';

  /** @param tokenHeader The header for tokens, where the credential may be one that was sent otherwise; null: sign in again. */
  constructor(tokenHeader: string | null = null) {
    const advice =
      tokenHeader === null ? 'sign in again' : `tokens of this API are sent in the header ${tokenHeader}`;
    super(`The management API does not know the credential of the request; ${advice}.`);
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

/** Seconds after which a refused client may try again: the queues empty soon. */
const RETRY_AFTER = 1;

/** A call waited too long for a connection to the management API, or too many calls wait. It was not sent. */
export class UpstreamBusyError extends RetryLaterError {
  override readonly code = 'UPSTREAM_BUSY';

  constructor() {
    super('Too many calls wait for the management API; try again in a moment.', RETRY_AFTER);
  }
}

/** The answers that are being received for all operations are as large as they may be. */
export class AnswerMemoryError extends RequestError {
  override readonly code = 'ANSWER_MEMORY';

  constructor() {
    super(
      'The server has no memory left for this operation. Request fewer rows or fields, or try again in a moment.',
    );
  }
}

/** A caller has the maximum number of open streams, or watches the maximum number of actions. */
export class SubscriptionLimitError extends RequestError {
  override readonly code = 'SUBSCRIPTION_LIMIT';
}

/** The facade is shutting down. A client can send the operation again, which another instance may serve. */
export class ShuttingDownError extends RequestError {
  override readonly code = 'SHUTTING_DOWN';
}
