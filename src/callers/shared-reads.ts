// Lets the operations of one credential share the calls of equal reads, and keeps answers where the operator says so.
import { LRUCache } from 'lru-cache';
import { CallerCache } from '../loaders/caller-cache.ts';
import { isOutcomeUnknown, UpstreamBudgetError } from '../loaders/errors.ts';
import { type CallSavings, DEFAULT_CALL_SAVINGS } from '../loaders/shared-state.ts';
import { type Abortable, untilAborted } from '../upstream/abortable.ts';
import { atMost, expireAfter } from '../upstream/cache-bounds.ts';
import { ActionFailedError } from '../upstream/errors.ts';
import type { ActionCall, ActionResult, CallOptions } from '../upstream/http/action-client.ts';
import { ByteMeter, type CallMeter, endWith, IGNORED_END } from '../upstream/http/call-meter.ts';
import type { Caller } from '../upstream/http/caller.ts';
import { UpstreamBusyError } from './errors.ts';

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

/** The answer of a read and the size of its response. */
interface Answer {
  readonly result: ActionResult;
  readonly bytes: number;
}

/** Maximum size of all kept responses, and bytes that an answer takes besides its response. */
const MAX_BYTES = 64 * 1024 * 1024;
const OVERHEAD = 500;

/** Number of callers whose running actions are remembered. */
const MAX_CALLERS = 10_000;
/** Time after which an action whose end nobody saw no longer stops answers from being kept, in milliseconds. */
const LONGEST_ACTION = 3_600_000;
/** Stands for the action that a write with an unknown outcome may have started. */
const UNKNOWN_ACTION = '';

/**
 * Answers of reads, by caller. While an action may be running that a caller's write has started, none of the caller's answers are
 * kept: the objects change at a time that only a watcher of the action sees.
 */
class KeptAnswers {
  readonly #ttls: ReadonlyMap<string, number>;
  readonly #answers = new CallerCache<Answer>({
    maxSize: MAX_BYTES,
    sizeOf: ({ bytes }) => bytes + OVERHEAD,
  });
  readonly #running = new LRUCache<string, Set<string>>({
    ...atMost(MAX_CALLERS),
    ...expireAfter(LONGEST_ACTION),
  });

  /** @param ttls Milliseconds by dotted resource path. Answers of other resources are not kept. */
  constructor(ttls: ReadonlyMap<string, number>) {
    this.#ttls = ttls;
  }

  /** @param key Identifies the call, and all that changes its answer besides the caller. */
  get(caller: string, key: string): Answer | undefined {
    return this.#ttls.size === 0 ? undefined : this.#answers.get(caller, key);
  }

  keep(caller: string, key: string, { action }: ActionCall, answer: Answer): void {
    const ttl = this.#ttls.get(action.resource.join('.'));
    if (ttl !== undefined && !this.#running.has(caller)) this.#answers.set(caller, key, answer, ttl);
  }

  /** Drops the answers of a caller. */
  drop(caller: string): void {
    this.#answers.drop(caller);
  }

  /** Keeps nothing for a caller until an action ends that a write has started. @param id Null where it is unknown. */
  pause(caller: string, id: string | null): void {
    if (this.#ttls.size === 0) return;
    const running = this.#running.get(caller) ?? new Set<string>();
    this.#running.set(caller, running.add(id ?? UNKNOWN_ACTION));
  }

  /** Keeps answers again when no other action of the caller may be running. */
  resume(caller: string, id: string): void {
    const running = this.#running.get(caller);
    running?.delete(id);
    if (running?.size === 0) this.#running.delete(caller);
  }
}
