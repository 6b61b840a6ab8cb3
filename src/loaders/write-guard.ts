// Defines the guard that is asked before a write is sent, and informed of its end.
import { statusOf, UpstreamUnreachableError } from '../upstream/errors.ts';
import type { ActionResult } from '../upstream/http/action-client.ts';
import { OutcomeUnknownError } from './errors.ts';

/** What a field says of its write. The methods are called only where somebody guards the writes. */
export interface WriteSubject {
  /** Coordinate of the field, e.g. `Mutation.bookCreate`. */
  readonly coordinate: string;
  /** The global id of the object that the path names, else of the nearest parent that it names; null for none. */
  target(): string | null;
  /** The global id of the object that the API has answered; null for none. */
  resultId(result: ActionResult): string | null;
  /** What the client gets for an error of the write, see `WriteEnd.failure`. Never rejects. */
  failureOf(error: unknown): Promise<unknown>;
}

/** A write that is about to be sent. It holds names and ids, never the value of an input. */
interface GuardedWrite {
  /** Scope of the action. */
  readonly action: string;
  /** Coordinate of the field; null where a resolver of the library's user writes, or another service is called. */
  readonly field: string | null;
  /** See `WriteSubject.target`. */
  readonly target: string | null;
  /** Names of the input parameters that are sent. */
  readonly inputs: readonly string[];
}

/**
 * How a write has ended: the API has accepted it; has refused it; was certainly not reached, so that nothing has happened; or nobody knows.
 */
type WriteOutcome = 'done' | 'refused' | 'not_sent' | 'unknown';

/** The end of a write. */
export interface WriteEnd {
  readonly outcome: WriteOutcome;
  /** HTTP status; null when no response arrived. */
  readonly status: number | null;
  /** What the client gets: the code of a user error (a string), or an error; null for a success. */
  readonly failure: unknown;
  /** The global id of the object that the API has answered; null for none. */
  readonly resultId: string | null;
  /** The id of the action that goes on; null for none. */
  readonly actionId: string | null;
}

/** Guards the writes of one operation. */
export interface WriteGuard {
  /**
   * Called before a write is sent. Rejects with the error of one that must not be sent. Returns what is called when it has ended, once,
   * also when it was not sent for another reason.
   */
  begin(write: GuardedWrite): Promise<(end: WriteEnd) => void>;
}

/** The end of a write that never reached the API. @param failure See `WriteEnd.failure`. */
export const notSent = (failure: unknown): WriteEnd => ({
  outcome: 'not_sent',
  status: null,
  failure,
  resultId: null,
  actionId: null,
});

/** The end of a write that has failed. @param failure See `WriteEnd.failure`. */
export function describeFailure(error: unknown, failure: unknown, wasSent: boolean): WriteEnd {
  const outcome = outcomeOf(error, wasSent);
  return { outcome, status: statusOf(error), failure, resultId: null, actionId: null };
}

function outcomeOf(error: unknown, wasSent: boolean): WriteOutcome {
  if (!wasSent) return 'not_sent';
  if (error instanceof OutcomeUnknownError) return 'unknown';
  // The connection failed before the request could arrive, or a gateway turned it away.
  return error instanceof UpstreamUnreachableError ? 'not_sent' : 'refused';
}
