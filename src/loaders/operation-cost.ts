// Records the upstream calls that serve one operation.
import type { CallMeter, CallPlace } from '../upstream/http/call-meter.ts';

/** One upstream call for the client's view of the cost. It holds names and numbers only. */
export interface CallRecord extends CallPlace {
  /** Null when no answer arrived. */
  readonly status: number | null;
  /** Milliseconds from sending to the end of the answer, or until now while the call is running. */
  readonly ms: number;
}

interface Call {
  readonly place: CallPlace;
  readonly startedAt: number;
  status: number | null;
  endedAt: number | null;
}

/** The upstream calls that served one operation. */
export class OperationCost implements CallMeter {
  readonly #calls: Call[] = [];
  #coalesced = 0;

  /** The calls that were sent for the operation, in sending order. */
  get calls(): readonly CallRecord[] {
    const now = performance.now();
    return this.#calls.map(({ place, status, startedAt, endedAt }) => ({
      ...place,
      status,
      ms: Math.round((endedAt ?? now) - startedAt),
    }));
  }

  /** Number of reads that shared a call of this operation or of another one. */
  get coalesced(): number {
    return this.#coalesced;
  }

  sent(place: CallPlace): (status: number | null) => void {
    const call: Call = { place, startedAt: performance.now(), status: null, endedAt: null };
    this.#calls.push(call);
    return (status) => {
      call.status = status;
      call.endedAt = performance.now();
    };
  }

  shared(): void {
    this.#coalesced += 1;
  }
}
