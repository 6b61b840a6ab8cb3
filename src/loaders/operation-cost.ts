// Records the upstream calls that serve one operation.

import {
  type CallEnd,
  type CallMeter,
  type CallPlace,
  IGNORED_END,
  type SharedFrom,
} from '../upstream/http/call-meter.ts';
import { type CallDetails, type CallRecord, CallTrace, type TracedCall } from './calls/call-trace.ts';
import { UpstreamBudgetError } from './errors.ts';

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

/** The upstream calls that serve one operation, and its budget of them. */
export class OperationCost implements CallMeter {
  /** Number of reads that shared a call, or its answer, of this operation or of another one. */
  coalesced = 0;
  #trace = new CallTrace();
  readonly #maxCalls: number;
  readonly #maxBytes: number;
  #reserved = 0;
  #bytes = 0;

  constructor({ calls, anonymousCalls, bytes }: UpstreamLimits, isAnonymous: boolean) {
    this.#maxCalls = isAnonymous ? anonymousCalls : calls;
    this.#maxBytes = bytes;
  }

  /**
   * Reserves a call before it waits for its turn. Polls of running actions need no reservation. A read that shares another
   * operation's call needs one too, so that what an operation may read does not depend on who else reads.
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

  /** Whether half of the calls are left, so that some may be made in vain. */
  get isAmple(): boolean {
    return this.#reserved < this.#maxCalls / 2;
  }

  /** Starts again, for the next event of a subscription. */
  renew(): void {
    this.#reserved = 0;
    this.#bytes = 0;
    this.coalesced = 0;
    this.#trace = new CallTrace();
  }

  received(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes)
      throw new UpstreamBudgetError(
        `The responses for this operation are larger than ${this.#maxBytes} bytes; request fewer rows or fields.`,
      );
  }

  /** The calls and the shared reads, with the reason for each. */
  get trace(): readonly TracedCall[] {
    return this.#trace.all;
  }

  /** Number of the calls that were sent for the operation, and the sum of their milliseconds. */
  get sum(): { readonly calls: number; readonly ms: number } {
    return this.#trace.sum;
  }

  /** The calls that were sent for the operation, in sending order. */
  get calls(): readonly CallRecord[] {
    return this.#trace.calls;
  }

  /** Counts a poll of a running action that the operation waits for. */
  sent(place: CallPlace): CallEnd {
    return this.#trace.add(place, { reason: { reason: 'ACTION_STATE', fields: [] } });
  }

  shared(): CallEnd {
    this.coalesced += 1;
    return IGNORED_END;
  }

  /** Makes a meter for the call of one read or write. */
  meterFor(place: CallPlace, details: CallDetails): CallMeter {
    return new SingleCallMeter(this, this.#trace, place, details);
  }
}

/** Counts the call of one read or write. */
class SingleCallMeter implements CallMeter {
  readonly #cost: OperationCost;
  readonly #trace: CallTrace;
  readonly #place: CallPlace;
  readonly #details: CallDetails;

  constructor(cost: OperationCost, trace: CallTrace, place: CallPlace, details: CallDetails) {
    this.#cost = cost;
    this.#trace = trace;
    this.#place = place;
    this.#details = details;
  }

  sent(sentTo: CallPlace): CallEnd {
    return this.#trace.add(sentTo, this.#details);
  }

  shared(from: SharedFrom): CallEnd {
    this.#cost.shared();
    return this.#trace.add(this.#place, this.#details, from);
  }

  received(bytes: number): void {
    this.#cost.received(bytes);
  }
}
