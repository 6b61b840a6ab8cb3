// Renews the tokens of browsers' sessions, each once for all requests and replicas.
import { LRUCache } from 'lru-cache';
import { runOnce, takeResult } from '../../sharing/run-once.ts';
import { expireAfter } from '../../upstream/cache-bounds.ts';
import { hashSecret } from '../../upstream/http/caller.ts';
import type { ClientHeaders } from '../../upstream/http/client-headers.ts';
import type { BrowserSessionsOptions } from './browser-sessions.ts';
import { isTokens, type OAuthClient, PROVIDER_TIMEOUT, type Tokens } from './oauth-client.ts';

/** For how long the result of a renewal is known. Milliseconds. */
const RENEWAL_KEPT = 60_000;
/** Longest time of a renewal. Milliseconds. */
const RENEWAL_TIME = PROVIDER_TIMEOUT + 2_000;

/**
 * Renewals of the last minute, by hashed refresh token. A browser's requests overlap, and a refresh token may be used only once. The
 * whole process shares them, because it may serve several versions of an API to one browser.
 */
const RENEWALS = new LRUCache<string, Promise<Tokens>>({ max: 1_000, ...expireAfter(RENEWAL_KEPT) });

/** The renewals at one provider. */
export class Renewals {
  readonly #client: OAuthClient;
  readonly #options: Pick<BrowserSessionsOptions, 'audience' | 'replicas'>;

  constructor(client: OAuthClient, options: Pick<BrowserSessionsOptions, 'audience' | 'replicas'>) {
    this.#client = client;
    this.#options = options;
  }

  /**
   * Uses a refresh token, or joins a renewal of the last minute that did.
   * @param refused The access token that the upstream does not know; null when the token is only about to end.
   * @param headers Those about the client, for the provider.
   * @throws OAuthFailure when the provider cannot renew the session.
   */
  async renew(refresh: string, refused: string | null, headers: ClientHeaders): Promise<Tokens> {
    const key = this.#keyOf(refresh);
    const joined = RENEWALS.get(key);
    const isUsable = ({ access, expiresAt }: Tokens): boolean =>
      access !== refused && (expiresAt === null || Date.now() < expiresAt);
    const renewal =
      joined ??
      runOnce(this.#options.replicas, this.#nameOf(refresh), {
        run: () => this.#client.refresh(refresh, headers),
        read: (value) => (isTokens(value) && isUsable(value) ? value : null),
        duration: RENEWAL_TIME,
        keptFor: RENEWAL_KEPT,
      });
    if (joined === undefined) RENEWALS.set(key, renewal);
    try {
      const fresh = await renewal;
      if (joined === undefined || isUsable(fresh)) return fresh;
    } catch (error) {
      RENEWALS.delete(key);
      throw error;
    }
    // The joined renewal gave a token that has ended too. The provider may accept the refresh token more than once.
    if (RENEWALS.get(key) === renewal) RENEWALS.delete(key);
    return this.renew(refresh, refused, headers);
  }

  /** Tokens, and those that replaced them in the last minute. Forgets the renewals, so that no request gets a revoked token. */
  async take(tokens: Tokens): Promise<readonly Tokens[]> {
    if (tokens.refresh === null) return [tokens];
    const key = this.#keyOf(tokens.refresh);
    const own = await RENEWALS.get(key)?.catch(() => undefined);
    const shared = await takeResult(this.#options.replicas, this.#nameOf(tokens.refresh), RENEWAL_TIME);
    const renewed = own ?? (isTokens(shared) ? shared : undefined);
    RENEWALS.delete(key);
    return renewed === undefined ? [tokens] : [tokens, ...(await this.take(renewed))];
  }

  #keyOf(refresh: string): string {
    const { audience, replicas } = this.#options;
    // Replicas within one process have nothing but the deployment in common.
    return hashSecret(`${replicas.hasOthers ? replicas.id : ''} ${audience} ${refresh}`);
  }

  #nameOf(refresh: string): string {
    return JSON.stringify(['renewal', this.#options.audience, refresh]);
  }
}
