// Records the upstream calls that serve one operation.
import type { CallMeter, CallPlace } from '../upstream/http/call-meter.ts';

/** One upstream call for the client's view of the cost. It holds names and numbers only. */
export interface CallRecord extends CallPlace {
  /** Null when no answer arrived. */
  readonly status: number | null;
  /** Milliseconds from sending to the end of the answer, or until now while the call is running. */
  readonly ms: number;
}

/** The upstream calls that served one operation. */
export class OperationCost implements CallMeter {
  /** Number of reads that shared a call of this operation or of another one. */
  coalesced = 0;
  readonly #calls: (() => CallRecord)[] = [];

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
