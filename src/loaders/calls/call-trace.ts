// Records the calls of one operation with their times and reasons.
import type { CallEnd, CallPlace, SharedFrom } from '../../upstream/http/call-meter.ts';
import type { CallReason } from './call-reason.ts';

/** One upstream call for the client's view of the cost. It holds names and numbers only. */
export interface CallRecord extends CallPlace {
  /** HTTP status; null when no response arrived. */
  readonly status: number | null;
  /** Milliseconds from the start of the operation to the sending. */
  readonly start: number;
  /** Milliseconds from sending to the end of the response, or until now while the call is running. */
  readonly ms: number;
}

/** A call with the reason for it, or a read that needed no call of its own. */
export interface TracedCall extends CallRecord, Omit<CallReason, 'values' | 'includes' | 'isEarly'> {
  readonly values?: readonly string[];
  /** Where the answer came from if the operation did not make the call. */
  readonly from?: SharedFrom;
  /** The requested associations, each with the selected output parameters that it supplies. */
  readonly includes?: Readonly<Record<string, readonly string[]>>;
  /** Whether the call did not wait for the object on which its field stands. */
  readonly early?: true;
  /** Whether the call repeats one that failed with its includes. */
  readonly repeated?: true;
  /** Coordinates of further fields that share the call. */
  readonly joined?: readonly string[];
}

/** What one call is recorded with. */
export interface CallDetails {
  readonly reason: CallReason;
  /** The requested associations. */
  readonly includes?: readonly string[];
  readonly isRepeated?: boolean;
  /** Coordinates of further fields that share the read. It grows while the read is under way. */
  readonly joined?: readonly string[];
}

interface Entry {
  readonly place: CallPlace;
  readonly details: CallDetails;
  /** Null for a call of the operation itself. */
  readonly from: SharedFrom | null;
  readonly startedAt: number;
  endedAt: number | null;
  status: number | null;
}

/** The calls of one operation, in sending order, and the reads that shared a call of another operation or a kept answer. */
export class CallTrace {
  readonly #startedAt = performance.now();
  readonly #entries: Entry[] = [];

  /** Adds a call. */
  add(place: CallPlace, details: CallDetails, from: SharedFrom | null = null): CallEnd {
    const entry: Entry = { place, details, from, startedAt: performance.now(), endedAt: null, status: null };
    this.#entries.push(entry);
    return (status) => {
      entry.status = status;
      entry.endedAt = performance.now();
    };
  }

  /** Number of the calls that were sent for the operation, and the sum of their milliseconds. */
  get sum(): { readonly calls: number; readonly ms: number } {
    let [calls, ms] = [0, 0];
    for (const { from, startedAt, endedAt } of this.#entries) {
      if (from !== null) continue;
      calls += 1;
      ms += durationOf(startedAt, endedAt);
    }
    return { calls, ms };
  }

  /** The calls that were sent for the operation. */
  get calls(): readonly CallRecord[] {
    const calls: CallRecord[] = [];
    for (const entry of this.#entries) if (entry.from === null) calls.push(this.#measure(entry));
    return calls;
  }

  /** The calls and shared reads, with the reason for each. */
  get all(): readonly TracedCall[] {
    return this.#entries.map((entry) => ({ ...this.#measure(entry), ...describe(entry) }));
  }

  #measure({ place, status, startedAt, endedAt }: Entry): CallRecord {
    const start = Math.round(startedAt - this.#startedAt);
    const ms = durationOf(startedAt, endedAt);
    return { action: place.action, path: place.path, status, start, ms };
  }
}

/** Milliseconds until the end, or until now. */
const durationOf = (startedAt: number, endedAt: number | null): number =>
  Math.round((endedAt ?? performance.now()) - startedAt);

function describe({ details, from }: Entry): Omit<TracedCall, keyof CallRecord> {
  const { reason, includes = [], isRepeated = false, joined = [] } = details;
  const { values, includes: needs, isEarly = false, ...why } = reason;
  const names = includes.map((name) => [name, [...(needs?.get(name) ?? [])]] as const);
  return {
    ...why,
    ...(values === undefined || values.size === 0 ? {} : { values: [...values] }),
    ...(from === null ? {} : { from }),
    ...(names.length === 0 ? {} : { includes: Object.fromEntries(names) }),
    ...(isEarly ? { early: true as const } : {}),
    ...(isRepeated ? { repeated: true as const } : {}),
    ...(joined.length === 0 ? {} : { joined: [...joined] }),
  };
}
