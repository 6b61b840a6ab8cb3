// Records the upstream calls that serve one operation, with their times and reasons, and limits them.
import type { CallMeter, CallPlace, CountedCall } from '../upstream/http/call-meter.ts';
import { includesIn } from './additions.ts';
import { UpstreamBudgetError } from './errors.ts';

/** What operations may use of the upstream: each of them, unless it says otherwise. */
export interface UpstreamLimits {
  /** Calls for a caller with a credential; default 200. */
  readonly calls: number;
  /** Calls for an anonymous caller; default 100. */
  readonly anonymousCalls: number;
  /** Bytes of all responses; default 64 MiB. */
  readonly responseBytes: number;
  /** Bytes of the answers that a process receives at a time; default 128 MiB. From half of them on, no call begins. */
  readonly responseMemory: number;
}

/** The limits without configuration. */
export const DEFAULT_UPSTREAM_LIMITS: UpstreamLimits = Object.freeze({
  calls: 200,
  anonymousCalls: 100,
  responseBytes: 64 * 1024 * 1024,
  responseMemory: 128 * 1024 * 1024,
});

/** What a call is for. */
type CallPurpose =
  /** A page of a list. */
  | 'PAGE'
  /** An object that is asked for by its id. */
  | 'OBJECT'
  /** Selected values, some of which a row or an association lacks. */
  | 'VALUES'
  /** The value of the field itself. */
  | 'READ'
  /** The write of the field. */
  | 'WRITE'
  /** The running action that is waited for. */
  | 'ACTION_STATE'
  /** Whether the action exists whose cancellation was refused. */
  | 'REFUSED_CANCEL';

/** Why a call is made. It holds names and numbers of the description and the schema, never a value. */
export interface CallReason {
  readonly reason: CallPurpose;
  /** Coordinates of the fields that need it, e.g. `Query.books`. */
  readonly fields: readonly string[];
  /** Selected output parameters. */
  readonly values?: ReadonlySet<string>;
  /** Selected output parameters of associations, by the includes that supply them. */
  readonly includes?: IncludeNeeds;
}

/** Output parameters that a selection needs of associations, by their includes, e.g. `author__city`. */
export type IncludeNeeds = ReadonlyMap<string, ReadonlySet<string>>;

/** One upstream call for the client's view of the cost. It holds names and numbers only. */
interface CallRecord extends CallPlace {
  /** HTTP status; null when no response arrived. */
  readonly status: number | null;
  /** Milliseconds from the start of the operation to the sending. */
  readonly start: number;
  /** Milliseconds from sending to the end of the response, or until now while the call is running. */
  readonly ms: number;
}

/** A call with the reason for it, or a read that needed no call of its own. */
export interface TracedCall extends CallRecord, Omit<CallReason, 'values' | 'includes'> {
  readonly values?: readonly string[];
  /** Where the answer came from if the operation did not make the call. */
  readonly from?: 'OTHER_OPERATION';
  /** The requested associations, each with the selected output parameters that it supplies. */
  readonly includes?: Readonly<Record<string, readonly string[]>>;
  /** Whether the call repeats one that failed with its includes. */
  readonly repeated?: true;
  /** Coordinates of further fields that share the call. */
  readonly joined?: readonly string[];
}

/** What one call is recorded with. */
export interface CallDetails {
  readonly reason: CallReason;
  /** The requested associations, with commas between them; undefined for none. */
  readonly includes?: unknown;
  readonly isRepeated?: boolean;
  /** Coordinates of further fields that share the read. It grows while the read is under way. */
  readonly joined?: readonly string[];
}

/** A call of an operation, or a read that shares the call of another operation. */
class Entry implements CountedCall {
  readonly place: CallPlace;
  readonly details: CallDetails;
  readonly isShared: boolean;
  readonly startedAt = performance.now();
  endedAt: number | null = null;
  status: number | null = null;

  constructor(place: CallPlace, details: CallDetails, isShared: boolean) {
    this.place = place;
    this.details = details;
    this.isShared = isShared;
  }

  /** Milliseconds; until now for a call that is running. */
  get ms(): number {
    return Math.round((this.endedAt ?? performance.now()) - this.startedAt);
  }

  end(status: number | null): void {
    this.status = status;
    this.endedAt = performance.now();
  }
}

/** The upstream calls that serve one operation, and its budget of them. */
export class OperationCost implements CallMeter {
  /** Number of reads that shared a call of this operation or of another one. */
  coalesced = 0;
  readonly #maxCalls: number;
  readonly #maxBytes: number;
  #reserved = 0;
  #bytes = 0;
  #startedAt = performance.now();
  /** The calls in sending order, and the reads that shared a call of another operation. */
  #entries: Entry[] = [];

  constructor({ calls, anonymousCalls, responseBytes }: UpstreamLimits, isAnonymous: boolean) {
    this.#maxCalls = isAnonymous ? anonymousCalls : calls;
    this.#maxBytes = responseBytes;
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

  /** Starts again, for the next event of a subscription. */
  renew(): void {
    this.#reserved = 0;
    this.#bytes = 0;
    this.coalesced = 0;
    this.#startedAt = performance.now();
    this.#entries = [];
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
    return this.#entries.map((entry) => ({ ...this.#measure(entry), ...describe(entry) }));
  }

  /** The calls that were sent for the operation, in sending order. */
  get calls(): readonly CallRecord[] {
    return this.#entries.filter(({ isShared }) => !isShared).map((entry) => this.#measure(entry));
  }

  /** Number of the calls that were sent for the operation, and the sum of their milliseconds. */
  get sum(): { readonly calls: number; readonly ms: number } {
    let calls = 0;
    let ms = 0;
    for (const entry of this.#entries) {
      if (entry.isShared) continue;
      calls += 1;
      ms += entry.ms;
    }
    return { calls, ms };
  }

  /** Counts a poll of a running action that the operation waits for. */
  sent(place: CallPlace): CountedCall {
    return record(this.#entries, new Entry(place, { reason: { reason: 'ACTION_STATE', fields: [] } }, false));
  }

  shared(): undefined {
    this.coalesced += 1;
  }

  /** Makes a meter for the call of one read or write. @param onSent Called when the call is sent. */
  meterFor(place: CallPlace, details: CallDetails, onSent?: () => void): CallMeter {
    // A call that outlasts the event of a subscription for which it was made is no call of the next one.
    const entries = this.#entries;
    return {
      sent: (sentTo) => {
        onSent?.();
        return record(entries, new Entry(sentTo, details, false));
      },
      shared: () => {
        this.shared();
        return record(entries, new Entry(place, details, true));
      },
      received: (bytes) => this.received(bytes),
    };
  }

  #measure({ place, status, startedAt, ms }: Entry): CallRecord {
    return {
      action: place.action,
      path: place.path,
      status,
      start: Math.round(startedAt - this.#startedAt),
      ms,
    };
  }
}

/** Adds a call that begins. */
function record(entries: Entry[], entry: Entry): Entry {
  entries.push(entry);
  return entry;
}

function describe({ details, isShared }: Entry): Omit<TracedCall, keyof CallRecord> {
  const { reason, includes, isRepeated = false, joined = [] } = details;
  const { values, includes: needs, ...why } = reason;
  const names = includesIn(includes).map((name) => [name, [...(needs?.get(name) ?? [])]] as const);
  return {
    ...why,
    ...(values === undefined || values.size === 0 ? {} : { values: [...values] }),
    ...(isShared ? { from: 'OTHER_OPERATION' as const } : {}),
    ...(names.length === 0 ? {} : { includes: Object.fromEntries(names) }),
    ...(isRepeated ? { repeated: true as const } : {}),
    ...(joined.length === 0 ? {} : { joined: [...joined] }),
  };
}
