// Executes a mutation with a key once, however often and wherever in the deployment its client sends it within a day.
import { setTimeout as pause } from 'node:timers/promises';
import { isAsyncIterable } from '@envelop/core';
import type { DocumentNode, ExecutionResult } from 'graphql';
import * as z from 'zod';
import { networkOf } from '../../callers/client-address.ts';
import type { Session } from '../../callers/session.ts';
import { OutcomeUnknownError } from '../../loaders/errors.ts';
import type { Limiter, Replicas } from '../../sharing/replicas.ts';
import { untilAborted } from '../../upstream/abortable.ts';
import { isObject } from '../../upstream/json.ts';
import { KeyConflictError, ResultSizeError, TooManyKeysError, WriteUnrecordedError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { OperationParams, OperationRequest } from '../operation-request.ts';
import type { Shutdown } from '../shutdown.ts';
import type { Executed } from '../user-plugins.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { fromRecorded, recordedResult, toRecorded } from './recorded-result.ts';
import { Retry } from './retry.ts';

/** For how long a key is remembered. Seconds. */
const DAY = 86_400;
/** The same in milliseconds. */
const KEPT_FOR = DAY * 1_000;
/** Time after which a process that executes a mutation counts as ended, and time between two signs of its life. Milliseconds. */
const LEASE = 15_000;
const RENEWAL = 5_000;
/** Time after which the result of another process is looked for again. Milliseconds. */
const INTERVAL = 100;
/** The unit in which results are counted. Bytes. */
const POINT = 1_024;
/** The part of a caller's limit that an anonymous network has. */
const ANONYMOUS_PART = 1 / 16;

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

/** A mutation with a key that this process executes. */
interface UnderWay {
  readonly fingerprint: string;
  /** Resolves with what is recorded at its end; null for nothing, because no write has had an outcome. */
  readonly recorded: Promise<KeyRecord | null>;
}

/** What retries are made from. */
export interface RetriesSource {
  readonly replicas: Replicas;
  /** Distinguishes the API from others. */
  readonly api: string;
  readonly limits: Limits['idempotency'];
  readonly shutdown: Shutdown;
}

/**
 * Remembers the mutations with keys. Before the first write, a process adds a record for all replicas. Only the process that has added the
 * record may write. A lease shows whether that process is alive. A record with neither a result nor a lease belongs to a process that has
 * ended meanwhile, so the outcome is unknown.
 */
export class Retries {
  readonly #source: RetriesSource;
  readonly #byCaller: Limiter;
  readonly #byNetwork: Limiter;
  readonly #byAll: Limiter;
  readonly #underWay = new Map<string, UnderWay>();

  constructor(source: RetriesSource) {
    this.#source = source;
    const { callerBytes, bytes } = source.limits;
    const limit = (name: string, size: number): Limiter =>
      source.replicas.createLimiter(`keys of ${name}`, {
        points: Math.max(1, Math.floor(size / POINT)),
        duration: DAY,
      });
    this.#byCaller = limit('caller', callerBytes);
    this.#byNetwork = limit('network', callerBytes * ANONYMOUS_PART);
    this.#byAll = limit('all', bytes);
  }

  /** Reads the key of a mutation that has one. @throws InvalidInputError when the key is invalid. */
  open(request: OperationRequest, params: OperationParams, { caller }: Session): Retry {
    const key = readIdempotencyKey(request, params);
    const { replicas, api } = this.#source;
    const { credential, address = '' } = caller;
    const owner = replicas.digest(
      credential === null ? `network ${networkOf(address)}` : `${credential.header} ${credential.value}`,
    );
    const { query, operationName = null, variables = null, onError = null } = params;
    const identity = {
      name: JSON.stringify(['idempotency', api, owner, key]),
      fingerprint: replicas.digest(
        JSON.stringify([query, operationName, variables ?? {}, onError], sortKeys),
      ),
      caller: owner,
      isAnonymous: credential === null,
    };
    return new Retry(identity, request, (retry) => this.#recordIntent(retry));
  }

  /**
   * Executes a mutation, waits for the one with its key that is under way, or answers what is recorded.
   * @param execute Executes it. Never rejects.
   * @throws KeyConflictError, WriteUnrecordedError, OutcomeUnknownError, ResultSizeError; ShuttingDownError, and the
   *   reason of the signal when the client leaves, while it waits for another one.
   */
  async run(retry: Retry, document: DocumentNode, execute: () => Promise<Executed>): Promise<Executed> {
    const { name, fingerprint } = retry.identity;
    for (;;) {
      const other = this.#underWay.get(name);
      if (other === undefined) return this.#lead(retry, document, execute);
      if (other.fingerprint !== fingerprint) throw new KeyConflictError();
      const recorded = await untilAborted(other.recorded, retry.requester.leaving);
      if (recorded !== null) return this.#replay(retry, recorded, document);
    }
  }

  /** Executes a mutation for all of this process that have its key, unless another process has executed it. */
  async #lead(retry: Retry, document: DocumentNode, execute: () => Promise<Executed>): Promise<Executed> {
    const { name, fingerprint } = retry.identity;
    let settle: (recorded: KeyRecord | null) => void = () => undefined;
    const recorded = new Promise<KeyRecord | null>((resolve) => {
      settle = resolve;
    });
    this.#underWay.set(name, { fingerprint, recorded });
    const leave = this.#source.shutdown.operations.enter();
    let found: KeyRecord | null = null;
    try {
      found = await this.#claim(retry);
      if (found !== null) return this.#replay(retry, found, document);
      const renewing = setInterval(() => void this.#renew(name), RENEWAL);
      try {
        const result = await execute();
        found = await this.#record(retry, result);
        return result;
      } finally {
        clearInterval(renewing);
        await this.#source.replicas.release(leaseOf(name));
      }
    } finally {
      this.#underWay.delete(name);
      settle(found);
      leave();
    }
  }

  /** Waits until nobody else executes the mutation. Returns what is recorded of it; null when this process holds its lease and may execute. */
  async #claim({ identity, requester }: Retry): Promise<KeyRecord | null> {
    const { replicas, shutdown } = this.#source;
    const { name, fingerprint } = identity;
    for (;;) {
      const { isHeld, isAlone } = await replicas.claim(leaseOf(name), LEASE);
      if (isAlone && replicas.hasOthers) throw createUnreachable();
      const known = record.safeParse(await replicas.load(name)).data ?? null;
      const mayExecute = isHeld && known === null;
      if (isHeld && !mayExecute) await replicas.release(leaseOf(name));
      if (mayExecute) return null;
      if (known !== null && known.fingerprint !== fingerprint) throw new KeyConflictError();
      if (known?.state === 'done') return known;
      if (isHeld)
        throw new OutcomeUnknownError(
          'The server that executed this mutation has ended before it answered, so nobody knows what was carried out; check before you repeat it with a new key.',
        );
      await pause(INTERVAL);
      requester.leaving?.throwIfAborted();
      if (shutdown.refusal !== null) throw shutdown.refusal;
    }
  }

  async #renew(name: string): Promise<void> {
    await this.#source.replicas.claim(leaseOf(name), LEASE);
  }

  /** Records that the first write begins. What ends before that takes no room. @throws TooManyKeysError, WriteUnrecordedError */
  async #recordIntent(retry: Retry): Promise<void> {
    const { name, fingerprint } = retry.identity;
    await this.#count(retry, 1);
    const intent = createRecord(fingerprint, retry.requester.requestId);
    if (!(await this.#source.replicas.add(name, intent, KEPT_FOR))) throw createUnreachable();
  }

  /** Records the result. Returns what is recorded; null where no write has had an outcome. */
  async #record(retry: Retry, result: Executed): Promise<KeyRecord | null> {
    const { replicas, limits } = this.#source;
    const { name, fingerprint } = retry.identity;
    if (!retry.hasOutcome) {
      if (retry.hasIntent) await replicas.remove(name);
      return null;
    }
    // A plugin may have made a stream of the result. Only its beginning is recorded.
    if (isAsyncIterable(result)) return null;
    const known = createRecord(fingerprint, retry.requester.requestId);
    const done: KeyRecord = { ...known, state: 'done', result: toRecorded(result, limits.resultSize) };
    await replicas.store(name, done, KEPT_FOR);
    const points = Math.floor(JSON.stringify(done).length / POINT);
    if (points > 0) await this.#count(retry, points).catch(() => undefined);
    return done;
  }

  /** Counts what is recorded. @throws TooManyKeysError when it is too much. */
  async #count({ identity: { caller, isAnonymous } }: Retry, points: number): Promise<void> {
    const limits = [
      [isAnonymous ? this.#byNetwork : this.#byCaller, caller],
      [this.#byAll, ''],
    ] as const;
    for (const [limiter, key] of limits) {
      const { isExceeded, msBeforeNext } = await limiter.count(key, points);
      if (isExceeded) throw new TooManyKeysError(Math.ceil(msBeforeNext / 1_000));
    }
  }

  #replay({ request }: Retry, { result, requestId, at }: KeyRecord, document: DocumentNode): ExecutionResult {
    if (result === null) throw new ResultSizeError(this.#source.limits.resultSize, true);
    const { extensions, ...rest } = fromRecorded(result, document);
    const replayed = { ...rest, extensions: { ...extensions, replay: { requestId, at } } };
    request.report?.addResult(replayed);
    return replayed;
  }
}

const leaseOf = (name: string): string => `lease of ${name}`;

const createRecord = (fingerprint: string, requestId: string): KeyRecord => ({
  fingerprint,
  requestId,
  at: new Date().toISOString(),
  state: 'begun',
  result: null,
});

const createUnreachable = (): WriteUnrecordedError =>
  new WriteUnrecordedError(
    'The idempotency key could not be recorded for all replicas, so no write was sent; try again with the same key.',
  );

/** Lets JSON have the members of objects in one order. */
function sortKeys(_name: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
