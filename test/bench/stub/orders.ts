// The messages between the benches and the process of their management API.
/** What changes from now on. Each order is answered by a `StubReport`. */
export interface StubOrder {
  /** Milliseconds that a read takes. */
  readonly latency?: number;
}

/** What has happened since the process started. */
export interface StubReport {
  /** Requests without OPTIONS. */
  readonly reads: number;
}
