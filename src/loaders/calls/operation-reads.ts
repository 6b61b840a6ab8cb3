// Makes the reads of one operation, each once.
import type { Batch, CallCause, ObservedOperation } from '../../telemetry/observer.ts';
import type { ActionCall, ActionClient, ActionResult } from '../../upstream/http/action-client.ts';
import type { Caller } from '../../upstream/http/caller.ts';
import type { EarlyEnd } from '../early-end.ts';
import type { OperationCost } from '../operation-cost.ts';
import type { ReasonedRead } from '../read.ts';
import { includesOf, type ReadResult, type UnavailableIncludes } from '../unavailable-includes.ts';
import type { CallReason } from './call-reason.ts';
import { CallSlots } from './call-slots.ts';
import type { CallDetails } from './call-trace.ts';

/** What the reads of an operation are made with. */
export interface ReadSource {
  readonly client: ActionClient;
  readonly caller: Caller;
  readonly includes: UnavailableIncludes;
  readonly cost: OperationCost;
  readonly end: EarlyEnd;
  /** What its calls are reported for. */
  readonly cause: ObservedOperation | null;
}

/** A read of the operation. */
interface Reading {
  readonly result: Promise<ReadResult>;
  /** Coordinates of further fields that share it. */
  readonly joined: string[];
  /** Whether no field has asked for it yet, because it was begun early. */
  isUnclaimed: boolean;
}

/** A read was not made that may have been in vain, because the operation has made half of its calls. */
export class SkippedReadError extends Error {}

/** The reads of one operation. Equal reads share a call. */
export class OperationReads {
  readonly #source: ReadSource;
  /** Its calls under way. */
  readonly slots: CallSlots;
  readonly #readings = new Map<string, Reading>();

  constructor(source: ReadSource) {
    this.#source = source;
    this.slots = new CallSlots(source.end.aborted);
  }

  /** Reads. Rejects with SkippedReadError when the read may be in vain, and no field has asked for it yet. */
  readonly read: ReasonedRead = (requested, reason, batch) => {
    const { includes, caller, cost } = this.#source;
    const call = includes.withoutFailing(requested, caller.key);
    const reading = this.#begin(call, reason, batch);
    if (!mayBeInVain(reason)) {
      if (!reading.isUnclaimed) {
        cost.shared();
        reading.joined.push(...reason.fields);
      }
      reading.isUnclaimed = false;
    }
    if (call === requested) return reading.result;
    return reading.result.then((result) => ({ ...result, lacksIncludes: true }));
  };

  /** Drops all reads, so that equal ones are made again. */
  clear(): void {
    this.#readings.clear();
  }

  /** Returns the reading of an equal call, or begins one. */
  #begin(call: ActionCall, reason: CallReason, batch: Batch | undefined): Reading {
    const key = JSON.stringify([call.action.scope, call.path, call.input, call.meta]);
    const known = this.#readings.get(key);
    if (known !== undefined) return known;
    const joined: string[] = [];
    const details = { reason, joined };
    const send = (): Promise<ReadResult> => this.#send(call, details, batch ?? this.#source.cause);
    const sendIfClaimed = async (): Promise<ReadResult> => {
      // Another field of the same turn may ask for it.
      await Promise.resolve();
      if (reading.isUnclaimed && !this.#source.cost.isAmple) {
        if (this.#readings.get(key) === reading) this.#readings.delete(key);
        throw new SkippedReadError();
      }
      return await send();
    };
    const result = this.slots.run(mayBeInVain(reason) ? sendIfClaimed : send);
    const reading = { result, joined, isUnclaimed: true };
    this.#readings.set(key, reading);
    return reading;
  }

  #send(
    call: ActionCall,
    details: Pick<CallDetails, 'reason' | 'joined'>,
    cause: CallCause | null,
  ): Promise<ReadResult> {
    const { includes, caller } = this.#source;
    let isRepeated = false;
    return includes.read(call, caller.key, (sent) => {
      const sentDetails = { isRepeated, includes: includesOf(sent), ...details };
      isRepeated = true;
      return this.#call(sent, sentDetails, cause);
    });
  }

  #call(call: ActionCall, details: CallDetails, cause: CallCause | null): Promise<ActionResult> {
    const { client, cost, end } = this.#source;
    const { scope: action, path } = call.action;
    cost.reserve(action);
    const meter = cost.meterFor({ action, path: path.text }, details);
    const onWait = this.slots.beginWait;
    return client.call(call, { isRead: true, signal: end.aborted, meter, cause, onWait });
  }
}

/** Whether a read may turn out to be of no use. */
const mayBeInVain = ({ reason, isEarly = false }: CallReason): boolean => isEarly || reason === 'ID_WINDOW';
