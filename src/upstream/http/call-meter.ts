// Counts calls of the management API for the operations that they serve.
import { OptiongraphError } from '../errors.ts';

/** The action that a call goes to. It holds names, never a value. */
export interface CallPlace {
  /** Scope of the action, e.g. `shelf.book#index`. */
  readonly action: string;
  /** Path template of the action. */
  readonly path: string;
}

/** Where the answer of a read comes from that makes no call of its own. */
export type SharedFrom = 'OTHER_OPERATION';

/** Called at the end of a call, with the HTTP status; null when no response arrived. */
export type CallEnd = (status: number | null) => void;

/** The end of a call that nobody counts. */
export const IGNORED_END: CallEnd = () => undefined;

/** Counts the calls that serve one operation. */
export interface CallMeter {
  /** Counts a call when it is written to a connection, once with its repetitions. */
  sent(place: CallPlace): CallEnd;
  /** Counts a read that is answered by the call of another reader. */
  shared(from: SharedFrom): CallEnd;
  /**
   * Counts a part of a response.
   * @throws UpstreamBudgetError when the responses of the operation exceed its limit; the request then ends.
   */
  received(bytes: number): void;
}

/** Calls `end` when a call has ended. Returns the result of the call. */
export const endWith = <R extends { readonly status: number }>(
  result: Promise<R>,
  end: CallEnd,
): Promise<R> =>
  result.then(
    (answer) => {
      end(answer.status);
      return answer;
    },
    (error: unknown) => {
      end(statusOf(error));
      throw error;
    },
  );

/** The HTTP status of a response that became an error; null for none. */
export const statusOf = (error: unknown): number | null =>
  error instanceof OptiongraphError ? (error.status ?? null) : null;
