// Lets the operations of one credential share the calls of equal reads, and keeps answers where the operator says so.
import { CallerCache } from '../../loaders/caller-cache.ts';
import { isOutcomeUnknown, UpstreamBudgetError } from '../../loaders/errors.ts';
import type { CallSavings } from '../../loaders/shared-state.ts';
import { UpstreamBusyError } from '../../scheduling/errors.ts';
import type { Replicas } from '../../sharing/replicas.ts';
import { type Abortable, untilAborted } from '../../upstream/abortable.ts';
import { ActionFailedError, AnswerMemoryError } from '../../upstream/errors.ts';
import type { ActionCall, ActionResult, CallOptions } from '../../upstream/http/action-client.ts';
import type { AnswerRoom } from '../../upstream/http/answer-room.ts';
import {
  ByteMeter,
  type CallEnd,
  type CallMeter,
  type CallPlace,
  endWith,
  IGNORED_END,
} from '../../upstream/http/call-meter.ts';
import type { Caller } from '../../upstream/http/caller.ts';
import { RunningActions } from './running-actions.ts';
import { shareWrites, type WriteEvent, type Writer } from './shared-writes.ts';

/** Sends a call that is counted by a meter. */
export type Send = (meter: CallMeter | undefined) => Promise<ActionResult>;

/** Maximum size of all kept responses, and bytes that an answer takes besides its response. */
const MAX_BYTES = 64 * 1024 * 1024;
const OVERHEAD = 500;

/** The kept answer of a read, and the size of its response. */
interface Answer {
  readonly result: ActionResult;
  readonly bytes: number;
}

/** A read under way. */
interface Reading {
  readonly result: Promise<ActionResult>;
  /** Aborts when the operation that sent the call leaves, which ends the call. */
  readonly signal: Abortable | undefined;
  readonly meter: ReadingMeter;
  /** Holds the answer. */
  readonly room: AnswerRoom | undefined;
}

/** One read of an operation. */
interface Reader {
  readonly call: ActionCall;
  readonly caller: Caller;
  readonly options: CallOptions;
  readonly send: Send;
  /** Identifies the call, and all that changes its answer besides the caller's credential. */
  readonly key: string;
}

/**
 * The reads of all callers, for one process. Equal reads under way of one credential share a call; answers are kept only where the
 * operator says for how long. A read shares nothing that began before a write of its credential ended, or before the end of
 * an action that such a write has started. While such an action may be running, none of the caller's answers are kept: the objects change
 * at a time that only a watcher of the action sees.
 *
 * With other replicas, of whose writes this one hears later or not at all, a read joins only a call that has not been sent: that is newer
 * than any write that has been answered. Answers are kept until the message about a write comes.
 */
export class SharedReads {
  /** Whether reads join an equal read under way. */
  readonly #joinsReads: boolean;
  /** Milliseconds by dotted resource path. Answers of other resources are not kept. */
  readonly #ttls: ReadonlyMap<string, number>;
  /** By caller and `Reader.key`. */
  readonly #kept = new CallerCache<Answer>({
    maxSize: MAX_BYTES,
    sizeOf: ({ bytes }) => bytes + OVERHEAD,
  });
  /** Null until something needs to know of them. */
  #running: RunningActions | null = null;
  /** Sends an event to the other replicas. Null where there are no others. */
  readonly #tellOthers: ReturnType<typeof shareWrites> | null;
  /** By the caller's key and the call's. A caller whose reads are dropped gets a new map. */
  readonly #underWay = new Map<string, Map<string, Reading>>();
  readonly #listeners = new Set<(caller: string, event: WriteEvent) => void>();

  /** @param replicas Those where callers may write too. */
  constructor({ sharedReads, keptAnswers }: CallSavings, replicas: Replicas) {
    this.#joinsReads = sharedReads;
    this.#ttls = keptAnswers;
    if (keptAnswers.size > 0) this.#running = new RunningActions();
    this.#tellOthers = replicas.hasOthers
      ? shareWrites(replicas, (writer, event) => this.#apply(writer, event))
      : null;
  }

  /** Returns the kept answer of an equal read, joins one under way, or sends the call. */
  read(call: ActionCall, caller: Caller, options: CallOptions, send: Send): Promise<ActionResult> {
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const reader: Reader = { call, caller, options, send, key: keyOf(call, caller) };
    const known = this.#find(reader);
    return known === undefined ? this.#send(reader) : this.#share(known, reader);
  }

  /** The kept answer of an equal read, or one under way that may be joined. */
  #find({ caller: { key: callerKey }, key }: Reader): Answer | Reading | undefined {
    const kept = this.#ttls.size === 0 ? undefined : this.#kept.get(callerKey, key);
    if (kept !== undefined || !this.#joinsReads) return kept;
    const reading = this.#underWay.get(callerKey)?.get(key);
    return reading?.meter.wasSent && this.#tellOthers !== null ? undefined : reading;
  }

  /** Answers a read by a kept answer, or by that of a read under way. */
  #share(known: Answer | Reading, { call, caller, options, send }: Reader): Promise<ActionResult> {
    const { signal, meter } = options;
    if (!('signal' in known)) return answer(known, meter);
    if (known.room !== undefined) options.room?.join(known.room);
    const end = meter?.shared('OTHER_OPERATION') ?? IGNORED_END;
    return endWith(untilAborted(known.result, signal), end).then(
      (result) => {
        meter?.received(known.meter.bytes);
        return result;
      },
      (error: unknown) => {
        signal?.throwIfAborted();
        if (known.signal?.aborted !== true && !isOfOneOperation(error)) throw error;
        return this.read(call, caller, options, send);
      },
    );
  }

  #send(reader: Reader): Promise<ActionResult> {
    const { caller, options, send, key } = reader;
    const { key: callerKey } = caller;
    const { signal, room } = options;
    const meter = new ReadingMeter(options.meter);
    const reading: Reading = { result: send(meter), signal, meter, room };
    const ofCaller = this.#underWay.get(callerKey) ?? new Map<string, Reading>();
    this.#underWay.set(callerKey, ofCaller.set(key, reading));
    /** Keeps others from joining the read. Returns whether it is still current: no write has begun since it began. */
    const end = (): boolean => {
      const isCurrent = this.#underWay.get(callerKey)?.get(key) === reading;
      if (isCurrent) ofCaller.delete(key);
      if (isCurrent && ofCaller.size === 0) this.#underWay.delete(callerKey);
      return isCurrent;
    };
    return reading.result.then(
      (result) => {
        if (end() && this.#ttls.size > 0) this.#keep(reader, { result, bytes: meter.bytes });
        return result;
      },
      (error: unknown) => {
        end();
        if (error instanceof ActionFailedError && error.status === 401) this.#kept.drop(callerKey);
        throw error;
      },
    );
  }

  #keep({ call, caller, key }: Reader, answer: Answer): void {
    const ttl = this.#ttls.get(call.action.resource.join('.'));
    if (ttl !== undefined && !this.running.has(caller.key)) this.#kept.set(caller.key, key, answer, ttl);
  }

  /** Sends a write. Reads of the caller that begin later share nothing with those that began before the write ended. */
  async write(caller: Writer, scope: string, send: () => Promise<ActionResult>): Promise<ActionResult> {
    let event: WriteEvent = { kind: 'written', action: null, scope };
    this.#drop(caller.key);
    try {
      const result = await send();
      const id = actionIdOf(result.meta['action_state_id']);
      // A blocking action without an id of its state has ended.
      if (id !== null) event = { kind: 'started', action: id, scope };
      return result;
    } catch (error) {
      if (isOutcomeUnknown(error)) event = { kind: 'started', action: null, scope };
      throw error;
    } finally {
      this.#announce(caller, event);
    }
  }

  /** Records that an action of a caller has ended, so that what it has changed is read again. The other replicas know it a little later. */
  readonly endAction = (caller: Writer, id: string): void => {
    this.#announce(caller, { kind: 'ended', action: id, scope: null });
  };

  /** Drops the answers of a caller, and keeps later reads from sharing a call under way. */
  #drop(caller: string): void {
    this.#underWay.delete(caller);
    this.#kept.drop(caller);
  }

  /** The actions that writes have started, from the time when this is first read, or from the beginning where answers are kept. */
  get running(): RunningActions {
    this.#running ??= new RunningActions();
    return this.#running;
  }

  /**
   * Calls a listener with the caller's key after each write, here or at another replica, and after each end of an action that is seen,
   * until the returned function is called. What the caller has read earlier may be outdated.
   */
  onWrite(listener: (caller: string, event: WriteEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Applies what has happened here, at the other replicas a little later. */
  #announce(writer: Writer, event: WriteEvent): void {
    this.#apply(writer, event);
    this.#tellOthers?.(writer, event);
  }

  /** Applies what has happened at this replica or another one. */
  #apply({ key }: Writer, event: WriteEvent): void {
    const { kind, action } = event;
    const known = action === null ? undefined : this.#running?.scopeOf(key, action);
    const scope = event.scope ?? known ?? null;
    if (kind === 'started') this.#running?.add(key, action, scope);
    else if (action !== null) this.#running?.delete(key, action);
    this.#drop(key);
    for (const listener of this.#listeners) listener(key, { kind, action, scope });
  }
}

/** Counts a call for its operation, and knows whether it was sent. */
class ReadingMeter extends ByteMeter {
  wasSent = false;

  override sent(place: CallPlace): CallEnd {
    this.wasSent = true;
    return super.sent(place);
  }
}

/** Answers a read by a kept answer. */
async function answer({ result, bytes }: Answer, meter: CallMeter | undefined): Promise<ActionResult> {
  meter?.shared('CACHE')(result.status);
  meter?.received(bytes);
  return result;
}

function keyOf({ action, path, input, meta }: ActionCall, caller: Caller): string {
  return JSON.stringify([caller.language, action.method, action.path.text, action.scope, path, input, meta]);
}

/** Whether an error says only that the operation that sent the call has reached a limit. */
const isOfOneOperation = (error: unknown): boolean =>
  error instanceof UpstreamBudgetError ||
  error instanceof UpstreamBusyError ||
  error instanceof AnswerMemoryError;

const actionIdOf = (id: unknown): string | null =>
  typeof id === 'number' || typeof id === 'string' ? String(id) : null;
