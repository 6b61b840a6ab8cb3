// Knows of credentials whether the upstream knows them, which it verifies, and when they end.
import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Limiter, Replicas } from '../sharing/replicas.ts';
import { atMost } from '../upstream/cache-bounds.ts';
import { issuedToken, renewsItself } from '../upstream/description/token-method.ts';
import { UnknownCredentialsError } from '../upstream/errors.ts';
import type { ActionCall, ActionResult } from '../upstream/http/action-client.ts';
import { CallQueue, type QueueOptions } from '../upstream/http/call-queue.ts';
import { type Credential, createCredential } from '../upstream/http/caller.ts';
import { isObject } from '../upstream/json.ts';
import { TooManyAttemptsError } from './errors.ts';
import { clientOf } from './requester.ts';

/** Verifications under way at once, and how long others wait: as long as one that is sent twice, and a little more. */
const VERIFICATIONS: QueueOptions = { calls: 8, maxWait: 8_000, maxWaiting: 1_000 };
/** Credentials that are remembered. */
const MAX_CREDENTIALS = 10_000;
/** Unknown credentials that one network may send, in how many seconds, before its further ones are delayed. */
const UNKNOWN = { points: 60, duration: 60 };
/** Time between two verifications for a network above its limit, and how long one may wait for that. Milliseconds. */
const INTERVAL = 250;
const MAX_DELAY = 5_000;
/** Networks above their limit that are remembered. */
const MAX_NETWORKS = 10_000;

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
  readonly ends = new TokenEnds();
  readonly #ttl: number;
  /** Milliseconds since 1970, by the credential's key. Its fetches are the verifications under way. */
  readonly #verifiedAt: LRUCache<string, number, Verification>;
  /** New credentials wait behind each other only, so that those who are known already go on. */
  readonly #ofNew = new CallQueue(VERIFICATIONS);
  readonly #ofKnown = new CallQueue(VERIFICATIONS);
  /** When the next verification is due for a network above its limit, as `performance.now()`. */
  readonly #dueAt = new LRUCache<string, number>(atMost(MAX_NETWORKS));
  readonly #unknownPerNetwork: Limiter;

  /**
   * @param replicas Those that count unknown credentials together.
   * @param ttl Milliseconds for which a verified credential is trusted without another request.
   */
  constructor(replicas: Replicas, ttl = 300_000) {
    this.#ttl = ttl;
    this.#verifiedAt = new LRUCache({
      ...atMost(MAX_CREDENTIALS),
      // A verification that fails for another reason than the credential leaves the last one valid.
      noDeleteOnFetchRejection: true,
      // Those who wait for a verification get its result even if the credential is forgotten meanwhile; see `verify`.
      ignoreFetchAbort: true,
      fetchMethod: (_key, verifiedAt, { context }) => this.#send(context, verifiedAt !== undefined),
    });
    this.#unknownPerNetwork = replicas.createLimiter('unknown credentials', UNKNOWN);
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
   * @throws UpstreamBusyError when too many verifications wait, or this one has waited too long.
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
    const client = clientOf({ address, key: credential.key });
    const startedAt = Date.now();
    const queue = wasKnown ? this.#ofKnown : this.#ofNew;
    const isLimited = address !== undefined && !wasKnown;
    try {
      const delay = await queue.run({ client }, async () => {
        const ms = isLimited ? await this.#delayOf(client.network) : 0;
        if (ms === 0) await request();
        return ms;
      });
      if (delay > 0) {
        await pause(delay);
        await queue.run({ client }, request);
      }
    } catch (error) {
      if (!(error instanceof UnknownCredentialsError)) throw error;
      this.forget(credential);
      if (address !== undefined) await this.#unknownPerNetwork.count(client.network);
      throw error;
    }
    this.ends.recordUse(credential, startedAt);
    return Date.now();
  }

  /**
   * Milliseconds for which a verification of a network is delayed: 0, unless it has sent too many unknown credentials. It is not refused,
   * because its other credentials may be good.
   */
  async #delayOf(network: string): Promise<number> {
    const { left, msBeforeNext } = await this.#unknownPerNetwork.count(network, 0);
    if (left > 0) return 0;
    const now = performance.now();
    const dueAt = Math.max(now, this.#dueAt.get(network) ?? 0) + INTERVAL;
    if (dueAt - now > MAX_DELAY) throw new TooManyAttemptsError(Math.ceil(msBeforeNext / 1000));
    this.#dueAt.set(network, dueAt);
    return dueAt - now;
  }
}

/** When a token ends. */
export interface TokenEnd {
  /** As the upstream wrote it; null when it stated none. */
  readonly at: string | null;
  /** Each use moves the end to the time of the use plus an interval (specification: Token, lifetime `renewable_auto`). */
  readonly isExtendedByUse: boolean;
}

interface RecordedEnd extends TokenEnd {
  /** A time at or after which the upstream set the end. Milliseconds since 1970. */
  readonly recordedAt: number;
}

/**
 * When tokens end, as far as the upstream states it. The upstream does not state the new end after a use, but the specification
 * defines it: between two uses, the end moves by the time that has passed. So the facade needs neither the interval nor the
 * upstream's clock. Uses that bypass the facade move the end further.
 */
export class TokenEnds {
  readonly #ends = new LRUCache<string, RecordedEnd>(atMost(MAX_CREDENTIALS));

  /** Records an end that the upstream has just stated. */
  record(credential: Credential, end: TokenEnd): void {
    this.#ends.set(credential.key, { ...end, recordedAt: Date.now() });
  }

  /**
   * Records that the upstream has accepted the token in a request.
   * @param sentAt A time at or before which the upstream received the request. Milliseconds since 1970.
   */
  recordUse(credential: Credential, sentAt: number): void {
    const { key } = credential;
    const end = this.#ends.get(key);
    if (end?.isExtendedByUse !== true || sentAt <= end.recordedAt) return;
    const at = end.at === null ? null : addTime(end.at, sentAt - end.recordedAt);
    this.#ends.set(key, { at, isExtendedByUse: true, recordedAt: sentAt });
  }

  /**
   * Records what an action of the token method has answered.
   * @param used The token that the action renews or revokes; null when it issues a new one.
   * @param header The header that carries tokens.
   */
  recordTokenAction(
    { action, input }: ActionCall,
    output: ActionResult['output'],
    used: Credential | null,
    header: string,
  ): void {
    const { valid_to: validTo } = isObject(output) ? output : {};
    const at = typeof validTo === 'string' ? validTo : null;
    const issued = issuedToken(output);
    if (issued === null) {
      if (used !== null && at !== null)
        this.record(used, { at, isExtendedByUse: this.#isExtendedByUse(used) });
      return;
    }
    const toCredential = (value: string): Credential => createCredential('token', header, value);
    // A further step of signing in issues the token with the lifetime that the first step requested.
    const isStep = Object.values(input).some(
      (value) => typeof value === 'string' && this.#isExtendedByUse(toCredential(value)),
    );
    this.record(toCredential(issued), { at, isExtendedByUse: isStep || renewsItself(action, input) });
  }

  #isExtendedByUse(credential: Credential): boolean {
    return this.endOf(credential)?.isExtendedByUse === true;
  }

  /** The end of a token; null when none is recorded. */
  endOf(credential: Credential): TokenEnd | null {
    return this.#ends.get(credential.key) ?? null;
  }
}

/** Adds milliseconds to a time; null when the time cannot be parsed. */
function addTime(at: string, duration: number): string | null {
  const time = Date.parse(at) + duration;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
