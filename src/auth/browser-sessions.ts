import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { UnknownCredentialsError } from '../upstream/errors/request-errors.ts';
import type { Credential, HeaderReader } from '../upstream/http/authentication.ts';
import type { AnswerCookie } from './answer-cookie.ts';
import { type OAuthClient, OAuthFailure, type Tokens } from './oauth-client.ts';
import { acceptsCookie, type OwnPages } from './own-pages.ts';
import { SealedCookie } from './sealed-cookie.ts';
import { isPending, isTokens } from './sealed-values.ts';

/** Renewed so long before its end at the most, in milliseconds, and in this last part of its life. */
const MARGIN = 60_000;
const LAST_PART = 0.25;
/** Seconds until a browser must have come back from the provider, and for which it stays signed in without a visit. */
const SIGN_IN_TIME = 600;
const SESSION_TIME = 30 * 86_400;

/** Who may have a cookie, and how the answer gives them another. */
export interface CookieRequest {
  readonly header: HeaderReader;
  /** The cookie that the answer brings; absent where it can bring none, as on a WebSocket that is open. */
  readonly cookie?: AnswerCookie;
}

/** A browser's session, found in its cookie. */
export interface BrowserSession {
  readonly credential: Credential;
  /** ISO 8601; null where it is not known. */
  readonly expiresAt: string | null;
  /** Takes the cookie away, since the upstream does not know its token (any more). */
  forget(): void;
  /**
   * Uses the refresh token, since the upstream does not know the access token (any more).
   * @throws UnknownCredentialsError when there is none, it was used for this session already, or the provider refuses it; each
   *   takes the cookie away.
   * @throws StaleTokenError when the answer can bring no cookie.
   * @throws OAuthFailure when the provider cannot renew the session now.
   */
  renew(): Promise<BrowserSession>;
}

/** The token of a session has ended. Another request can renew it, whose answer can bring the new cookie. */
export class StaleTokenError extends UnknownCredentialsError {}

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
  async sessionFor({ header, cookie }: CookieRequest): Promise<BrowserSession | null> {
    if (!this.mayUse(header)) return null;
    const value = await this.#session.read(header('cookie'));
    if (value === null) return null;
    if (!isTokens(value)) return this.#end(cookie);
    const canRenew = cookie?.isOpen === true;
    if (!canRenew || !isEnding(value)) return this.#sessionOf(value, cookie);
    try {
      return await this.#renewed(value, cookie);
    } catch (error) {
      // What the provider cannot renew now is good till its end.
      const isOver = value.expiresAt !== null && Date.now() >= value.expiresAt;
      if (isOver || !(error instanceof OAuthFailure)) throw error;
      return this.#sessionOf(value, cookie);
    }
  }

  /** Whether a request may use a cookie. */
  mayUse(header: HeaderReader): boolean {
    return acceptsCookie(header, this.#options);
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

  #sessionOf(tokens: Tokens, cookie: AnswerCookie | undefined, isRenewed = false): BrowserSession {
    const { expiresAt } = tokens;
    return {
      credential: credentialOf(tokens),
      expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      forget: () => cookie?.set(this.#session.clear()),
      renew: () => this.#renewed(isRenewed ? { ...tokens, refresh: null } : tokens, cookie, tokens.access),
    };
  }

  /**
   * The session with new tokens. Throws as `BrowserSession.renew` does.
   * @param refused The access token that the upstream does not know; null: it is about to end.
   */
  async #renewed(
    { refresh }: Tokens,
    cookie: AnswerCookie | undefined,
    refused: string | null = null,
  ): Promise<BrowserSession> {
    if (refresh === null) return this.#end(cookie);
    if (cookie?.isOpen !== true) throw new StaleTokenError();
    try {
      const fresh = await this.#refresh(refresh, refused);
      cookie.set(await this.#keep(fresh));
      return this.#sessionOf(fresh, cookie, true);
    } catch (error) {
      if (error instanceof OAuthFailure && error.code === 'CREDENTIALS_UNKNOWN') return this.#end(cookie);
      throw error;
    }
  }

  #end(cookie: AnswerCookie | undefined): never {
    cookie?.set(this.#session.clear());
    throw new UnknownCredentialsError();
  }

  async #refresh(refresh: string, refused: string | null): Promise<Tokens> {
    const key = this.#renewalKey(refresh);
    const known = renewals.get(key);
    const renewal = known ?? this.#client.refresh(refresh);
    if (known === undefined) renewals.set(key, renewal);
    try {
      const fresh = await renewal;
      const isGood = fresh.access !== refused && (fresh.expiresAt === null || Date.now() < fresh.expiresAt);
      if (known === undefined || isGood) return fresh;
    } catch (error) {
      renewals.delete(key);
      throw error;
    }
    // What it was renewed to has ended as well, and the refresh token may be good for more than once.
    if (renewals.get(key) === renewal) renewals.delete(key);
    return this.#refresh(refresh, refused);
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

/** Whether tokens are to be renewed before they are used. */
function isEnding({ refresh, expiresAt, lifetime }: Tokens): boolean {
  if (refresh === null || expiresAt === null) return false;
  return Date.now() >= expiresAt - Math.min(MARGIN, (lifetime ?? MARGIN) * LAST_PART);
}

const credentialOf = ({ access }: Tokens): Credential => ({
  kind: 'oauth2',
  header: 'authorization',
  value: `Bearer ${access}`,
});
