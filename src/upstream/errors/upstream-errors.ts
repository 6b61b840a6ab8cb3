// Defines the errors that are caused by the management API or by the connection to it.
import { type ErrorPlace, OptiongraphError, type OptiongraphErrorCode } from './optiongraph-error.ts';

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

/** A write was sent, but no response shows whether it was carried out. It is never retried. */
export class OutcomeUnknownError extends UpstreamError {
  override readonly code = 'OUTCOME_UNKNOWN';
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

/** The upstream refused the call with `status: false`. The error carries its message and its errors by parameter. */
export class ActionFailedError extends UpstreamError {
  override readonly code = 'ACTION_FAILED';
  readonly errors: ReadonlyMap<string, readonly string[]>;
  /** The upstream's message; null where it sent none. */
  readonly upstreamMessage: string | null;
  /** Whether the call refers to an object, so that 404 and 410 mean that the object is missing; otherwise the path is missing. */
  readonly namesObject: boolean;
  /** Paths of the client's inputs by the parameters that they set; empty where the call has no inputs of a client. */
  readonly inputPaths: ReadonlyMap<string, readonly string[]>;
  /** Whether the client has given any of these inputs. */
  readonly hasInput: boolean;

  constructor(
    place: Required<ErrorPlace>,
    message: string | null,
    errors: ReadonlyMap<string, readonly string[]>,
    namesObject = true,
    inputPaths: ReadonlyMap<string, readonly string[]> = new Map(),
    hasInput = false,
  ) {
    super(message ?? 'The management API refused the call and gave no reason.', place);
    this.upstreamMessage = message;
    this.namesObject = namesObject;
    this.errors = errors;
    this.inputPaths = inputPaths;
    this.hasInput = hasInput;
  }

  /** Returns the error of a call whose parameters are set by these inputs, if the client gives them. */
  withInputPaths(inputPaths: ReadonlyMap<string, readonly string[]>, hasInput: boolean): ActionFailedError {
    const { action, status, upstreamMessage, errors, namesObject } = this;
    return new ActionFailedError(
      { action, status },
      upstreamMessage,
      errors,
      namesObject,
      inputPaths,
      hasInput,
    );
  }
}

/** Rows of a list make each call fail whose response would have them. All other rows of the list were read. */
export class UnreadableRowsError extends UpstreamError {
  override readonly code = 'ROWS_UNREADABLE';

  /** The last id before these rows, and the last of theirs, in the direction of the list. */
  readonly rows: { readonly after: number; readonly upTo: number };

  constructor(action: string, { after, upTo }: UnreadableRowsError['rows']) {
    const step = upTo > after ? 1 : -1;
    const ids = upTo === after + step ? `id ${upTo}` : `ids from ${after + step} to ${upTo}`;
    super(`The management API fails when it lists the rows with ${ids}. They are missing here.`, { action });
    this.rows = { after, upTo };
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

const UNKNOWN_OUTCOME_CODES: ReadonlySet<OptiongraphErrorCode> = new Set([
  'TIMEOUT',
  'INVALID_RESPONSE',
  'RESPONSE_TOO_LARGE',
  // Thrown while a response is read; a call beyond the budget is refused before.
  'UPSTREAM_BUDGET_EXCEEDED',
]);

/** Whether the upstream may have carried out a call that failed. */
export function isOutcomeUnknown(error: unknown): error is OptiongraphError {
  if (error instanceof UpstreamUnreachableError) return error.mayHaveArrived;
  return error instanceof OptiongraphError && UNKNOWN_OUTCOME_CODES.has(error.code);
}
