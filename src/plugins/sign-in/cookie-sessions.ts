// Keeps the sessions of browsers that signed in with OAuth 2.0 in their cookies, encrypted.
import { LRUCache } from 'lru-cache';
import {
  type BrowserSession,
  type BrowserSessions,
  StaleTokenError,
} from '../../callers/browser-sessions.ts';
import {
  type CookieRequest,
  isFromOwnPage,
  type OwnPages,
  type ResponseCookie,
} from '../../callers/requester.ts';
import type { Replicas } from '../../sharing/replicas.ts';
import { UnknownCredentialsError } from '../../upstream/errors.ts';
import {
  type Credential,
  createCredential,
  type HeaderReader,
  hashSecret,
} from '../../upstream/http/caller.ts';
import type { DescribeClient } from '../../upstream/http/client-headers.ts';
import {
  isEnding,
  isPending,
  isTokens,
  type OAuthClient,
  OAuthFailure,
  type Tokens,
} from './oauth-client.ts';
import { Renewals } from './renewals.ts';
import { SealedCookie } from './sealed-cookie.ts';

/** Seconds that a browser has to sign in at the provider. */
const SIGN_IN_MAX_AGE = 600;
/** Seconds that a browser stays signed in without a visit. */
const SESSION_MAX_AGE = 30 * 86_400;

/** The options of the sessions. */
export interface CookieSessionsOptions {
  /** Their origins may change. */
  readonly pages: OwnPages;
  /** See `SealOptions.secrets`. */
  readonly secrets: readonly string[] | null;
  /** Identifies the provider and the client: no other receives the tokens, even if it uses the same secret. */
  readonly audience: string;
  readonly replicas: Replicas;
  readonly describeClient: DescribeClient;
}

/** The sessions at one provider. Tokens are stored only in the browser's cookie. */
export class CookieSessions implements BrowserSessions {
  readonly #client: OAuthClient;
  readonly #renewals: Renewals;
  readonly #options: CookieSessionsOptions;
  readonly #signInCookie: SealedCookie;
  readonly #sessionCookie: SealedCookie;
  /** Keys of the credentials in the cookies that were read, by hashed cookie. */
  readonly #keys = new LRUCache<string, string>({ max: 1_000 });

  constructor(client: OAuthClient, options: CookieSessionsOptions) {
    this.#client = client;
    this.#renewals = new Renewals(client, options.replicas, options.audience);
    this.#options = options;
    const { secrets, audience } = options;
    const { publicUrl, basePath } = options.pages;
    const place = { isSecure: publicUrl?.startsWith('https:') ?? false, path: basePath || '/' };
    const seal = { secrets, audience, ...place };
    this.#signInCookie = new SealedCookie('optiongraph_sign_in', { ...seal, maxAge: SIGN_IN_MAX_AGE });
    this.#sessionCookie = new SealedCookie('optiongraph_session', { ...seal, maxAge: SESSION_MAX_AGE });
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
    const tokens = await this.#client.finish(callback, pending, this.#clientHeaders(request));
    return { returnTo: pending.returnTo, setCookies: [this.clearSignIn(), await this.#sealTokens(tokens)] };
  }

  /** The `Set-Cookie` header that removes the cookie of a sign-in. */
  clearSignIn(): string {
    return this.#signInCookie.clear();
  }

  /** The `Set-Cookie` header that signs a browser out. */
  clearSession(): string {
    return this.#sessionCookie.clear();
  }

  async sessionFor(request: CookieRequest): Promise<BrowserSession | null> {
    const sealed = this.#sessionCookie.sealedIn(request.header('cookie'));
    if (sealed === null || !this.mayUse(request.header)) return null;
    const tokens = await this.#sessionCookie.open(sealed);
    if (!isTokens(tokens)) return this.#reject(request.cookie);
    this.#keys.set(hashSecret(sealed), toCredential(tokens).key);
    if (request.cookie?.isOpen !== true || !isEnding(tokens)) return this.#toSession(tokens, request);
    try {
      return await this.#renew(tokens, request);
    } catch (error) {
      // A session that cannot be renewed now is valid until its end.
      const hasEnded = tokens.expiresAt !== null && Date.now() >= tokens.expiresAt;
      if (hasEnded || !(error instanceof OAuthFailure)) throw error;
      return this.#toSession(tokens, request);
    }
  }

  knownKey(header: HeaderReader): string | null {
    const sealed = this.#sessionCookie.sealedIn(header('cookie'));
    return sealed === null ? null : (this.#keys.get(hashSecret(sealed)) ?? null);
  }

  /**
   * Whether a request may use a cookie: it comes from one of the facade's pages, and browsers send such a request to another site only
   * after a preflight, or it upgrades to a WebSocket.
   */
  mayUse(header: HeaderReader): boolean {
    const needsPreflightOrUpgrade =
      header('upgrade')?.toLowerCase() === 'websocket' ||
      header('content-type')?.toLowerCase().startsWith('application/json') === true ||
      header('x-requested-with') !== null;
    if (!needsPreflightOrUpgrade) return false;
    return header('origin') === null
      ? header('sec-fetch-site') === 'same-origin'
      : isFromOwnPage(header, this.#options.pages);
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
    const tokens = sessions.flatMap(({ refresh, access }) => (refresh === null ? access : [refresh, access]));
    const headers = this.#clientHeaders(request);
    const attempts = await Promise.allSettled(tokens.map((token) => this.#client.revoke(token, headers)));
    for (const attempt of attempts) if (attempt.status === 'rejected') throw attempt.reason;
    return sessions.map(toCredential);
  }

  #clientHeaders(request: CookieRequest) {
    return this.#options.describeClient(request).clientHeaders;
  }

  /** @param isRenewed Whether the tokens are new, so that renewing them again would not help. */
  #toSession(tokens: Tokens, request: CookieRequest, isRenewed = false): BrowserSession {
    const { expiresAt, access } = tokens;
    return {
      credential: toCredential(tokens),
      expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      forget: () => this.#removeCookie(request.cookie),
      renew: () => this.#renew(isRenewed ? { refresh: null } : tokens, request, access),
    };
  }

  /**
   * Renews a session. Throws as `BrowserSession.renew` does.
   * @param refused The access token that the upstream does not know; null when the token is only about to end.
   */
  async #renew(
    { refresh }: Pick<Tokens, 'refresh'>,
    request: CookieRequest,
    refused: string | null = null,
  ): Promise<BrowserSession> {
    const { cookie } = request;
    if (refresh === null) return this.#reject(cookie);
    if (cookie?.isOpen !== true) throw new StaleTokenError();
    try {
      const fresh = await this.#renewals.renew(refresh, refused, this.#clientHeaders(request));
      cookie.setCookie = await this.#sealTokens(fresh);
      return this.#toSession(fresh, request, true);
    } catch (error) {
      if (error instanceof OAuthFailure && error.code === 'CREDENTIALS_UNKNOWN') return this.#reject(cookie);
      throw error;
    }
  }

  /** Removes the cookie and throws UnknownCredentialsError. */
  #reject(cookie: ResponseCookie | undefined): never {
    this.#removeCookie(cookie);
    throw new UnknownCredentialsError();
  }

  #removeCookie(cookie: ResponseCookie | undefined): void {
    if (cookie !== undefined) cookie.setCookie = this.clearSession();
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
