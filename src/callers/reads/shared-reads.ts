// Lets the operations of one credential share the calls of equal reads under way, and announces writes.
import { isOutcomeUnknown, UpstreamBudgetError } from '../../loaders/errors.ts';
import type { Replicas } from '../../sharing/replicas.ts';
import { type Abortable, untilAborted } from '../../upstream/abortable.ts';
import { AnswerMemoryError, UpstreamBusyError } from '../../upstream/errors.ts';
import type { ActionCall, ActionResult, CallOptions } from '../../upstream/http/action-client.ts';
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

/** A read under way. */
interface Reading {
  readonly result: Promise<ActionResult>;
  /** Aborts when the operation that sent the call leaves, which ends the call. */
  readonly signal: Abortable | undefined;
  readonly meter: ReadingMeter;
}

/**
 * The reads of all callers, for one process. Equal reads under way of one credential share a call. A read joins none that began before a
 * write of its credential ended, or before the end of an action that such a write has started.
 *
 * With other replicas, of whose writes this one hears later or not at all, a read joins only a call that has not been sent: that is newer
 * than any write that has been answered.
 */
export class SharedReads {
  /** The actions that writes have started. */
  readonly running = new RunningActions();
  /** Sends an event to the other replicas. Null where there are no others. */
  readonly #tellOthers: ReturnType<typeof shareWrites> | null;
  /** By the caller's key and the call's. A caller whose reads are dropped gets a new map. */
  readonly #underWay = new Map<string, Map<string, Reading>>();
  readonly #listeners = new Set<(caller: string, event: WriteEvent) => void>();

  /** @param replicas Those where callers may write too. */
  constructor(replicas: Replicas) {
    this.#tellOthers = replicas.hasOthers
      ? shareWrites(replicas, (writer, event) => this.#apply(writer, event))
      : null;
  }

  /** Joins an equal read under way, or sends the call. */
  read(call: ActionCall, caller: Caller, options: CallOptions, send: Send): Promise<ActionResult> {
    const { signal, meter } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const key = keyOf(call, caller);
    const reading = this.#underWay.get(caller.key)?.get(key);
    const isOutdated = reading?.meter.wasSent && this.#tellOthers !== null;
    if (reading === undefined || isOutdated) return this.#send(key, caller, options, send);
    const end = meter?.shared('OTHER_OPERATION') ?? IGNORED_END;
    return endWith(untilAborted(reading.result, signal), end).then(
      (result) => {
        meter?.received(reading.meter.bytes);
        return result;
      },
      (error: unknown) => {
        signal?.throwIfAborted();
        if (reading.signal?.aborted !== true && !isOfOneOperation(error)) throw error;
        return this.read(call, caller, options, send);
      },
    );
  }

  #send(key: string, caller: Caller, options: CallOptions, send: Send): Promise<ActionResult> {
    const meter = new ReadingMeter(options.meter);
    const reading: Reading = { result: send(meter), signal: options.signal, meter };
    const ofCaller = this.#underWay.get(caller.key) ?? new Map<string, Reading>();
    this.#underWay.set(caller.key, ofCaller.set(key, reading));
    const end = (): void => {
      if (ofCaller.get(key) === reading) ofCaller.delete(key);
      if (ofCaller.size === 0 && this.#underWay.get(caller.key) === ofCaller)
        this.#underWay.delete(caller.key);
    };
    reading.result.then(end, end);
    return reading.result;
  }

  /** Sends a write. Reads of the caller that begin later share nothing with those that began before the write ended. */
  async write(caller: Writer, scope: string, send: () => Promise<ActionResult>): Promise<ActionResult> {
    let event: WriteEvent = { kind: 'written', action: null, scope };
    this.#underWay.delete(caller.key);
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
    const known = action === null ? null : this.running.scopeOf(key, action);
    const scope = event.scope ?? known;
    if (kind === 'started') this.running.add(key, action, scope);
    else if (action !== null) this.running.delete(key, action);
    this.#underWay.delete(key);
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
