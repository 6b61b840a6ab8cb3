// Executes each mutation with a key once, however often and wherever in the deployment its client sends it within a day.
import { setTimeout as pause } from 'node:timers/promises';
import { isAsyncIterable } from '@envelop/core';
import type { DocumentNode, ExecutionResult } from 'graphql';
import { networkOf } from '../../callers/requester.ts';
import type { Session } from '../../callers/session.ts';
import { OutcomeUnknownError } from '../../loaders/errors.ts';
import type { WriteGuard } from '../../loaders/write-guard.ts';
import { RefusedError, ResultSizeError } from '../../server/errors.ts';
import type { Limits } from '../../server/limits.ts';
import type { OperationParams, OperationRequest } from '../../server/operation-request.ts';
import type { Executed } from '../../server/plugin.ts';
import type { Shutdown } from '../../server/under-way.ts';
import type { Limiter, Replicas } from '../../sharing/replicas.ts';
import { RetryLaterError } from '../../upstream/errors.ts';
import type { Caller } from '../../upstream/http/caller.ts';
import { isObject } from '../../upstream/json.ts';

import { readIdempotencyKey } from './idempotency-key.ts';
import { fromRecorded, type KeyRecord, keyRecord, toRecorded } from './recorded-result.ts';

/** For how long a key is remembered. Seconds, and the same in milliseconds. */
const DAY = 86_400;
const KEPT_FOR = DAY * 1_000;
/** Time after which a process that executes a mutation counts as ended, and time between two signs of its life. Milliseconds. */
const ALIVE_FOR = 15_000;
const RENEWAL = 5_000;
/** Time after which the result of another execution is looked for again. Milliseconds. */
const INTERVAL = 100;
/** The unit in which results are counted. Bytes. */
const POINT = 1_024;
/** The part of a caller's limit that an anonymous network has, and the part of all that any network has. */
const ANONYMOUS_PART = 1 / 16;
const NETWORK_PART = 1 / 4;

/** What retries are made from. */
interface RetriesSource {
  readonly replicas: Replicas;
  /** Distinguishes the API from others. */
  readonly api: string;
  readonly limits: Pick<Limits, 'recordedBytes' | 'recordedBytesOfCaller' | 'recordedResultSize'>;
  readonly shutdown: Shutdown;
  /** Verifies a credential by a call. @throws UnknownCredentialsError when the API does not know it any more. */
  readonly verify: (caller: Caller) => Promise<void>;
}

/** The mutations with keys of a facade. */
export class Retries {
  readonly #source: RetriesSource;
  readonly #byCaller: Limiter;
  readonly #byAnonymousNetwork: Limiter;
  readonly #byNetwork: Limiter;
  readonly #byAll: Limiter;

  constructor(source: RetriesSource) {
    this.#source = source;
    const { recordedBytesOfCaller, recordedBytes } = source.limits;
    const limit = (name: string, size: number): Limiter =>
      source.replicas.createLimiter(`keys of ${name}`, {
        points: Math.max(1, Math.floor(size / POINT)),
        duration: DAY,
      });
    this.#byCaller = limit('caller', recordedBytesOfCaller);
    this.#byAnonymousNetwork = limit('anonymous network', recordedBytesOfCaller * ANONYMOUS_PART);
    this.#byNetwork = limit('network', recordedBytes * NETWORK_PART);
    this.#byAll = limit('all', recordedBytes);
  }

  /** Reads the key of a mutation that has one. @throws InvalidInputError when the key is invalid. */
  open(request: OperationRequest, params: OperationParams, session: Session): Retry {
    const key = readIdempotencyKey(request, params);
    const { replicas, api } = this.#source;
    const { credential, address = '' } = session.caller;
    const network = networkOf(address);
    const owner = replicas.digest(
      credential === null ? `network ${network}` : `${credential.header} ${credential.value}`,
    );
    const { query, operationName = null, variables = null, onError = null } = params;
    const fingerprint = replicas.digest(
      JSON.stringify([query, operationName, variables ?? {}, onError], sortKeys),
    );
    const limits = [
      [credential === null ? this.#byAnonymousNetwork : this.#byCaller, owner],
      [this.#byNetwork, network],
      [this.#byAll, ''],
    ] as const;
    const name = JSON.stringify(['idempotency', api, owner, key]);
    return new Retry(request, session, this.#source, name, fingerprint, (points) => count(limits, points));
  }
}

/** The results of a caller's mutations with keys, or of all callers', take all the space that they may for a day. */
class TooManyKeysError extends RetryLaterError {
  override readonly code = 'RATE_LIMIT';

  constructor(retryAfter: number) {
    super(
      `The mutations with idempotency keys of this day take all the space that they may; try again in ${retryAfter} s, or send no key.`,
      retryAfter,
    );
  }
}

/** Adds points to each limiter until one is exceeded: what is refused takes no room of others. @throws TooManyKeysError */
async function count(limits: readonly (readonly [Limiter, string])[], points: number): Promise<void> {
  for (const [limiter, key] of limits) {
    const { isExceeded, msBeforeNext } = await limiter.count(key, points);
    if (isExceeded) throw new TooManyKeysError(Math.ceil(msBeforeNext / 1_000));
  }
}

/** Lets JSON have the members of objects in one order. */
function sortKeys(_name: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * A mutation with a key. It guards its own writes: before the first one, it adds a record for all replicas, if there is none. Only the
 * execution that has added the record may write. A sign of life beside the record is renewed until the result is recorded. A record with
 * neither belongs to a process that has ended meanwhile, so the outcome is unknown.
 */
export class Retry implements WriteGuard {
  readonly #request: OperationRequest;
  readonly #source: RetriesSource;
  readonly #session: Session;
  readonly #name: string;
  readonly #fingerprint: string;
  /** Counts what is recorded. */
  readonly #count: (points: number) => Promise<void>;
  /** Whether a write has had, or may have had, an effect, or the API has refused it. */
  #hasOutcome = false;
  /** Resolves when the first write may begin; null before. Rejects when another execution has added the record first. */
  #intent: Promise<void> | null = null;
  #hasIntent = false;
  #renewal: NodeJS.Timeout | null = null;

  /**
   * @param name Stands for the key and its caller. It contains secrets.
   * @param fingerprint Hash of the document, the operation's name, the variables and `onError`.
   * @param count Counts what is recorded. Rejects with TooManyKeysError when it is too much.
   */
  constructor(
    request: OperationRequest,
    session: Session,
    source: RetriesSource,
    name: string,
    fingerprint: string,
    count: (points: number) => Promise<void>,
  ) {
    this.#request = request;
    this.#source = source;
    this.#session = session;
    this.#name = name;
    this.#fingerprint = fingerprint;
    this.#count = count;
  }

  async begin(): ReturnType<WriteGuard['begin']> {
    this.#intent ??= this.#recordIntent();
    await this.#intent;
    return ({ outcome }) => {
      this.#hasOutcome ||= outcome !== 'not_sent';
    };
  }

  /**
   * Executes the mutation, or answers what is recorded of the one with its key, for which it waits.
   * @param execute Executes it. Never rejects.
   * @throws RefusedError, OutcomeUnknownError, ResultSizeError; ShuttingDownError, and the
   *   reason of the signal when the client leaves, while it waits for another one.
   */
  async run(document: DocumentNode, execute: () => Promise<Executed>): Promise<Executed> {
    const leave = this.#source.shutdown.operations.enter();
    try {
      const known = await this.#findResult();
      if (known !== null) return await this.#replay(known, document);
      const executed = await execute();
      if (this.#hasIntent) await this.#record(executed);
      const winner = this.#intent === null || this.#hasIntent ? null : await this.#findResult();
      return winner === null ? executed : await this.#replay(winner, document);
    } finally {
      if (this.#renewal !== null) clearInterval(this.#renewal);
      leave();
    }
  }

  /** Waits until no other execution is under way. Returns what is recorded; null for nothing. */
  async #findResult(): Promise<KeyRecord | null> {
    const { replicas, shutdown } = this.#source;
    for (;;) {
      const known = await this.#load();
      if (known === null || known.state === 'done') return known;
      const isAlive = (await replicas.load(this.#signOfLife(known.requestId))) !== undefined;
      // It may have recorded its result since.
      if (!isAlive && (await this.#load())?.state === 'begun') throw createUnknown();
      await pause(isAlive ? INTERVAL : 0);
      this.#request.requester.leaving?.throwIfAborted();
      if (shutdown.refusal !== null) throw shutdown.refusal;
    }
  }

  /** @throws RefusedError when another mutation has the key. */
  async #load(): Promise<KeyRecord | null> {
    const known = keyRecord.safeParse(await this.#source.replicas.load(this.#name)).data ?? null;
    if (known !== null && known.fingerprint !== this.#fingerprint)
      throw new RefusedError(
        'KEY_CONFLICT',
        'This idempotency key was used with another document, operation or variables; send a new key with a new mutation.',
      );
    return known;
  }

  /** Records that the first write begins. What ends before that takes no room. @throws TooManyKeysError, RefusedError */
  async #recordIntent(): Promise<void> {
    const { replicas } = this.#source;
    const { requestId } = this.#request.requester;
    const sign = (): Promise<boolean> => replicas.store(this.#signOfLife(requestId), {}, ALIVE_FOR);
    await this.#count(1);
    // Nobody may find the record without the sign.
    const isAlive = await sign();
    if (!isAlive || !(await replicas.add(this.#name, this.#createRecord('begun', null), KEPT_FOR)))
      throw createUnreachable();
    this.#hasIntent = true;
    this.#renewal = setInterval(() => void sign(), RENEWAL);
  }

  /** Records the result of this execution, or that there is none to repeat. */
  async #record(executed: Executed): Promise<void> {
    const { replicas, limits } = this.#source;
    const { requestId } = this.#request.requester;
    if (!this.#hasOutcome) await replicas.remove(this.#name);
    // A plugin may have made a stream of the result. Only its beginning is recorded.
    else if (!isAsyncIterable(executed)) {
      const { result, size } = toRecorded(executed, limits.recordedResultSize);
      await replicas.store(this.#name, this.#createRecord('done', result), KEPT_FOR);
      const points = Math.floor(size / POINT);
      if (points > 0) await this.#count(points).catch(() => undefined);
    }
    await replicas.remove(this.#signOfLife(requestId));
  }

  #createRecord(state: KeyRecord['state'], result: KeyRecord['result']): KeyRecord {
    const { requestId } = this.#request.requester;
    return { fingerprint: this.#fingerprint, requestId, at: new Date().toISOString(), state, result };
  }

  #signOfLife(requestId: string): string {
    return `execution by ${requestId} of ${this.#name}`;
  }

  /** Makes a recorded result again. The API may have revoked the credential since. @throws ResultSizeError when it was too large. */
  async #replay({ result, requestId, at }: KeyRecord, document: DocumentNode): Promise<ExecutionResult> {
    await this.#source.verify(this.#session.currentCaller);
    if (result === null) throw new ResultSizeError(this.#source.limits.recordedResultSize, true);
    const { extensions, ...rest } = fromRecorded(result, document);
    const replayed = { ...rest, extensions: { ...extensions, replay: { requestId, at } } };
    this.#request.report?.addResult(replayed);
    return replayed;
  }
}

const createUnreachable = (): RefusedError =>
  new RefusedError(
    'WRITE_UNRECORDED',
    'The idempotency key could not be recorded for all replicas, so no write was sent; try again with the same key.',
  );

const createUnknown = (): OutcomeUnknownError =>
  new OutcomeUnknownError(
    'The server that executed this mutation has ended before it answered, so nobody knows what was carried out; check before you repeat it with a new key.',
  );
