// Defines the errors of work that is not taken on.
import { RetryLaterError } from '../upstream/errors.ts';

/** Seconds after which a refused client may try again: the queues empty within a few turns. */
const RETRY_AFTER = 1;

/** A client has so much work waiting that it would take the room of others. */
export class TooMuchWaitingError extends RetryLaterError {
  override readonly code = 'WAITING_LIMIT';

  constructor() {
    super(
      'Too many of your requests wait already; send fewer at a time, and try again in a moment.',
      RETRY_AFTER,
    );
  }
}

/** The server has too much work waiting, or a request has waited too long for its turn. */
export class ServerBusyError extends RetryLaterError {
  override readonly code = 'SERVER_BUSY';

  constructor() {
    super('The server has more to do than it can; try again in a moment.', RETRY_AFTER);
  }
}

/** A call waited too long for a connection to the management API. It was not sent. */
export class UpstreamBusyError extends RetryLaterError {
  override readonly code = 'UPSTREAM_BUSY';

  constructor() {
    super('Too many calls wait for the management API; try again in a moment.', RETRY_AFTER);
  }
}
