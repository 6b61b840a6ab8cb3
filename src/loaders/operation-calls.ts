// Makes the calls of one operation: its reads, each once, and its writes.
import type { Batch, CallCause, ObservedOperation } from '../observer.ts';
import type { Abortable } from '../upstream/abortable.ts';
import type { OptiongraphError } from '../upstream/errors.ts';
import type { ActionCall, ActionClient, ActionResult } from '../upstream/http/action-client.ts';
import { type CallMeter, type CallPlace, sendMetered } from '../upstream/http/call-meter.ts';
import type { Caller } from '../upstream/http/caller.ts';
import type { ReadResult } from './additions.ts';
import { isOutcomeUnknown, OutcomeUnknownError } from './errors.ts';
import type { CallDetails, CallReason, OperationCost } from './operation-cost.ts';
import type { SharedState } from './shared-state.ts';
import {
  describeFailure,
  type GuardedWrite,
  type WriteEnd,
  type WriteGuard,
  type WriteSubject,
} from './write-guard.ts';

/** Reads of one operation that are under way at once, as many as there are connections by default; further ones wait. */
const MAX_READS = 64;

/** What the calls of an operation are made with. */
export interface CallSource {
  readonly client: ActionClient;
  readonly caller: Caller;
  readonly shared: SharedState;
  readonly cost: OperationCost;
  /** Aborts when no write may begin. Its reason is the error for writes that have not begun. */
  readonly closing: Abortable;
  /** Aborts reads. Its reason is the error for them. */
  readonly aborted: Abortable;
  /** The operation for which its calls are reported. */
  readonly cause: ObservedOperation | null;
  /** Finds the guard of the writes; null for none. */
  readonly guard: () => WriteGuard | null;
  /** Called after each write, whose effects earlier reads may lack. */
  readonly onWritten: () => void;
}

/** One write. */
interface Write<R> {
  /** The action that it calls. */
  readonly place: CallPlace;
  /** Coordinates of the fields that need it. */
  readonly fields: readonly string[];
  readonly send: (meter: CallMeter) => Promise<R>;
  /** Describes the write for its guard, and its result. */
  readonly describe: () => GuardedWrite;
  readonly idsIn: (result: R) => Pick<WriteEnd, 'resultId' | 'actionId'>;
  /** Default: the client gets the error. */
  readonly failureOf?: WriteSubject['failureOf'] | undefined;
}

/** Calls a reading action. Equal calls of one operation are sent upstream once. */
export type Read = (call: ActionCall) => Promise<ReadResult>;

/**
 * The same with the reason for each call.
 * @param batch The batch that needs the call, for telemetry; default: the operation needs it.
 */
export type ReasonedRead = (call: ActionCall, reason: CallReason, batch?: Batch) => Promise<ReadResult>;

/** Options for a request to another service, such as the snippet service. */
interface Sending {
  /** Aborts the request. */
  readonly signal?: Abortable | undefined;
  /** The operation that needs the request, for telemetry. */
  readonly cause: ObservedOperation | null;
  /** Must be called when the request is sent. */
  readonly onSent: () => void;
}

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
      made = this.#begin(call, reason, batch);
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

  /**
   * Calls a writing action, unless the operation has ended. A call under way is neither coalesced nor aborted.
   * @param subject What the field says of it; null where a resolver of the library's user writes.
   * @throws OutcomeUnknownError when the request was sent but no response shows whether it was carried out.
   */
  write(call: ActionCall, subject: WriteSubject | null): Promise<ActionResult> {
    const { client, cause, closing } = this.#source;
    const { scope: action, path } = call.action;
    const field = subject?.coordinate ?? null;
    return this.#write({
      place: { action, path: path.text },
      fields: [field ?? 'Mutation'],
      send: (meter) => client.call(call, { isWrite: true, startSignal: closing, cause, meter }),
      describe: () => ({
        action,
        field,
        target: subject?.target() ?? null,
        inputs: Object.keys(call.input),
      }),
      idsIn: (result) => ({ resultId: subject?.resultId(result) ?? null, actionId: actionIdOf(result) }),
      failureOf: subject?.failureOf,
    });
  }

  /** Makes a counted reading call of another service, within the limit of concurrent calls. */
  runRead<R extends { readonly status: number }>(
    place: CallPlace,
    send: (sending: Sending) => Promise<R>,
  ): Promise<R> {
    const { cost, cause, aborted: signal } = this.#source;
    return this.#run(() => {
      cost.reserve(place.action);
      const meter = cost.meterFor(place, { reason: { reason: 'READ', fields: [] } });
      return sendMetered(meter, place, (onSent) => send({ signal, cause, onSent }));
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
      send: (meter) => sendMetered(meter, place, (onSent) => send({ cause, onSent })),
      describe: () => ({ action: place.action, field: null, target: null, inputs: [] }),
      idsIn: () => ({ resultId: null, actionId: null }),
    });
  }

  #begin(call: ActionCall, reason: CallReason, batch: Batch | undefined): MadeRead {
    const { shared, caller, cause } = this.#source;
    const joined: string[] = [];
    let isRepeated = false;
    const send = (sent: ActionCall): Promise<ActionResult> => {
      const details = { isRepeated, includes: sent.meta['includes'], reason, joined };
      isRepeated = true;
      return this.#send(sent, details, batch ?? cause);
    };
    const result = this.#run(() =>
      hasAdditions(call) ? shared.additions.read(call, caller.key, send) : send(call),
    );
    return { result, joined };
  }

  #send(call: ActionCall, details: CallDetails, cause: CallCause | null): Promise<ActionResult> {
    const { client, cost, aborted: signal } = this.#source;
    const { scope: action, path } = call.action;
    cost.reserve(action);
    const meter = cost.meterFor({ action, path: path.text }, details);
    return client.call(call, { isRead: true, signal, meter, cause });
  }

  /** Makes a read when fewer than the maximum are under way. Rejects with the reason when the operation has ended. */
  async #run<T>(read: () => Promise<T>): Promise<T> {
    const { aborted } = this.#source;
    if (this.#underWay === MAX_READS) await new Promise<void>((start) => this.#waiting.push(start));
    else this.#underWay += 1;
    try {
      aborted.throwIfAborted();
      return await read();
    } catch (error) {
      // An aborted request fails in several ways, and its error does not contain the reason.
      aborted.throwIfAborted();
      throw error;
    } finally {
      // The place of this read goes to the next one.
      const start = this.#waiting.shift();
      if (start === undefined) this.#underWay -= 1;
      else start();
    }
  }

  /** Asks the guard before a write is sent, and informs it of the end. The shutdown waits for what the guard records, too. */
  async #write<R extends { readonly status: number }>(write: Write<R>): Promise<R> {
    const { closing, cost, shared, onWritten, guard } = this.#source;
    const { place, fields, send, failureOf } = write;
    let leave: (() => void) | undefined;
    try {
      closing.throwIfAborted();
      leave = shared.shutdown.writes.enter();
      const end = await guard()?.begin(write.describe());
      let wasSent = false;
      try {
        // The operation may have ended while the guard was asked.
        closing.throwIfAborted();
        cost.reserve(place.action);
        const meter = cost.meterFor(place, { reason: { reason: 'WRITE', fields } }, () => {
          wasSent = true;
          this.hasWritten = true;
        });
        const result = await send(meter);
        end?.({ outcome: 'done', status: result.status, failure: null, ...write.idsIn(result) });
        return result;
      } catch (failure) {
        const error = wasSent && isOutcomeUnknown(failure) ? outcomeUnknown(place, failure) : failure;
        end?.(describeFailure(error, (await failureOf?.(error)) ?? error, wasSent));
        throw error;
      }
    } finally {
      leave?.();
      onWritten();
    }
  }
}

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
