// Verifies credentials at the upstream, and remembers the results.
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import { LocalDeployment } from '../sharing/local-replicas.ts';
import type { Limiter, Replicas } from '../sharing/replicas.ts';
import { atMost } from '../upstream/cache-bounds.ts';
import { UnknownCredentialsError } from '../upstream/errors.ts';
import type { Credential } from '../upstream/http/caller.ts';
import { networkOf } from './client-address.ts';
import { TooManyAttemptsError } from './errors.ts';
import { TokenEnds } from './token-ends.ts';

/** Limits of the verifier. */
export interface CredentialVerifierOptions {
  /** Number of credentials remembered; default 10,000. */
  readonly max?: number;
  /** Milliseconds for which a verified credential is trusted without another request; default five minutes. */
  readonly ttl?: number;
  /** Unknown credentials that one network may send each minute before its further ones are delayed; default 60. */
  readonly maxUnknown?: number;
}

/** Verifications under way at once: in all, and for one network. */
const MAX_CONCURRENT = 8;
const MAX_CONCURRENT_PER_NETWORK = 4;
/** Seconds over which unknown credentials are counted. */
const WINDOW = 60;
/** Delay before each verification for a network above its limit, in milliseconds, and how many of its verifications may wait. */
const DELAY = 1_000;
const MAX_WAITING = 20;

/** Sends a request that shows whether the upstream knows a credential. Rejects with UnknownCredentialsError when it does not. */
export type VerifyRequest = () => Promise<void>;

interface Verification {
  readonly credential: Credential;
  readonly request: VerifyRequest;
  readonly address: string | undefined;
}

/**
 * Remembers which credentials the upstream knows. One verifier serves all versions of the API in a process, because a credential
 * that is revoked in one version has ended in all.
 */
export class CredentialVerifier {
  /** When tokens end. */
  readonly ends: TokenEnds;
  readonly #ttl: number;
  /** Milliseconds since 1970, by the credential's key. Its fetches are the verifications under way. */
  readonly #verifiedAt: LRUCache<string, number, Verification>;
  readonly #limit = pLimit(MAX_CONCURRENT);
  readonly #limitPerNetwork = new ConcurrencyLimit(MAX_CONCURRENT_PER_NETWORK);
  readonly #unknownPerNetwork: Limiter;
  readonly #replicas: Replicas;

  /** @param replicas Those that count unknown credentials together; default: there are no others. */
  constructor(
    { max = 10_000, ttl = 300_000, maxUnknown = 60 }: CredentialVerifierOptions = {},
    replicas: Replicas = new LocalDeployment().join(),
  ) {
    this.#replicas = replicas;
    this.#ttl = ttl;
    this.#verifiedAt = new LRUCache({
      ...atMost(max),
      // A verification that fails for another reason than the credential leaves the last one valid.
      noDeleteOnFetchRejection: true,
      // Those who wait for a verification get its result even if the credential is forgotten meanwhile; see `verify`.
      ignoreFetchAbort: true,
      fetchMethod: (_key, verifiedAt, { context }) => this.#send(context, verifiedAt !== undefined),
    });
    this.ends = new TokenEnds(max);
    this.#unknownPerNetwork = replicas.createLimiter('unknown credentials', {
      points: maxUnknown,
      duration: WINDOW,
    });
  }

  /** Whether the credential was verified within the ttl, and its end has not passed since then. */
  isVerified(credential: Credential): boolean {
    const verifiedAt = this.#verifiedAt.peek(credential.key);
    if (verifiedAt === undefined) return false;
    const expiresAt = Date.parse(this.ends.endOf(credential)?.at ?? '');
    return Date.now() - verifiedAt <= this.#ttl && !(Date.now() > expiresAt && verifiedAt <= expiresAt);
  }

  /**
   * Verifies a credential. Simultaneous calls for one credential share a request.
   * @param address The client's address. The limit of unknown credentials applies to its network; undefined: no limit applies.
   * @throws UnknownCredentialsError when the upstream does not know the credential.
   * @throws TooManyAttemptsError when too many verifications for the network wait already.
   */
  async verify(credential: Credential, request: VerifyRequest, address?: string): Promise<void> {
    const context = { credential, request, address };
    // A credential that was forgotten meanwhile may have ended after the upstream answered.
    do await this.#verifiedAt.fetch(credential.key, { context, forceRefresh: true });
    while (!this.#verifiedAt.has(credential.key));
  }

  /** Forgets that a credential was verified: it has ended, or may have. */
  forget({ key }: Pick<Credential, 'key'>): void {
    this.#verifiedAt.delete(key);
  }

  /** When a credential ends; null when that is unknown, or when the upstream still knew the credential after the stated end. */
  expiryOf(credential: Credential): string | null {
    const at = this.ends.endOf(credential)?.at ?? null;
    const verifiedAt = this.#verifiedAt.peek(credential.key) ?? 0;
    return at !== null && Date.parse(at) < verifiedAt ? null : at;
  }

  /** Sends a verification when it is its network's turn. Returns when the upstream answered. */
  async #send({ credential, request, address }: Verification, wasKnown: boolean): Promise<number> {
    const network = address === undefined ? null : networkOf(address);
    const startedAt = Date.now();
    const sendInTurn = async (): Promise<void> => {
      if (network !== null && !wasKnown) await this.#delayAboveLimit(network);
      await this.#limit(request);
    };
    try {
      await this.#limitPerNetwork.run(network ?? credential.key, sendInTurn);
    } catch (error) {
      if (!(error instanceof UnknownCredentialsError)) throw error;
      this.forget(credential);
      if (network !== null) await this.#unknownPerNetwork.penalty(this.#replicas.digest(network));
      throw error;
    }
    this.ends.recordUse(credential, startedAt);
    return Date.now();
  }

  /** Delays a network that has sent too many unknown credentials instead of refusing it: its other credentials may be good. */
  async #delayAboveLimit(network: string): Promise<void> {
    const count = await this.#unknownPerNetwork.penalty(this.#replicas.digest(network), 0);
    if (count.remainingPoints > 0) return;
    if (this.#limitPerNetwork.countOf(network) > MAX_WAITING)
      throw new TooManyAttemptsError(Math.ceil(count.msBeforeNext / 1000));
    await pause(DELAY);
  }
}

/** Networks with a limit of their own. Above this number the least recently used start again with an empty queue. */
const MAX_NETWORKS = 10_000;

/** Limits the concurrent requests of each network, so that one network cannot occupy all places. */
class ConcurrencyLimit {
  readonly #maxConcurrent: number;
  readonly #limits = new LRUCache<string, LimitFunction>(atMost(MAX_NETWORKS));

  /** @param maxConcurrent Requests of one network that may run at once. */
  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent;
  }

  /** Sends a request when it is the network's turn. Rejects as the request does. */
  run<T>(network: string, send: () => Promise<T>): Promise<T> {
    const limit = this.#limits.get(network) ?? pLimit(this.#maxConcurrent);
    this.#limits.set(network, limit);
    return limit(send);
  }

  /** Number of a network's requests that run or wait. */
  countOf(network: string): number {
    const limit = this.#limits.peek(network);
    return limit === undefined ? 0 : limit.activeCount + limit.pendingCount;
  }
}
