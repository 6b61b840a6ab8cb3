// Records the upstream calls that serve one operation.
import { UpstreamBudgetError } from '../upstream/errors/request-errors.ts';
import type { CallMeter, CallPlace } from '../upstream/http/call-meter.ts';

/** One upstream call for the client's view of the cost. It holds names and numbers only. */
export interface CallRecord extends CallPlace {
  /** Null when no response arrived. */
  readonly status: number | null;
  /** Milliseconds from sending to the end of the response, or until now while the call is running. */
  readonly ms: number;
}

/** What one operation may use of the upstream. */
export interface UpstreamLimits {
  /** Calls for a caller with a credential; default 200. */
  readonly calls: number;
  /** Calls for an anonymous caller; default 100. */
  readonly anonymousCalls: number;
  /** Bytes of all responses; default 64 MiB. */
  readonly bytes: number;
}

/** The limits without configuration. */
export const DEFAULT_UPSTREAM_LIMITS: UpstreamLimits = Object.freeze({
  calls: 200,
  anonymousCalls: 100,
  bytes: 64 * 1024 * 1024,
});

/** The upstream calls that served one operation, and its budget of them. */
export class OperationCost implements CallMeter {
  /** Number of reads that shared a call of this operation or of another one. */
  coalesced = 0;
  readonly #calls: (() => CallRecord)[] = [];
  readonly #maxCalls: number;
  readonly #maxBytes: number;
  #reserved = 0;
  #bytes = 0;

  constructor({ calls, anonymousCalls, bytes }: UpstreamLimits, isAnonymous: boolean) {
    this.#maxCalls = isAnonymous ? anonymousCalls : calls;
    this.#maxBytes = bytes;
  }

  /**
   * Reserves a call before it waits for its turn. Polls of running actions need no reservation.
   * @param action Scope of the action.
   * @throws UpstreamBudgetError when the operation has made all its calls.
   */
  reserve(action: string): void {
    if (this.#reserved >= this.#maxCalls)
      throw new UpstreamBudgetError(
        `One operation may call the management API ${this.#maxCalls} times, and this field needs a further call. Request fewer rows with "first", or split the operation.`,
        { action },
      );
    this.#reserved += 1;
  }

  /** Starts the budget again, for the next event of a subscription. */
  renew(): void {
    this.#reserved = 0;
    this.#bytes = 0;
  }

  received(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes)
      throw new UpstreamBudgetError(
        `The responses for this operation are larger than ${this.#maxBytes} bytes; request fewer rows or fields.`,
      );
  }

  /** The calls that were sent for the operation, in sending order. */
  get calls(): readonly CallRecord[] {
    return this.#calls.map((record) => record());
  }

  sent(place: CallPlace): (status: number | null) => void {
    const startedAt = performance.now();
    const end: { status: number | null; at?: number } = { status: null };
    this.#calls.push(() => {
      const ms = Math.round((end.at ?? performance.now()) - startedAt);
      return { ...place, status: end.status, ms };
    });
    return (status) => {
      end.status = status;
      end.at = performance.now();
    };
  }

  shared(): void {
    this.coalesced += 1;
  }
}
