// Manages the sessions of browsers that signed in with OAuth 2.0.
import { LRUCache } from 'lru-cache';
import type { Replicas } from '../../sharing/replicas.ts';
import { UnknownCredentialsError } from '../../upstream/errors.ts';
import {
  type Credential,
  createCredential,
  type HeaderReader,
  hashSecret,
} from '../../upstream/http/caller.ts';
import type { DescribeClient, KnownClient } from '../../upstream/http/client-headers.ts';
import {
  isEnding,
  isPending,
  isTokens,
  type OAuthClient,
  OAuthFailure,
  type Tokens,
} from './oauth-client.ts';
import { acceptsCookie, type OwnPages } from './own-pages.ts';
import { Renewals } from './renewals.ts';
import { SealedCookie } from './sealed-cookie.ts';

/** Seconds that a browser has to sign in at the provider. */
const SIGN_IN_MAX_AGE = 600;
/** Seconds that a browser stays signed in without a visit. */
const SESSION_MAX_AGE = 30 * 86_400;

/** The cookie that a response sets in the browser. */
export interface ResponseCookie {
  /** The `Set-Cookie` header; null for none. */
  setCookie: string | null;
  /** Whether the response has not begun, so that a cookie set now reaches the browser. */
  isOpen: boolean;
}

/** A client's request that may have a cookie, and the cookie of its response. */
export interface CookieRequest extends KnownClient {
  /** The cookie of the response; absent when there is no response to set one, e.g. for operations on an open WebSocket. */
  readonly cookie?: ResponseCookie | undefined;
}

/** The session in a browser's cookie. */
export interface BrowserSession {
  readonly credential: Credential;
  /** ISO 8601; null when it is unknown. */
  readonly expiresAt: string | null;
  /** Removes the cookie, because the upstream does not know its token. */
  forget(): void;
  /**
   * Uses the refresh token, because the upstream does not know the access token.
   * @throws UnknownCredentialsError when there is no refresh token, it has been used for this session already, or the provider
   *   refuses it. Each of these removes the cookie.
   * @throws StaleTokenError when the response cannot set a cookie.
   * @throws OAuthFailure when the provider cannot renew the session now.
   */
  renew(): Promise<BrowserSession>;
}

/** The token of a session has ended. A request whose response can set a cookie can renew it. */
export class StaleTokenError extends UnknownCredentialsError {}

/** The options of browser sessions. */
export interface BrowserSessionsOptions {
  /** Their origins may change. */
  readonly pages: OwnPages;
  /** See `SealOptions.secrets`. */
  readonly secrets: readonly string[] | null;
  /** Identifies the provider and the client: no other receives the tokens, even if it uses the same secret. */
  readonly audience: string;
  /** The replicas that may get requests of the same browser. */
  readonly replicas: Replicas;
  /** Makes the headers that describe the browser to the provider. */
  readonly describeClient: DescribeClient;
}

/** Sessions of browsers that signed in with OAuth 2.0. Their tokens are stored only in the browser's cookie, encrypted. */
export class BrowserSessions {
  readonly #client: OAuthClient;
  readonly #renewals: Renewals;
  readonly #options: BrowserSessionsOptions;
  readonly #signInCookie: SealedCookie;
  readonly #sessionCookie: SealedCookie;
  /** Keys of the credentials in the cookies that were read, by hashed cookie. */
  readonly #keys = new LRUCache<string, string>({ max: 1_000 });

  constructor(client: OAuthClient, options: BrowserSessionsOptions) {
    this.#client = client;
    this.#renewals = new Renewals(client, options);
    this.#options = options;
    const { secrets, audience, pages } = options;
    const { publicUrl, basePath } = pages;
    const isSecure = publicUrl?.startsWith('https:') ?? false;
    const createCookie = (name: string, maxAge: number): SealedCookie =>
      new SealedCookie(name, { secrets, audience, maxAge, isSecure, path: basePath || '/' });
    this.#signInCookie = createCookie('optiongraph_sign_in', SIGN_IN_MAX_AGE);
    this.#sessionCookie = createCookie('optiongraph_session', SESSION_MAX_AGE);
  }

  /**
   * Begins a sign-in.
   * @returns Where to redirect the browser, and the cookie that it must send back.
   * @throws RangeError when `returnTo` is too long for that cookie.
   */
  async begin(redirectUri: string, returnTo: string): Promise<{ url: string; setCookie: string }> {
    const { url, pending } = await this.#client.begin(redirectUri);
    return { url, setCookie: await this.#signInCookie.set({ ...pending, returnTo }) };
  }

  /**
   * Completes a sign-in.
   * @returns The address to return to, and the cookies to set; one of them removes the cookie of the sign-in.
   * @throws OAuthFailure when the sign-in is not this browser's, has expired, or failed at the provider.
   */
  async finish(callback: URL, request: CookieRequest): Promise<{ returnTo: string; setCookies: string[] }> {
    const pending = await this.#signInCookie.read(request.header('cookie'));
    if (!isPending(pending))
      throw new OAuthFailure(
        'This sign-in did not begin in this browser, or has expired. Sign in again.',
        'CREDENTIALS_UNKNOWN',
      );
    const { clientHeaders } = this.#options.describeClient(request);
    const tokens = await this.#client.finish(callback, pending, clientHeaders);
    return { returnTo: pending.returnTo, setCookies: [this.clearSignIn(), await this.#sealTokens(tokens)] };
  }

  /** The `Set-Cookie` header that removes the cookie of a sign-in. */
  clearSignIn(): string {
    return this.#signInCookie.clear();
  }

  /**
   * The session in a request's cookie, renewed if it is about to end and the response can set the new cookie.
   * @returns Null when there is no cookie, or when the request may not use it because another site may have sent it.
   * @throws UnknownCredentialsError when the cookie is invalid, or the provider refuses to renew the session. Both remove the cookie.
   * @throws OAuthFailure when the session has ended, and the provider cannot renew it now.
   */
  async sessionFor(request: CookieRequest): Promise<BrowserSession | null> {
    const { header, cookie } = request;
    if (!this.mayUse(header)) return null;
    const sealed = this.#sessionCookie.sealedIn(header('cookie'));
    if (sealed === null) return null;
    const value = await this.#sessionCookie.open(sealed);
    if (!isTokens(value)) return this.#rejectSession(cookie);
    this.#keys.set(hashSecret(sealed), toCredential(value).key);
    const canRenew = cookie?.isOpen === true;
    if (!canRenew || !isEnding(value)) return this.#toSession(value, request);
    try {
      return await this.#renewSession(value, request);
    } catch (error) {
      // A session that cannot be renewed now is valid until its end.
      const hasEnded = value.expiresAt !== null && Date.now() >= value.expiresAt;
      if (hasEnded || !(error instanceof OAuthFailure)) throw error;
      return this.#toSession(value, request);
    }
  }

  /** The key of the credential in a request's cookie; null where this process has not read that cookie before. */
  knownKey(header: HeaderReader): string | null {
    const sealed = this.#sessionCookie.sealedIn(header('cookie'));
    return sealed === null ? null : (this.#keys.get(hashSecret(sealed)) ?? null);
  }

  /** Whether a request may use a cookie; see `acceptsCookie`. */
  mayUse(header: HeaderReader): boolean {
    return acceptsCookie(header, this.#options.pages);
  }

  /**
   * Revokes a request's session at the provider.
   * @returns The credentials that have ended.
   * @throws OAuthFailure when the provider cannot revoke a token.
   */
  async revoke(request: CookieRequest): Promise<readonly Credential[]> {
    const value = await this.#sessionCookie.read(request.header('cookie'));
    if (!isTokens(value)) return [];
    const sessions = await this.#renewals.take(value);
    const tokens = sessions
      .flatMap(({ refresh, access }) => [refresh, access])
      .filter((token) => token !== null);
    const { clientHeaders } = this.#options.describeClient(request);
    const attempts = await Promise.allSettled(
      tokens.map((token) => this.#client.revoke(token, clientHeaders)),
    );
    for (const attempt of attempts) if (attempt.status === 'rejected') throw attempt.reason;
    return sessions.map(toCredential);
  }

  /** The `Set-Cookie` header that signs a browser out. */
  clearSession(): string {
    return this.#sessionCookie.clear();
  }

  #toSession(tokens: Tokens, request: CookieRequest, isRenewed = false): BrowserSession {
    const { expiresAt } = tokens;
    return {
      credential: toCredential(tokens),
      expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      forget: () => this.#removeCookie(request.cookie),
      renew: () =>
        this.#renewSession(isRenewed ? { ...tokens, refresh: null } : tokens, request, tokens.access),
    };
  }

  /**
   * Renews a session. Throws as `BrowserSession.renew` does.
   * @param refused The access token that the upstream does not know; null when the token is only about to end.
   */
  async #renewSession(
    { refresh }: Tokens,
    request: CookieRequest,
    refused: string | null = null,
  ): Promise<BrowserSession> {
    const { cookie } = request;
    if (refresh === null) return this.#rejectSession(cookie);
    if (cookie?.isOpen !== true) throw new StaleTokenError();
    try {
      const { clientHeaders } = this.#options.describeClient(request);
      const fresh = await this.#renewals.renew(refresh, refused, clientHeaders);
      cookie.setCookie = await this.#sealTokens(fresh);
      return this.#toSession(fresh, request, true);
    } catch (error) {
      if (error instanceof OAuthFailure && error.code === 'CREDENTIALS_UNKNOWN')
        return this.#rejectSession(cookie);
      throw error;
    }
  }

  /** Removes the cookie and throws UnknownCredentialsError. */
  #rejectSession(cookie: ResponseCookie | undefined): never {
    this.#removeCookie(cookie);
    throw new UnknownCredentialsError();
  }

  #removeCookie(cookie: ResponseCookie | undefined): void {
    if (cookie !== undefined) cookie.setCookie = this.#sessionCookie.clear();
  }

  async #sealTokens(tokens: Tokens): Promise<string> {
    try {
      return await this.#sessionCookie.set(tokens);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new OAuthFailure("The provider's tokens are too long for a cookie.", 'INVALID_RESPONSE');
    }
  }
}

const toCredential = ({ access }: Tokens): Credential =>
  createCredential('oauth2', 'authorization', `Bearer ${access}`);
