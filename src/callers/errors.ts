// Defines the errors of callers who have to wait.
import { RetryLaterError } from '../upstream/errors.ts';

/** The limit of sign-in attempts or of unknown credentials is reached. Further attempts are not forwarded for a while. */
export class TooManyAttemptsError extends RetryLaterError {
  override readonly code = 'ATTEMPTS_EXCEEDED';

  constructor(retryAfter: number, action?: string) {
    super(`There were too many attempts to sign in; try again in ${retryAfter} s.`, retryAfter, action);
  }
}

/** A call waited too long for a connection to the management API. It was not sent. */
export class UpstreamBusyError extends RetryLaterError {
  override readonly code = 'UPSTREAM_BUSY';

  constructor() {
    super('Too many calls wait for the management API; try again in a moment.', 1);
  }
}
