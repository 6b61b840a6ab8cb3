// Executes one mutation with a key, or answers what is recorded of the execution that was first.
import { setTimeout as pause } from 'node:timers/promises';
import { isAsyncIterable } from '@envelop/core';
import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLErrorOptions } from 'graphql';
import * as z from 'zod';
import { OutcomeUnknownError } from '../../loaders/errors.ts';
import type { WriteGuard } from '../../loaders/write-guard.ts';
import { RefusedError, ResultSizeError } from '../../server/errors.ts';
import type { AdmittedOperation, Executed, Services } from '../../server/plugin.ts';

/** For how long a key is remembered. Milliseconds. */
export const KEPT_FOR = 86_400_000;
/** The unit in which results are counted. Bytes. */
export const POINT = 1_024;
/** Time after which a process that executes a mutation counts as ended, and time between two signs of its life. Milliseconds. */
const ALIVE_FOR = 15_000;
const RENEWAL = 5_000;
/** Time after which the result of another execution is looked for again. Milliseconds. */
const INTERVAL = 100;

/** The key of a mutation. */
export interface Key {
  /** Stands for the key and its caller. It contains secrets. */
  readonly name: string;
  /** Hash of the document, the operation's name, the variables and `onError`. */
  readonly fingerprint: string;
  /** Counts what is recorded. @throws TooManyKeysError when it is too much. */
  readonly count: (points: number) => Promise<void>;
}

/** A result as JSON. The places of its errors are positions in the document. */
interface RecordedResult extends Omit<ExecutionResult, 'errors'> {
  readonly errors: readonly (Pick<GraphQLErrorOptions, 'path' | 'positions' | 'extensions'> & {
    readonly message: string;
  })[];
}

/** What is recorded under a key: `begun` when the first write may have been sent. */
const recordForm = z.object({
  fingerprint: z.string(),
  /** The request that executes the mutation, and when this was recorded (ISO 8601). */
  requestId: z.string(),
  at: z.string(),
  state: z.enum(['begun', 'done']),
  /** Null before it is done, and when it is too large. */
  result: z.custom<RecordedResult>().nullable(),
});
type KeyRecord = z.infer<typeof recordForm>;

/**
 * A mutation with a key. It guards its own writes: before the first one, it adds a record for all replicas, if there is none. Only the
 * execution that has added the record may write. A sign of life beside the record is renewed until the result is recorded. A record with
 * neither belongs to a process that has ended meanwhile, so the outcome is unknown.
 */
export class Retry implements WriteGuard {
  readonly #operation: AdmittedOperation;
  readonly #key: Key;
  readonly #services: Services;
  readonly #requestId: string;
  /** Whether a write has had, or may have had, an effect, or the API has refused it. */
  #hasOutcome = false;
  /** Resolves when the first write may begin; null before. Rejects when another execution has added the record first. */
  #intent: Promise<void> | null = null;
  #hasIntent = false;
  #renewal: NodeJS.Timeout | undefined;

  constructor(operation: AdmittedOperation, key: Key, services: Services) {
    this.#operation = operation;
    this.#key = key;
    this.#services = services;
    this.#requestId = operation.request.requester.requestId;
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
  async run(execute: () => Promise<Executed>): Promise<Executed> {
    const leave = this.#services.shutdown.operations.enter();
    try {
      const known = await this.#findResult();
      if (known !== null) return await this.#replay(known);
      const executed = await execute();
      if (this.#hasIntent) await this.#recordEnd(executed);
      const winner = this.#intent === null || this.#hasIntent ? null : await this.#findResult();
      return winner === null ? executed : await this.#replay(winner);
    } finally {
      clearInterval(this.#renewal);
      leave();
    }
  }

  /** Waits until no other execution is under way. Returns what is recorded; null for nothing. */
  async #findResult(): Promise<KeyRecord | null> {
    const { replicas, shutdown } = this.#services;
    for (;;) {
      const known = await this.#load();
      if (known === null || known.state === 'done') return known;
      const isAlive = (await replicas.load(this.#signOfLife(known.requestId))) !== undefined;
      // It may have recorded its result since.
      if (!isAlive && (await this.#load())?.state === 'begun') throw new OutcomeUnknownError(ENDED);
      await pause(isAlive ? INTERVAL : 0);
      this.#operation.request.requester.leaving?.throwIfAborted();
      shutdown.check();
    }
  }

  /** @throws RefusedError when another mutation has the key. */
  async #load(): Promise<KeyRecord | null> {
    const { data = null } = recordForm.safeParse(await this.#services.replicas.load(this.#key.name));
    if (data !== null && data.fingerprint !== this.#key.fingerprint)
      throw new RefusedError('KEY_CONFLICT', CONFLICT);
    return data;
  }

  /** Records that the first write begins. What ends before that takes no room. @throws TooManyKeysError, RefusedError */
  async #recordIntent(): Promise<void> {
    const { replicas } = this.#services;
    const sign = (): Promise<boolean> => replicas.store(this.#signOfLife(this.#requestId), {}, ALIVE_FOR);
    await this.#key.count(1);
    // Nobody may find the record without the sign.
    if (!(await sign()) || !(await replicas.add(this.#key.name, this.#createRecord('begun', null), KEPT_FOR)))
      throw new RefusedError('WRITE_UNRECORDED', UNRECORDED);
    this.#hasIntent = true;
    this.#renewal = setInterval(() => void sign(), RENEWAL);
  }

  /** Records the result of this execution, or that there is none to repeat. */
  async #recordEnd(executed: Executed): Promise<void> {
    const { replicas, limits } = this.#services;
    if (!this.#hasOutcome) await replicas.remove(this.#key.name);
    // A plugin may have made a stream of the result. Only its beginning is recorded.
    else if (!isAsyncIterable(executed)) {
      const result = toRecorded(executed);
      const size = sizeOf(result);
      const record = this.#createRecord('done', size <= limits.recordedResultSize ? result : null);
      await replicas.store(this.#key.name, record, KEPT_FOR);
      const points = record.result === null ? 0 : Math.floor(size / POINT);
      if (points > 0) await this.#key.count(points).catch(() => undefined);
    }
    await replicas.remove(this.#signOfLife(this.#requestId));
  }

  #createRecord(state: KeyRecord['state'], result: KeyRecord['result']): KeyRecord {
    const at = new Date().toISOString();
    return { fingerprint: this.#key.fingerprint, requestId: this.#requestId, at, state, result };
  }

  #signOfLife(requestId: string): string {
    return `execution by ${requestId} of ${this.#key.name}`;
  }

  /** Makes a recorded result again. The API may have revoked the credential since. @throws ResultSizeError when it was too large. */
  async #replay({ result, requestId, at }: KeyRecord): Promise<ExecutionResult> {
    const { request, contextValue, document } = this.#operation;
    await this.#services.callers.verify(contextValue.session.currentCaller);
    if (result === null) throw new ResultSizeError(this.#services.limits.recordedResultSize, true);
    const { extensions, ...rest } = fromRecorded(result, document);
    const replayed = { ...rest, extensions: { ...extensions, replay: { requestId, at } } };
    request.report?.addResult(replayed);
    return replayed;
  }
}

const toRecorded = ({ errors = [], ...rest }: ExecutionResult): RecordedResult => ({
  ...rest,
  errors: errors.map(({ message, path, positions, extensions }) => ({
    message,
    path,
    positions,
    extensions,
  })),
});

/** Converts what is recorded to the result of the same document. */
function fromRecorded({ errors, ...rest }: RecordedResult, { loc }: DocumentNode): ExecutionResult {
  if (errors.length === 0) return rest;
  const source = loc?.source ?? null;
  return {
    errors: errors.map(({ message, ...places }) => new GraphQLError(message, { ...places, source })),
    ...rest,
  };
}

/** Bytes of JSON; endless for the value of a user's resolver that JSON cannot hold. */
function sizeOf(result: object): number {
  try {
    return Buffer.byteLength(JSON.stringify(result));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

const CONFLICT =
  'This idempotency key was used with another document, operation or variables; send a new key with a new mutation.';
const UNRECORDED =
  'The idempotency key could not be recorded for all replicas, so no write was sent; try again with the same key.';
const ENDED =
  'The server that executed this mutation has ended before it answered, so nobody knows what was carried out; check before you repeat it with a new key.';
