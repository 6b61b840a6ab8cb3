import type { CallMeter, CallPlace } from '../upstream/http/call-meter.ts';

/** One upstream call as clients see it: names and numbers only. */
export interface CallRecord extends CallPlace {
  /** Null when no answer arrived. */
  readonly status: number | null;
  /** From sending to the end of the answer; so far, while the call is under way. */
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

  /** Every call that was sent for the operation, in that order. */
  get calls(): readonly CallRecord[] {
    const now = performance.now();
    return this.#calls.map(({ place, status, startedAt, endedAt }) => ({
      ...place,
      status,
      ms: Math.round((endedAt ?? now) - startedAt),
    }));
  }

  /** Reads that were answered by a call which was sent already, for this operation or for another one. */
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
