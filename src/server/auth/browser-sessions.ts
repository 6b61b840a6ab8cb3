import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Credential, HeaderReader } from '../../upstream/authentication.ts';
import { UnknownCredentialsError } from '../../upstream/errors.ts';
import { type OAuthClient, OAuthFailure, type Tokens } from './oauth-client.ts';
import { countsCookie, type OwnPages } from './own-pages.ts';
import { SealedCookie } from './sealed-cookie.ts';
import { isPending, isTokens } from './sealed-values.ts';

/** Renewed so long before its end at the most, in milliseconds, and in this last part of its life. */
const MARGIN = 60_000;
const LAST_PART = 0.25;
/** Seconds until a browser must have come back from the provider, and for which it stays signed in without a visit. */
const SIGN_IN_TIME = 600;
const SESSION_TIME = 30 * 86_400;

/** Who may have a cookie, and how the answer gives them another. */
export interface Visitor {
  readonly header: HeaderReader;
  /** Takes a `Set-Cookie` header for the answer; absent where the answer can bring none, as on a WebSocket. */
  readonly answerCookie?: (setCookie: string) => void;
}

/** A browser's session, found in its cookie. */
export interface BrowserSession {
  readonly credential: Credential;
  /** ISO 8601; null where it is not known. */
  readonly expiresAt: string | null;
  /** Takes the cookie away, since the upstream does not know its token (any more). */
  forget(): void;
}

/** What sessions are made of. */
export interface BrowserSessionsOptions extends OwnPages {
  /** See SealOptions. */
  readonly secret: string | null;
  /** Tells the provider and client from all others: tokens go to nobody else, even where the secret is the same. */
  readonly audience: string;
}

/**
 * Renewals of the last minute: a browser's requests overlap, and a refresh token is good once. Of the whole process, since
 * several versions of an API may be served to one browser.
 */
const renewals = new LRUCache<string, Promise<Tokens>>({ max: 1_000, ttl: 60_000 });

/** Sessions of browsers that signed in by OAuth 2.0. Tokens are in the browser's cookie alone, encrypted. */
export class BrowserSessions {
  readonly #client: OAuthClient;
  readonly #options: BrowserSessionsOptions;
  readonly #pending: SealedCookie;
  readonly #session: SealedCookie;

  constructor(client: OAuthClient, options: BrowserSessionsOptions) {
    this.#client = client;
    this.#options = options;
    const { secret, audience } = options;
    const isSecure = options.publicUrl?.startsWith('https:') ?? false;
    const seal = (name: string, maxAge: number): SealedCookie =>
      new SealedCookie(name, { secret, audience, maxAge, isSecure });
    this.#pending = seal('optiongraph_sign_in', SIGN_IN_TIME);
    this.#session = seal('optiongraph_session', SESSION_TIME);
  }

  /**
   * Begins a sign-in. @returns Where to send the browser, with the cookie that it must bring back.
   * @throws RangeError when `returnTo` is too long for that cookie.
   */
  async begin(redirectUri: string, returnTo: string): Promise<{ url: string; setCookie: string }> {
    const { url, pending } = await this.#client.begin(redirectUri);
    return { url, setCookie: await this.#pending.set({ ...pending, returnTo }) };
  }

  /**
   * Ends a sign-in.
   * @returns Where the browser wanted to go, and the cookies that it gets: the sign-in's is used up whatever happens.
   * @throws OAuthFailure
   */
  async finish(callback: URL, cookies: string | null): Promise<{ returnTo: string; setCookies: string[] }> {
    const pending = await this.#pending.read(cookies);
    if (!isPending(pending))
      throw new OAuthFailure('This sign-in was not begun here, or too long ago.', 'CREDENTIALS_UNKNOWN');
    const tokens = await this.#client.finish(callback, pending);
    return { returnTo: pending.returnTo, setCookies: [this.abandon(), await this.#keep(tokens)] };
  }

  /** The cookie that ends what is left of a sign-in. */
  abandon(): string {
    return this.#pending.clear();
  }

  /**
   * The session in a request's cookie, renewed where it is about to end and the answer can bring the new cookie; null where
   * there is none, or where the request may not use it: another site could have sent it.
   * @throws UnknownCredentialsError when the cookie is not good, or the provider refuses to renew the session; either takes it away.
   * @throws OAuthFailure when the provider could not renew what has ended.
   */
  async of({ header, answerCookie }: Visitor): Promise<BrowserSession | null> {
    if (!this.mayUse(header)) return null;
    const value = await this.#session.read(header('cookie'));
    if (value === null) return null;
    const forget = (): void => answerCookie?.(this.#session.clear());
    if (!isTokens(value)) {
      forget();
      throw new UnknownCredentialsError();
    }
    const tokens = answerCookie === undefined ? value : await this.#current(value, answerCookie, forget);
    const { expiresAt } = tokens;
    return {
      credential: credentialOf(tokens),
      expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      forget,
    };
  }

  /** Whether a request may use a cookie. */
  mayUse(header: HeaderReader): boolean {
    return countsCookie(header, this.#options);
  }

  /** Revokes a request's session at the provider. @returns The credentials that ended. @throws OAuthFailure */
  async revoke(header: HeaderReader): Promise<readonly Credential[]> {
    const value = await this.#session.read(header('cookie'));
    if (!isTokens(value)) return [];
    const sessions = await this.#withRenewed(value);
    const tokens = sessions
      .flatMap(({ refresh, access }) => [refresh, access])
      .filter((token) => token !== null);
    const attempts = await Promise.allSettled(tokens.map((token) => this.#client.revoke(token)));
    for (const attempt of attempts) if (attempt.status === 'rejected') throw attempt.reason;
    return sessions.map(credentialOf);
  }

  /** Some tokens with those that they were renewed to a moment ago; they are renewed to them no more. */
  async #withRenewed(tokens: Tokens): Promise<readonly Tokens[]> {
    if (tokens.refresh === null) return [tokens];
    const key = this.#renewalKey(tokens.refresh);
    const renewed = await renewals.get(key)?.catch(() => undefined);
    renewals.delete(key);
    return renewed === undefined ? [tokens] : [tokens, ...(await this.#withRenewed(renewed))];
  }

  /** The cookie that signs a browser out. */
  clear(): string {
    return this.#session.clear();
  }

  /** The tokens themselves, or new ones where they are about to end. */
  async #current(
    tokens: Tokens,
    answerCookie: (setCookie: string) => void,
    forget: () => void,
  ): Promise<Tokens> {
    const { refresh, expiresAt, lifetime } = tokens;
    if (refresh === null || expiresAt === null) return tokens;
    if (Date.now() < expiresAt - Math.min(MARGIN, (lifetime ?? MARGIN) * LAST_PART)) return tokens;
    try {
      const fresh = await this.#renew(refresh);
      answerCookie(await this.#keep(fresh));
      return fresh;
    } catch (error) {
      if (!(error instanceof OAuthFailure)) throw error;
      if (error.code === 'CREDENTIALS_UNKNOWN') {
        forget();
        throw new UnknownCredentialsError();
      }
      if (Date.now() < expiresAt) return tokens;
      throw error;
    }
  }

  async #renew(refresh: string): Promise<Tokens> {
    const key = this.#renewalKey(refresh);
    const known = renewals.get(key);
    const renewal = known ?? this.#client.refresh(refresh);
    if (known === undefined) renewals.set(key, renewal);
    try {
      const fresh = await renewal;
      if (known === undefined || fresh.expiresAt === null || Date.now() < fresh.expiresAt) return fresh;
    } catch (error) {
      renewals.delete(key);
      throw error;
    }
    // What it was renewed to has ended as well, and the refresh token may be good for more than once.
    if (renewals.get(key) === renewal) renewals.delete(key);
    return this.#renew(refresh);
  }

  #renewalKey(refresh: string): string {
    return createHash('sha256').update(`${this.#options.audience} ${refresh}`).digest('base64');
  }

  async #keep(tokens: Tokens): Promise<string> {
    try {
      return await this.#session.set(tokens);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new OAuthFailure("The provider's tokens are too long for a cookie.", 'INVALID_RESPONSE');
    }
  }
}

const credentialOf = ({ access }: Tokens): Credential => ({
  kind: 'oauth2',
  header: 'authorization',
  value: `Bearer ${access}`,
});
