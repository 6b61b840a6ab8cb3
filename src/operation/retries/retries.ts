// Remembers the mutations with keys, and limits what is recorded of them.
import { networkOf } from '../../callers/client-address.ts';
import type { Session } from '../../callers/session.ts';
import type { Limiter, Replicas } from '../../sharing/replicas.ts';
import { isObject } from '../../upstream/json.ts';
import { TooManyKeysError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { OperationParams, OperationRequest } from '../operation-request.ts';
import type { Shutdown } from '../shutdown.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { DAY, POINT, type Replay, Retry } from './retry.ts';

/** The part of a caller's limit that an anonymous network has. */
const ANONYMOUS_PART = 1 / 16;

/** A mutation with a key that this process executes. */
interface UnderWay {
  readonly fingerprint: string;
  /** Resolves at its end with what repeats its result; null where no write has had an outcome. */
  readonly replay: Promise<Replay | null>;
}

/** What retries are made from. */
interface RetriesSource {
  readonly replicas: Replicas;
  /** Distinguishes the API from others. */
  readonly api: string;
  readonly limits: Limits['idempotency'];
  readonly shutdown: Shutdown;
}

/** The mutations with keys of a facade. */
export class Retries {
  readonly source: RetriesSource;
  /** By their names. */
  readonly underWay = new Map<string, UnderWay>();
  readonly #byCaller: Limiter;
  readonly #byNetwork: Limiter;
  readonly #byAll: Limiter;

  constructor(source: RetriesSource) {
    this.source = source;
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
    const { replicas, api } = this.source;
    const { credential, address = '' } = caller;
    const owner = replicas.digest(
      credential === null ? `network ${networkOf(address)}` : `${credential.header} ${credential.value}`,
    );
    const { query, operationName = null, variables = null, onError = null } = params;
    const fingerprint = replicas.digest(
      JSON.stringify([query, operationName, variables ?? {}, onError], sortKeys),
    );
    const limits = [
      [credential === null ? this.#byNetwork : this.#byCaller, owner],
      [this.#byAll, ''],
    ] as const;
    const name = JSON.stringify(['idempotency', api, owner, key]);
    return new Retry(request, this, name, fingerprint, (points) => count(limits, points));
  }
}

/** @throws TooManyKeysError when it is too much. */
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
