import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { TooManyAttemptsError, UnknownCredentialsError } from '../upstream/errors/request-errors.ts';
import { type Credential, credentialKey } from '../upstream/http/authentication.ts';
import { networkOf } from './client-address.ts';
import { CallerConcurrencyLimit } from './concurrency-limit.ts';
import { TokenEnds } from './token-ends.ts';

/** Bounds of what is known of credentials. Times in milliseconds. */
export interface CredentialVerifierOptions {
  /** Credentials remembered; default 10,000. */
  readonly max?: number;
  /** Longest trust in a credential without asking the upstream again; default five minutes. */
  readonly ttl?: number;
  /** Credentials from one network that the upstream may turn out not to know, a minute, before it is slowed down; default 60. */
  readonly strangers?: number;
}

/** Questions about credentials that are asked at once, and of them for one network. */
const AT_ONCE = 8;
const AT_ONCE_FOR_ONE = 4;
const MINUTE = 60;
/** Before each further question for a network of too many strangers, in milliseconds; and how many of them may wait. */
const PAUSE = 1_000;
const MAX_WAITING = 20;

interface Asking {
  isForgotten: boolean;
  readonly answer: Promise<void>;
}

/** Asks the upstream about a credential. Rejects with UnknownCredentialsError when that does not know it. */
export type Question = () => Promise<void>;

/**
 * Which credentials the upstream knows, and until when. It holds for every version of the API that a process serves, since
 * what is revoked in one has ended in all.
 */
export class CredentialVerifier {
  /** When they end. */
  readonly ends: TokenEnds;
  readonly #trust: number;
  readonly #provedAt: LRUCache<string, number>;
  readonly #asking = new Map<string, Asking>();
  /** Questions under way or waiting, by requester. */
  readonly #waiting = new Map<string, number>();
  readonly #limit = pLimit(AT_ONCE);
  readonly #share = new CallerConcurrencyLimit(AT_ONCE_FOR_ONE);
  readonly #strangers: RateLimiterMemory;

  constructor({ max = 10_000, ttl = 300_000, strangers = 60 }: CredentialVerifierOptions = {}) {
    this.#trust = ttl;
    this.#provedAt = new LRUCache({ max });
    this.ends = new TokenEnds(max);
    this.#strangers = new RateLimiterMemory({ points: strangers, duration: MINUTE });
  }

  /** Whether there is no doubt: the upstream said so a while ago at the most, and the credential's time was not up since. */
  isVerified(credential: Credential): boolean {
    const key = credentialKey(credential);
    const provedAt = this.#provedAt.get(key);
    if (provedAt === undefined) return false;
    const expiresAt = Date.parse(this.ends.endOf(credential)?.at ?? '');
    return Date.now() - provedAt <= this.#trust && !(Date.now() > expiresAt && provedAt <= expiresAt);
  }

  /**
   * Asks the upstream, once for all who want to know at the same time.
   * @param address The client's, which answers for those that are not known; undefined: not counted.
   * @throws UnknownCredentialsError, TooManyAttemptsError
   */
  async verify(credential: Credential, ask: Question, address?: string): Promise<void> {
    const key = credentialKey(credential);
    const known = this.#asking.get(key);
    const askedAt = Date.now();
    const asking: Asking = known ?? { isForgotten: false, answer: this.#askFor(key, ask, address) };
    if (known === undefined) this.#asking.set(key, asking);
    try {
      await asking.answer;
    } finally {
      if (this.#asking.get(key) === asking) this.#asking.delete(key);
    }
    // The answer may be older than what it was forgotten for.
    if (asking.isForgotten) await this.verify(credential, ask, address);
    else if (known === undefined) {
      this.#provedAt.set(key, Date.now());
      this.ends.noteUse(credential, askedAt);
    }
  }

  /** The credential has ended, or may have. */
  forget(credential: Credential): void {
    const key = credentialKey(credential);
    this.#provedAt.delete(key);
    const asking = this.#asking.get(key);
    if (asking !== undefined) asking.isForgotten = true;
    this.#asking.delete(key);
  }

  /** When a credential ends; null where that is not known, or where the upstream still knew it after that end. */
  expiryOf(credential: Credential): string | null {
    const at = this.ends.endOf(credential)?.at ?? null;
    const provedAt = this.#provedAt.get(credentialKey(credential)) ?? 0;
    return at !== null && Date.parse(at) < provedAt ? null : at;
  }

  async #askFor(key: string, ask: Question, address: string | undefined): Promise<void> {
    const network = address === undefined ? null : networkOf(address);
    const wasKnown = this.#provedAt.has(key);
    const requester = network ?? key;
    this.#waiting.set(requester, this.#waitingOf(requester) + 1);
    const inTurn = async (): Promise<void> => {
      if (network !== null && !wasKnown) await this.#slowDown(network);
      await this.#limit(ask);
    };
    try {
      await this.#share.run(requester, inTurn);
    } catch (error) {
      if (!(error instanceof UnknownCredentialsError)) throw error;
      this.#provedAt.delete(key);
      if (network !== null) await this.#strangers.penalty(network);
      throw error;
    } finally {
      const left = this.#waitingOf(requester) - 1;
      if (left > 0) this.#waiting.set(requester, left);
      else this.#waiting.delete(requester);
    }
  }

  #waitingOf(requester: string): number {
    return this.#waiting.get(requester) ?? 0;
  }

  /** A network that brought too many strangers is served slowly, and no more of it than can wait: some may be no strangers. */
  async #slowDown(network: string): Promise<void> {
    const told = await this.#strangers.get(network);
    if (told === null || told.remainingPoints > 0) return;
    if (this.#waitingOf(network) > MAX_WAITING)
      throw new TooManyAttemptsError(Math.ceil(told.msBeforeNext / 1000));
    await pause(PAUSE);
  }
}
