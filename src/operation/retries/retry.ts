// A mutation with a key, which is executed once, however often and wherever in the deployment its client sends it within a day.
import { setTimeout as pause } from 'node:timers/promises';
import { isAsyncIterable } from '@envelop/core';
import type { DocumentNode, ExecutionResult } from 'graphql';
import * as z from 'zod';
import type { Requester } from '../../callers/session.ts';
import { OutcomeUnknownError } from '../../loaders/errors.ts';
import type { WriteGuard } from '../../loaders/write-guard.ts';
import { untilAborted } from '../../upstream/abortable.ts';
import { KeyConflictError, ResultSizeError, WriteUnrecordedError } from '../errors.ts';
import type { OperationRequest } from '../operation-request.ts';
import type { Executed } from '../plugin.ts';
import { fromRecorded, recordedResult, toRecorded } from './recorded-result.ts';
import type { Retries } from './retries.ts';

/** For how long a key is remembered. Seconds. */
export const DAY = 86_400;
/** The same in milliseconds. */
const KEPT_FOR = DAY * 1_000;
/** Time after which a process that executes a mutation counts as ended, and time between two signs of its life. Milliseconds. */
const LEASE = 15_000;
const RENEWAL = 5_000;
/** Time after which the result of another process is looked for again. Milliseconds. */
const INTERVAL = 100;
/** The unit in which results are counted. Bytes. */
export const POINT = 1_024;

/** What is recorded under a key. */
const record = z.object({
  fingerprint: z.string(),
  /** The request that has executed the mutation, and when this was recorded (ISO 8601). */
  requestId: z.string(),
  at: z.string(),
  /** `begun`: its first write may have been sent. */
  state: z.enum(['begun', 'done']),
  /** Null before it is done, and when it is too large. */
  result: recordedResult.nullable(),
});
type KeyRecord = z.infer<typeof record>;

/** Makes the recorded result again, for the same document. @throws ResultSizeError when it was too large to be recorded. */
export type Replay = (document: DocumentNode) => ExecutionResult;

/**
 * A mutation with a key. It guards its own writes. Before the first one, its process adds a record for all replicas. Only the process that
 * has added the record may write. A lease shows whether that process is alive. A record with neither a result nor a lease belongs to a
 * process that has ended meanwhile, so the outcome is unknown.
 */
export class Retry implements WriteGuard {
  readonly #request: OperationRequest;
  readonly #retries: Retries;
  readonly #requester: Requester;
  readonly #name: string;
  readonly #fingerprint: string;
  /** Counts what is recorded. */
  readonly #count: (points: number) => Promise<void>;
  /** Whether a write has had, or may have had, an effect, or the API has refused it. */
  #hasOutcome = false;
  #hasIntent = false;
  /** Records that the first write begins. Null before. */
  #intent: Promise<void> | null = null;

  /**
   * @param name Stands for the key and its caller. It contains secrets.
   * @param fingerprint Hash of the document, the operation's name, the variables and `onError`.
   * @param count Counts what is recorded. Rejects with TooManyKeysError when it is too much.
   */
  constructor(
    request: OperationRequest,
    retries: Retries,
    name: string,
    fingerprint: string,
    count: (points: number) => Promise<void>,
  ) {
    this.#retries = retries;
    this.#request = request;
    this.#requester = request.requester;
    this.#name = name;
    this.#fingerprint = fingerprint;
    this.#count = count;
  }

  async begin(): ReturnType<WriteGuard['begin']> {
    this.#intent ??= this.#recordIntent();
    await this.#intent;
    this.#hasIntent = true;
    return ({ outcome }) => {
      this.#hasOutcome ||= outcome !== 'not_sent';
    };
  }

  /**
   * Executes the mutation, waits for the one with its key that is under way, or answers what is recorded.
   * @param execute Executes it. Never rejects.
   * @throws KeyConflictError, WriteUnrecordedError, OutcomeUnknownError, ResultSizeError; ShuttingDownError, and the
   *   reason of the signal when the client leaves, while it waits for another one.
   */
  async run(document: DocumentNode, execute: () => Promise<Executed>): Promise<Executed> {
    for (;;) {
      const other = this.#retries.underWay.get(this.#name);
      if (other === undefined) return this.#lead(document, execute);
      if (other.fingerprint !== this.#fingerprint) throw new KeyConflictError();
      const replay = await untilAborted(other.replay, this.#requester.leaving);
      if (replay !== null) return this.#report(replay(document));
    }
  }

  /** Executes the mutation for all of this process that have its key, unless another process has executed it. */
  async #lead(document: DocumentNode, execute: () => Promise<Executed>): Promise<Executed> {
    const { underWay, source } = this.#retries;
    let settle: (replay: Replay | null) => void = () => undefined;
    const replay = new Promise<Replay | null>((resolve) => {
      settle = resolve;
    });
    underWay.set(this.#name, { fingerprint: this.#fingerprint, replay });
    const leave = source.shutdown.operations.enter();
    let found: Replay | null = null;
    try {
      found = this.#replayOf(await this.#claim());
      if (found !== null) return this.#report(found(document));
      const renewing = setInterval(() => void source.replicas.claim(this.#lease, LEASE), RENEWAL);
      try {
        const result = await execute();
        found = this.#replayOf(await this.#record(result));
        return result;
      } finally {
        clearInterval(renewing);
        await source.replicas.release(this.#lease);
      }
    } finally {
      underWay.delete(this.#name);
      settle(found);
      leave();
    }
  }

  /** Waits until nobody else executes the mutation. Returns what is recorded of it; null when this process holds its lease and may execute. */
  async #claim(): Promise<KeyRecord | null> {
    const { replicas, shutdown } = this.#retries.source;
    for (;;) {
      const { isHeld, isAlone } = await replicas.claim(this.#lease, LEASE);
      if (isAlone && replicas.hasOthers) throw createUnreachable();
      const known = record.safeParse(await replicas.load(this.#name)).data ?? null;
      const mayExecute = isHeld && known === null;
      if (isHeld && !mayExecute) await replicas.release(this.#lease);
      if (mayExecute) return null;
      if (known !== null && known.fingerprint !== this.#fingerprint) throw new KeyConflictError();
      if (known?.state === 'done') return known;
      if (isHeld)
        throw new OutcomeUnknownError(
          'The server that executed this mutation has ended before it answered, so nobody knows what was carried out; check before you repeat it with a new key.',
        );
      await pause(INTERVAL);
      this.#requester.leaving?.throwIfAborted();
      if (shutdown.refusal !== null) throw shutdown.refusal;
    }
  }

  get #lease(): string {
    return `lease of ${this.#name}`;
  }

  /** Records that the first write begins. What ends before that takes no room. @throws TooManyKeysError, WriteUnrecordedError */
  async #recordIntent(): Promise<void> {
    await this.#count(1);
    const intent = this.#createRecord('begun', null);
    if (!(await this.#retries.source.replicas.add(this.#name, intent, KEPT_FOR))) throw createUnreachable();
  }

  /** Records the result. Returns what is recorded; null where no write has had an outcome. */
  async #record(result: Executed): Promise<KeyRecord | null> {
    const { replicas, limits } = this.#retries.source;
    if (!this.#hasOutcome) {
      if (this.#hasIntent) await replicas.remove(this.#name);
      return null;
    }
    // A plugin may have made a stream of the result. Only its beginning is recorded.
    if (isAsyncIterable(result)) return null;
    const done = this.#createRecord('done', toRecorded(result, limits.resultSize));
    await replicas.store(this.#name, done, KEPT_FOR);
    const points = Math.floor(JSON.stringify(done).length / POINT);
    if (points > 0) await this.#count(points).catch(() => undefined);
    return done;
  }

  #createRecord(state: KeyRecord['state'], result: KeyRecord['result']): KeyRecord {
    const { requestId } = this.#requester;
    return { fingerprint: this.#fingerprint, requestId, at: new Date().toISOString(), state, result };
  }

  #replayOf(recorded: KeyRecord | null): Replay | null {
    if (recorded === null) return null;
    const { result, requestId, at } = recorded;
    return (document) => {
      if (result === null) throw new ResultSizeError(this.#retries.source.limits.resultSize, true);
      const { extensions, ...rest } = fromRecorded(result, document);
      return { ...rest, extensions: { ...extensions, replay: { requestId, at } } };
    };
  }

  #report(replayed: ExecutionResult): ExecutionResult {
    this.#request.report?.addResult(replayed);
    return replayed;
  }
}

const createUnreachable = (): WriteUnrecordedError =>
  new WriteUnrecordedError(
    'The idempotency key could not be recorded for all replicas, so no write was sent; try again with the same key.',
  );
