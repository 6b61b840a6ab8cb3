// Defines what counts calls of the management API for the operations that they serve.

/** The action that a call goes to. It holds names, never a value. */
export interface CallPlace {
  /** Scope of the action, e.g. `shelf.book#index`. */
  readonly action: string;
  /** Path template of the action. */
  readonly path: string;
}

/** A counted call. */
export interface CountedCall {
  /** Records the end of the call. @param status HTTP status; null when no response arrived. */
  end(status: number | null): void;
}

/** Counts the calls that serve one operation. */
export interface CallMeter {
  /** Counts a call when it is written to a connection, once with its repetitions. Returns nothing where no operation counts it. */
  sent(place: CallPlace): CountedCall | undefined;
  /** Counts a read that is answered by the call of another reader. */
  shared(): CountedCall | undefined;
  /**
   * Counts a part of a response.
   * @throws UpstreamBudgetError when the responses of the operation exceed its limit; the request then ends.
   */
  received(bytes: number): void;
}
