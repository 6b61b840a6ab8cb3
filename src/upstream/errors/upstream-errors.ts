// Errors that the management API, or the connection to it, causes.
import { type ErrorPlace, OptiongraphError } from './optiongraph-error.ts';

/** Base of the errors that the upstream causes. */
export abstract class UpstreamError extends OptiongraphError {}

/** No connection, or it broke before an answer was complete; also 502, 503 and 504 of a proxy in front. */
export class UpstreamUnreachableError extends UpstreamError {
  override readonly code = 'UNREACHABLE';
  /** Whether the request may have reached the API all the same. */
  readonly mayHaveArrived: boolean;

  constructor(
    message: string,
    place: ErrorPlace,
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
    place: Required<ErrorPlace>,
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
export function isDown(error: unknown): error is OptiongraphError {
  if (error instanceof UpstreamUnreachableError) return error.cause !== 'ENOTFOUND';
  return error instanceof UpstreamTimeoutError;
}
