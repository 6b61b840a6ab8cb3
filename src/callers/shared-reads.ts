// Lets the operations of one credential share the calls of equal reads.
import { type CallSavings, DEFAULT_CALL_SAVINGS } from '../loaders/calls/call-savings.ts';
import { isOutcomeUnknown, UpstreamBudgetError } from '../loaders/errors.ts';
import { type Abortable, untilAborted } from '../upstream/abortable.ts';
import { ActionFailedError } from '../upstream/errors.ts';
import type { ActionCall, ActionResult, CallOptions } from '../upstream/http/action-client.ts';
import { ByteMeter, type CallMeter, endWith, IGNORED_END } from '../upstream/http/call-meter.ts';
import type { Caller } from '../upstream/http/caller.ts';
import { UpstreamBusyError } from './errors.ts';
import { type Answer, KeptAnswers } from './kept-answers.ts';

/** Sends a call that is counted by a meter. */
export type Send = (meter: CallMeter | undefined) => Promise<ActionResult>;

/** A read under way. */
interface Reading {
  readonly result: Promise<ActionResult>;
  /** Aborts when the operation that sent the call leaves, which ends the call. */
  readonly signal: Abortable | undefined;
  /** Has the size of the response. */
  readonly meter: Pick<ByteMeter, 'bytes'>;
}

/**
 * The reads of all callers, for one process. Equal reads under way of one credential share a call; answers are kept only where the
 * operator says for how long. A read shares nothing that began before a write of its credential ended, or before the end of
 * an action that such a write has started.
 */
export class SharedReads {
  /** Whether reads join an equal read under way. */
  readonly #joinsReads: boolean;
  readonly #kept: KeptAnswers;
  /** By the caller's key and the call's. A caller whose reads are dropped gets a new map. */
  readonly #underWay = new Map<string, Map<string, Reading>>();

  constructor({ sharedReads, keptAnswers }: CallSavings = DEFAULT_CALL_SAVINGS) {
    this.#joinsReads = sharedReads;
    this.#kept = new KeptAnswers(keptAnswers);
  }

  /** Returns the kept answer of an equal read, joins one under way, or sends the call. */
  read(call: ActionCall, caller: Caller, options: CallOptions, send: Send): Promise<ActionResult> {
    const { signal, meter } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const key = keyOf(call, caller);
    const kept = this.#kept.get(caller.key, key);
    if (kept !== undefined) return answer(kept, meter);
    const joined = this.#joinsReads ? this.#underWay.get(caller.key)?.get(key) : undefined;
    if (joined === undefined) return this.#send(call, caller, key, options, send);
    const end = meter?.shared('OTHER_OPERATION') ?? IGNORED_END;
    return endWith(untilAborted(joined.result, signal), end).then(
      (result) => {
        meter?.received(joined.meter.bytes);
        return result;
      },
      (error: unknown) => {
        signal?.throwIfAborted();
        if (joined.signal?.aborted !== true && !isOfOneOperation(error)) throw error;
        return this.read(call, caller, options, send);
      },
    );
  }

  #send(
    call: ActionCall,
    { key: callerKey }: Caller,
    key: string,
    { signal, meter }: CallOptions,
    send: Send,
  ): Promise<ActionResult> {
    const byteMeter = new ByteMeter(meter);
    const reading: Reading = { result: send(byteMeter), signal, meter: byteMeter };
    const ofCaller = this.#underWay.get(callerKey) ?? new Map<string, Reading>();
    this.#underWay.set(callerKey, ofCaller.set(key, reading));
    /** Keeps others from joining the read. Returns whether they could join it until now: then no write has begun since. */
    const end = (): boolean => {
      const isCurrent = this.#underWay.get(callerKey)?.get(key) === reading;
      if (isCurrent) ofCaller.delete(key);
      if (isCurrent && ofCaller.size === 0) this.#underWay.delete(callerKey);
      return isCurrent;
    };
    return reading.result.then(
      (result) => {
        if (end()) this.#kept.keep(callerKey, key, call, { result, bytes: byteMeter.bytes });
        return result;
      },
      (error: unknown) => {
        end();
        if (error instanceof ActionFailedError && error.status === 401) this.#kept.drop(callerKey);
        throw error;
      },
    );
  }

  /** Sends a write. Reads of the caller that begin later share nothing with those that began before the write ended. */
  async write({ key }: Caller, send: () => Promise<ActionResult>): Promise<ActionResult> {
    this.drop(key);
    try {
      const result = await send();
      const id = actionIdOf(result.meta['action_state_id']);
      // A blocking action without an id of its state has ended.
      if (id !== null) this.#kept.pause(key, id);
      return result;
    } catch (error) {
      if (isOutcomeUnknown(error)) this.#kept.pause(key, null);
      throw error;
    } finally {
      this.drop(key);
    }
  }

  /** Records that an action of a caller has ended, so that what it has changed is read again. */
  endAction(caller: string, id: string): void {
    this.#kept.resume(caller, id);
    this.drop(caller);
  }

  /** Drops the answers of a caller, and keeps later reads from sharing a call under way. */
  drop(caller: string): void {
    this.#underWay.delete(caller);
    this.#kept.drop(caller);
  }
}

/** Answers a read by a kept answer. */
async function answer({ result, bytes }: Answer, meter: CallMeter | undefined): Promise<ActionResult> {
  meter?.shared('CACHE')(result.status);
  meter?.received(bytes);
  return result;
}

function keyOf({ action, path, input, meta }: ActionCall, caller: Caller): string {
  return JSON.stringify([caller.answerKey, action.method, action.path.text, action.scope, path, input, meta]);
}

/** Whether an error says only that the operation that sent the call has reached a limit. */
const isOfOneOperation = (error: unknown): boolean =>
  error instanceof UpstreamBudgetError || error instanceof UpstreamBusyError;

const actionIdOf = (id: unknown): string | null =>
  typeof id === 'number' || typeof id === 'string' ? String(id) : null;
