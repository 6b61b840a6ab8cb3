// Defines the errors of callers who have to wait.
import { RetryLaterError } from '../upstream/errors.ts';

/** The limit of sign-in attempts or of unknown credentials is reached. Further attempts are not forwarded for a while. */
export class TooManyAttemptsError extends RetryLaterError {
  override readonly code = 'ATTEMPTS_EXCEEDED';

  constructor(retryAfter: number, action?: string) {
    super(`There were too many attempts to sign in; try again in ${retryAfter} s.`, retryAfter, action);
  }
}
