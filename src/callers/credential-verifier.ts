// Knows of credentials whether the upstream knows them, which it verifies, and when they end.
import { LRUCache } from 'lru-cache';
import type { Limiter, Replicas } from '../sharing/replicas.ts';
import { atMost } from '../upstream/cache-bounds.ts';
import { issuedToken, renewsItself } from '../upstream/description/select-actions.ts';
import { RetryLaterError, UnknownCredentialsError } from '../upstream/errors.ts';
import type { ActionCall, ActionResult } from '../upstream/http/action-client.ts';
import { CallQueue, type QueueOptions } from '../upstream/http/call-queue.ts';
import { type Credential, createCredential } from '../upstream/http/caller.ts';
import { isObject } from '../upstream/json.ts';
import { clientOf } from './requester.ts';

/** Verifications under way at once, and how long others wait: as long as one that is sent twice, and a little more. */
const VERIFICATIONS: QueueOptions = { calls: 8, maxWait: 8_000, maxWaiting: 1_000 };
/** Credentials that are remembered. */
const MAX_CREDENTIALS = 10_000;
/** Unknown credentials that one network may send, in how many seconds, before its new ones are refused. */
const UNKNOWN = { points: 60, duration: 60 };

/** The limit of sign-in attempts or of unknown credentials is reached. Further attempts are not forwarded for a while. */
export class TooManyAttemptsError extends RetryLaterError {
  override readonly code = 'ATTEMPTS_EXCEEDED';

  constructor(retryAfter: number, action?: string) {
    super(`There were too many attempts to sign in; try again in ${retryAfter} s.`, retryAfter, action);
  }
}

/** Sends a request that shows whether the upstream knows a credential. Rejects with UnknownCredentialsError when it does not. */
type VerifyRequest = () => Promise<void>;

interface Verification {
  readonly credential: Credential;
  readonly request: VerifyRequest;
  readonly address: string | undefined;
}

/** Remembers which credentials the upstream knows. */
export class CredentialVerifier {
  readonly #ttl: number;
  /** Milliseconds since 1970, by the credential's key. Its fetches are the verifications under way. */
  readonly #verifiedAt: LRUCache<string, number, Verification>;
  /** When credentials end, as the upstream has written it, by key. */
  readonly #ends = new LRUCache<string, string>(atMost(MAX_CREDENTIALS));
  /** New credentials wait behind each other only, so that those who are known already go on. */
  readonly #ofNew = new CallQueue(VERIFICATIONS);
  readonly #ofKnown = new CallQueue(VERIFICATIONS);
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
  isVerified({ key }: Credential): boolean {
    const verifiedAt = this.#verifiedAt.peek(key);
    if (verifiedAt === undefined) return false;
    const now = Date.now();
    const expiresAt = Date.parse(this.#ends.get(key) ?? '');
    return now - verifiedAt <= this.#ttl && !(now > expiresAt && verifiedAt <= expiresAt);
  }

  /**
   * Verifies a credential. Simultaneous calls for one credential use one request.
   * @param address The client's address. The limit of unknown credentials applies to its network; undefined: no limit applies.
   * @throws UnknownCredentialsError when the upstream does not know the credential.
   * @throws TooManyAttemptsError when the credential is new, and its network has sent too many unknown ones.
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

  /** Records when a credential ends. @param at As the upstream has written it; null when it is unknown. */
  recordEnd({ key }: Credential, at: string | null): void {
    if (at === null) this.#ends.delete(key);
    else this.#ends.set(key, at);
  }

  /**
   * Records the end of a token that an action of the token method has issued or renewed. That of a token which each use renews is
   * unknown, and so may be that of one which a further step of signing in issues.
   * @param used The token that the action renews or revokes; null when it issues a new one.
   * @param header The header that carries tokens.
   */
  recordTokenAction(
    { action, input }: ActionCall,
    output: ActionResult['output'],
    used: Credential | null,
    header: string,
  ): void {
    const { valid_to: at } = isObject(output) ? output : {};
    if (typeof at !== 'string') return;
    const issued = issuedToken(output);
    if (issued === null) {
      if (used !== null && this.#ends.has(used.key)) this.recordEnd(used, at);
    } else if (
      action.input.parameters.some(({ name }) => name === 'lifetime') &&
      !renewsItself(action, input)
    )
      this.recordEnd(createCredential('token', header, issued), at);
  }

  /** When a credential ends; null when that is unknown, or when the upstream still knew the credential after the stated end. */
  endOf({ key }: Credential): string | null {
    const at = this.#ends.get(key) ?? null;
    return at !== null && Date.parse(at) < (this.#verifiedAt.peek(key) ?? 0) ? null : at;
  }

  /** Sends a verification when no other network has to be served first. Returns when the upstream answered. */
  async #send({ credential, request, address }: Verification, wasKnown: boolean): Promise<number> {
    const client = clientOf({ address, key: credential.key });
    const queue = wasKnown ? this.#ofKnown : this.#ofNew;
    try {
      await queue.run(client, async () => {
        if (address !== undefined && !wasKnown) await this.#checkNetwork(client.network);
        await request();
      });
    } catch (error) {
      if (!(error instanceof UnknownCredentialsError)) throw error;
      this.forget(credential);
      if (address !== undefined) await this.#unknownPerNetwork.count(client.network);
      throw error;
    }
    return Date.now();
  }

  async #checkNetwork(network: string): Promise<void> {
    const { left, msBeforeNext } = await this.#unknownPerNetwork.count(network, 0);
    if (left <= 0) throw new TooManyAttemptsError(Math.ceil(msBeforeNext / 1000));
  }
}
