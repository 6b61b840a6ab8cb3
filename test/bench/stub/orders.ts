// The messages between the benches and the process of their management API.
/** What changes from now on. Each order is answered by a `StubReport`. */
export interface StubOrder {
  /** Milliseconds that a read takes. */
  readonly latency?: number;
  /** Running actions, in place of earlier ones. */
  readonly states?: StatesOrder;
  /** Whether all running actions end now. */
  readonly endsStates?: boolean;
  /** A file with the answer to OPTIONS for callers whose token begins with `wide`. */
  readonly wideDescription?: string;
}

/** Running actions. */
export interface StatesOrder {
  readonly actions: number;
  /** The callers that they belong to. The token of a caller is `caller-` and its number from 0. */
  readonly callers: number;
  /** Each action changes once in this time. Milliseconds. */
  readonly period: number;
  /**
   * An action ends with this change, and another one takes its place, whose id is higher by the number of actions. Callers keep their
   * number of actions if it is the same for all. Default: actions run for ever.
   */
  readonly changes?: number;
  /** `current` of an action is the time of its last change in milliseconds since this time. Milliseconds since 1970. */
  readonly epoch: number;
}

/** What has happened to the running actions. */
export interface StatesReport {
  /** Changes up to `at`. */
  readonly changes: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What has happened since the process started. */
export interface StubReport extends StatesReport {
  /** Requests without OPTIONS. */
  readonly reads: number;
}
