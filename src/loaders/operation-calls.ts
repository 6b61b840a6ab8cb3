// Makes the calls of one operation: its reads, each once, and its writes.
import type { Batch, CallCause, ObservedOperation } from '../observer.ts';
import type { EarlyEnd } from '../upstream/abortable.ts';
import type { OptiongraphError } from '../upstream/errors.ts';
import type { ActionCall, ActionClient, ActionResult, CallOptions } from '../upstream/http/action-client.ts';
import type { CallMeter, CallPlace } from '../upstream/http/call-meter.ts';
import type { Caller } from '../upstream/http/caller.ts';
import type { ReadResult } from './additions.ts';
import { isOutcomeUnknown, OutcomeUnknownError } from './errors.ts';
import type { CallDetails, CallReason, OperationCost } from './operation-cost.ts';
import type { SharedState } from './shared-state.ts';
import { describeFailure, type WriteEnd, type WriteGuard, type WriteSubject } from './write-guard.ts';

/** Reads of one operation that are under way at once, as many as there are connections by default; further ones wait. */
const MAX_READS = 64;

/** What the calls of an operation are made with. */
interface CallSource {
  readonly client: ActionClient;
  readonly caller: Caller;
  readonly shared: SharedState;
  readonly cost: OperationCost;
  /** Its reasons are the errors of writes that have not begun, and of reads. */
  readonly end: EarlyEnd;
  /** The operation for which its calls are reported. */
  readonly cause: ObservedOperation | null;
  /** Called after each write, whose effects earlier reads may lack. */
  readonly onWritten: () => void;
}

/** One write. */
interface Write<R> {
  /** The action that it calls. */
  readonly place: CallPlace;
  /** Coordinates of the fields that need it. */
  readonly fields: readonly string[];
  /** Names of the input parameters. */
  readonly inputs: readonly string[];
  /** What the field says of it; null where no field of the facade writes. */
  readonly subject: WriteSubject | null;
  readonly send: (meter: CallMeter) => Promise<R>;
  readonly idsIn?: (result: R) => Pick<WriteEnd, 'resultId' | 'actionId'>;
}

/** Calls a reading action. Equal calls of one operation are sent upstream once. */
export type Read = (call: ActionCall) => Promise<ReadResult>;

/**
 * The same with the reason for each call.
 * @param batch The batch that needs the call, for telemetry; default: the operation needs it.
 */
export type ReasonedRead = (call: ActionCall, reason: CallReason, batch?: Batch) => Promise<ReadResult>;

/** Options for a request to another service, such as the snippet service. */
export type Sending = Pick<CallOptions, 'signal' | 'meter' | 'cause'>;

/** A read that an operation has made. */
interface MadeRead {
  readonly result: Promise<ReadResult>;
  /** Coordinates of further fields that share it. */
  readonly joined: string[];
}

/** The calls of one operation. */
export class OperationCalls {
  /** Whether a write was sent. Its result cannot be requested again. */
  hasWritten = false;
  readonly #source: CallSource;
  readonly #reads = new Map<string, MadeRead>();
  #underWay = 0;
  /** Functions that start the reads that wait. */
  readonly #waiting: (() => void)[] = [];
  /** The guards of the writes, in the order in which they are asked. */
  readonly #guards: WriteGuard[] = [];

  constructor(source: CallSource) {
    this.#source = source;
  }

  /** Reads; equal reads share a call. */
  readonly read: ReasonedRead = (requested, reason, batch) => {
    const { shared, caller, cost } = this.#source;
    const call = hasAdditions(requested) ? shared.additions.withoutFailing(requested, caller.key) : requested;
    const key = JSON.stringify([call.action.scope, call.path, call.input, call.meta]);
    let made = this.#reads.get(key);
    if (made === undefined) {
      const joined: string[] = [];
      made = { result: this.#run(() => this.#send(call, reason, joined, batch)), joined };
      this.#reads.set(key, made);
    } else {
      cost.shared();
      made.joined.push(...reason.fields);
    }
    if (call.meta['includes'] === requested.meta['includes']) return made.result;
    return made.result.then((result) => ({ ...result, lacksIncludes: true }));
  };

  /** Drops all reads, so that equal ones are made again. */
  clear(): void {
    this.#reads.clear();
  }

  /** Adds a guard of the writes, which is asked after those before. */
  addGuard(guard: WriteGuard): void {
    this.#guards.push(guard);
  }

  /**
   * Calls a writing action, unless the operation has ended. A call under way is neither coalesced nor aborted.
   * @param subject What the field says of it; null where a resolver of the library's user writes.
   * @throws OutcomeUnknownError when the request was sent but no response shows whether it was carried out.
   */
  write(call: ActionCall, subject: WriteSubject | null): Promise<ActionResult> {
    const { client, cause, end } = this.#source;
    const { scope: action, path } = call.action;
    return this.#write({
      place: { action, path: path.text },
      fields: [subject?.coordinate ?? 'Mutation'],
      inputs: Object.keys(call.input),
      subject,
      send: (meter) => client.call(call, { kind: 'write', signal: end.closing, cause, meter }),
      idsIn: (result) => ({ resultId: subject?.resultId(result) ?? null, actionId: actionIdOf(result) }),
    });
  }

  /** Makes a counted reading call of another service, within the limit of concurrent calls. */
  runRead<R extends { readonly status: number }>(
    place: CallPlace,
    send: (sending: Sending) => Promise<R>,
  ): Promise<R> {
    const { cost, cause, end } = this.#source;
    return this.#run(() => {
      cost.reserve(place.action);
      const meter = cost.meterFor(place, { reason: { reason: 'READ', fields: [] } });
      return send({ signal: end.aborted, cause, meter });
    });
  }

  /** Makes a writing call of another service. @throws OutcomeUnknownError as `write` does. */
  runWrite<R extends { readonly status: number }>(
    place: CallPlace,
    send: (sending: Sending) => Promise<R>,
  ): Promise<R> {
    const { cause } = this.#source;
    return this.#write({
      place,
      fields: [],
      inputs: [],
      subject: null,
      send: (meter) => send({ cause, meter }),
    });
  }

  /** Sends a read, and repeats it without its additions where it fails with them. */
  #send(
    call: ActionCall,
    reason: CallReason,
    joined: readonly string[],
    batch: Batch | undefined,
  ): Promise<ReadResult> {
    const { shared, caller } = this.#source;
    if (!hasAdditions(call)) return this.#call(call, { reason, joined }, batch);
    let isRepeated = false;
    return shared.additions.read(call, caller.key, (sent) => {
      const details = { isRepeated, includes: sent.meta['includes'], reason, joined };
      isRepeated = true;
      return this.#call(sent, details, batch);
    });
  }

  #call(call: ActionCall, details: CallDetails, batch: CallCause | undefined): Promise<ActionResult> {
    const { client, cost, end, cause } = this.#source;
    const { scope: action, path } = call.action;
    cost.reserve(action);
    const meter = cost.meterFor({ action, path: path.text }, details);
    return client.call(call, { kind: 'read', signal: end.aborted, meter, cause: batch ?? cause });
  }

  /** Makes a read when fewer than the maximum are under way. Rejects with the reason when the operation has ended. */
  #run<T>(read: () => Promise<T>): Promise<T> {
    if (this.#underWay === MAX_READS)
      return new Promise<void>((start) => this.#waiting.push(start)).then(() => this.#start(read));
    this.#underWay += 1;
    return this.#start(read);
  }

  #start<T>(read: () => Promise<T>): Promise<T> {
    const { aborted } = this.#source.end;
    const fail = (error: unknown): never => {
      this.#leave();
      // An aborted request fails in several ways, and its error does not contain the reason.
      aborted.throwIfAborted();
      throw error;
    };
    try {
      aborted.throwIfAborted();
      return read().then((result) => {
        this.#leave();
        return result;
      }, fail);
    } catch (error) {
      return Promise.reject(error).catch(fail);
    }
  }

  /** Gives the place of a read to the next one. */
  #leave(): void {
    const start = this.#waiting.shift();
    if (start === undefined) this.#underWay -= 1;
    else start();
  }

  /** Asks the guards before a write is sent, and informs them of the end. The shutdown waits for what they record, too. */
  async #write<R extends { readonly status: number }>(write: Write<R>): Promise<R> {
    const { end, cost, shared, onWritten } = this.#source;
    const { place, fields, inputs, subject, send, idsIn } = write;
    const ends: ((end: WriteEnd) => void)[] = [];
    const inform = (ended: WriteEnd): void => {
      for (const inform of ends) inform(ended);
    };
    let wasSent = false;
    end.closing.throwIfAborted();
    const leave = shared.shutdown.writes.enter();
    try {
      for (const guard of this.#guards) {
        const { coordinate: field = null } = subject ?? {};
        const target = subject?.target() ?? null;
        ends.push(await guard.begin({ action: place.action, field, target, inputs }));
      }
      // The operation may have ended while the guards were asked.
      end.closing.throwIfAborted();
      cost.reserve(place.action);
      const meter = cost.meterFor(place, { reason: { reason: 'WRITE', fields } }, () => {
        wasSent = true;
        this.hasWritten = true;
      });
      const result = await send(meter);
      const ids = ends.length === 0 ? undefined : idsIn?.(result);
      inform({ outcome: 'done', status: result.status, failure: null, ...(ids ?? NO_IDS) });
      return result;
    } catch (failure) {
      const error = wasSent && isOutcomeUnknown(failure) ? outcomeUnknown(place, failure) : failure;
      if (ends.length > 0)
        inform(describeFailure(error, (await subject?.failureOf(error)) ?? error, wasSent));
      throw error;
    } finally {
      leave();
      onWritten();
    }
  }
}

const NO_IDS = { resultId: null, actionId: null };

const outcomeUnknown = ({ action }: CallPlace, { code, status }: OptiongraphError): OutcomeUnknownError =>
  new OutcomeUnknownError(
    'The call was sent, but no response shows whether it was carried out; check before you repeat it.',
    { action, status },
    { cause: code },
  );

/** Whether the facade has added something to a call without which it may succeed. */
const hasAdditions = ({ meta }: ActionCall): boolean =>
  meta['includes'] !== undefined || meta['count'] !== undefined;

/** The id of the action that a write has started; null for none, or where it is not known. */
export function actionIdOf({ meta }: Pick<ActionResult, 'meta'>): string | null {
  const id = meta['action_state_id'];
  return typeof id === 'number' || typeof id === 'string' ? String(id) : null;
}
