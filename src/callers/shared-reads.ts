// Lets the operations of one credential use the calls of equal reads under way, and announces writes.

import * as z from 'zod';
import { isOutcomeUnknown, UpstreamBudgetError } from '../loaders/errors.ts';
import { actionIdOf } from '../loaders/operation-calls.ts';
import { type Channel, openChannel, type Replicas } from '../sharing/replicas.ts';
import { type Abortable, untilAborted } from '../upstream/abortable.ts';
import { AnswerMemoryError, statusOf, UpstreamBusyError } from '../upstream/errors.ts';
import type { ActionCall, ActionResult, CallOptions } from '../upstream/http/action-client.ts';
import type { CallMeter, CallPlace, CountedCall } from '../upstream/http/call-meter.ts';
import { type Caller, type Credential, createCaller, createCredential } from '../upstream/http/caller.ts';

/** A credential without its key, which differs in each process. */
export const credentialMessage = z
  .object({ kind: z.enum(['basic', 'bearer', 'token', 'oauth2']), header: z.string(), value: z.string() })
  .readonly();

/** The form of a credential for other replicas. */
export const toMessage = ({ kind, header, value }: Credential): z.infer<typeof credentialMessage> => ({
  kind,
  header,
  value,
});

/** The credential of a message. */
export const fromMessage = ({ kind, header, value }: z.infer<typeof credentialMessage>): Credential =>
  createCredential(kind, header, value);

/** What has happened. */
interface WriteEvent {
  /** A write has ended; it has started an action, which may be running now; such an action has ended. */
  readonly kind: 'written' | 'started' | 'succeeded' | 'failed';
  /** The id of the action; null for none, or where it is unknown. */
  readonly action: string | null;
}

/** The form in which replicas send each other what has happened. */
const message = z.object({
  /** Null: an anonymous caller. */
  credential: credentialMessage.nullable(),
  kind: z.enum(['written', 'started', 'succeeded', 'failed']),
  action: z.string().nullable(),
});

/** Who has written. */
type Writer = Pick<Caller, 'key' | 'credential'>;

/** Sends a call that is counted by a meter. */
type Send = (meter: CallMeter | undefined) => Promise<ActionResult>;

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
  /** To the other replicas; a message may arrive late, or be lost. Null where there are no others. */
  readonly #others: Channel | null;
  /** By the caller's key and the call's. A caller whose reads are dropped gets a new map. */
  readonly #underWay = new Map<string, Map<string, Reading>>();
  readonly #listeners = new Set<(caller: string, event: WriteEvent) => void>();

  /** @param replicas Those where callers may write too. */
  constructor(replicas: Replicas) {
    this.#others = replicas.hasOthers
      ? openChannel(replicas, 'writes', message, ({ credential, ...event }) =>
          this.#apply(createCaller(credential === null ? null : fromMessage(credential)), event),
        )
      : null;
  }

  /** Joins an equal read under way, or sends the call. */
  read(call: ActionCall, caller: Caller, options: CallOptions, send: Send): Promise<ActionResult> {
    const { signal, meter } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const key = keyOf(call, caller);
    const reading = this.#underWay.get(caller.key)?.get(key);
    const isOutdated = reading?.meter.wasSent && this.#others !== null;
    if (reading === undefined || isOutdated) return this.#send(key, caller, options, send);
    const counted = meter?.shared();
    return untilAborted(reading.result, signal).then(
      (result) => {
        counted?.end(result.status);
        meter?.received(reading.meter.bytes);
        return result;
      },
      (error: unknown) => {
        counted?.end(statusOf(error));
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
  async write(caller: Writer, send: () => Promise<ActionResult>): Promise<ActionResult> {
    let event: WriteEvent = { kind: 'written', action: null };
    this.#underWay.delete(caller.key);
    try {
      const result = await send();
      const id = actionIdOf(result);
      // A blocking action without an id of its state has ended.
      if (id !== null) event = { kind: 'started', action: id };
      return result;
    } catch (error) {
      if (isOutcomeUnknown(error)) event = { kind: 'started', action: null };
      throw error;
    } finally {
      this.#announce(caller, event);
    }
  }

  /** Records that an action of a caller has ended, so that what it has changed is read again. The other replicas know it a little later. */
  endAction(caller: Writer, id: string, hasSucceeded: boolean): void {
    this.#announce(caller, { kind: hasSucceeded ? 'succeeded' : 'failed', action: id });
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
    const { credential } = writer;
    void this.#others?.send({ credential: credential === null ? null : toMessage(credential), ...event });
  }

  /** Applies what has happened at this replica or another one. */
  #apply({ key }: Writer, event: WriteEvent): void {
    this.#underWay.delete(key);
    for (const listener of this.#listeners) listener(key, event);
  }
}

/** Counts a call for its operation, and knows whether it was sent, and the size of its response so far. */
class ReadingMeter implements CallMeter {
  wasSent = false;
  bytes = 0;
  readonly #meter: CallMeter | undefined;

  constructor(meter: CallMeter | undefined) {
    this.#meter = meter;
  }

  sent(place: CallPlace): CountedCall | undefined {
    this.wasSent = true;
    return this.#meter?.sent(place);
  }

  shared(): CountedCall | undefined {
    return this.#meter?.shared();
  }

  received(bytes: number): void {
    this.bytes += bytes;
    this.#meter?.received(bytes);
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
