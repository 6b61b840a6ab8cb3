// Keeps the sessions of browsers that signed in with OAuth 2.0 in their cookies, encrypted.
import {
  type BrowserSession,
  type BrowserSessions,
  StaleTokenError,
} from '../../callers/browser-sessions.ts';
import { type CookieRequest, isFromOwnPage, type ResponseCookie } from '../../callers/requester.ts';
import type { Services } from '../../server/plugin.ts';
import { UnknownCredentialsError } from '../../upstream/errors.ts';
import { type Credential, createCredential, type HeaderReader } from '../../upstream/http/caller.ts';
import { isEnding, type OAuthClient, OAuthFailure, type Tokens } from './oauth-client.ts';
import type { Renewals } from './renewals.ts';
import type { SealedCookie } from './sealed-cookie.ts';

/** The sessions at one provider. Tokens are stored only in the browser's cookie. */
export class CookieSessions implements BrowserSessions {
  readonly #client: OAuthClient;
  readonly #cookie: SealedCookie<Tokens>;
  readonly #renewals: Renewals;
  /** The origins of the pages may change. */
  readonly #services: Pick<Services, 'pages' | 'describeClient'>;

  constructor(
    client: OAuthClient,
    cookie: SealedCookie<Tokens>,
    renewals: Renewals,
    services: Pick<Services, 'pages' | 'describeClient'>,
  ) {
    this.#client = client;
    this.#cookie = cookie;
    this.#renewals = renewals;
    this.#services = services;
  }

  /** The `Set-Cookie` header that signs a browser in. @throws OAuthFailure when the tokens are too long. */
  begin(tokens: Tokens): string {
    try {
      return this.#cookie.set(tokens);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new OAuthFailure("The provider's tokens are too long for a cookie.", 'INVALID_RESPONSE');
    }
  }

  /** The `Set-Cookie` header that signs a browser out. */
  clear(): string {
    return this.#cookie.clear();
  }

  async sessionFor(request: CookieRequest): Promise<BrowserSession | null> {
    const tokens = this.#cookie.read(request.header('cookie'));
    if (tokens === undefined || !this.mayUse(request.header)) return null;
    if (tokens === null) return this.#reject(request.cookie);
    const session = this.#toSession(tokens, request);
    if (request.cookie?.isOpen !== true || !isEnding(tokens)) return session;
    try {
      return await session.renew();
    } catch (error) {
      // A session that cannot be renewed now is valid until its end.
      const hasEnded = tokens.expiresAt !== null && Date.now() >= tokens.expiresAt;
      if (hasEnded || !(error instanceof OAuthFailure)) throw error;
      return session;
    }
  }

  knownKey(header: HeaderReader): string | null {
    const cookies = header('cookie');
    const tokens = cookies === null ? null : this.#cookie.read(cookies);
    return tokens ? toCredential(tokens).key : null;
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
      : isFromOwnPage(header, this.#services.pages);
  }

  /**
   * Revokes a request's session at the provider.
   * @returns The credentials that have ended.
   * @throws OAuthFailure when the provider cannot revoke a token.
   */
  async revoke(request: CookieRequest): Promise<readonly Credential[]> {
    const value = this.#cookie.read(request.header('cookie'));
    if (!value) return [];
    const sessions = await this.#renewals.take(value);
    const tokens = sessions.flatMap(({ refresh, access }) => (refresh === null ? access : [refresh, access]));
    const headers = this.#services.describeClient(request).clientHeaders;
    const attempts = await Promise.allSettled(tokens.map((token) => this.#client.revoke(token, headers)));
    for (const attempt of attempts) if (attempt.status === 'rejected') throw attempt.reason;
    return sessions.map(toCredential);
  }

  /** @param isRenewed Whether the tokens are new, so that renewing them again would not help. */
  #toSession(tokens: Tokens, request: CookieRequest, isRenewed = false): BrowserSession {
    const { expiresAt } = tokens;
    return {
      credential: toCredential(tokens),
      expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      forget: () => this.#removeCookie(request.cookie),
      renew: async () => (isRenewed ? this.#reject(request.cookie) : this.#renew(tokens, request)),
    };
  }

  /** Renews a session. Throws as `BrowserSession.renew` does. */
  async #renew(tokens: Tokens, request: CookieRequest): Promise<BrowserSession> {
    const { cookie } = request;
    if (tokens.refresh === null) return this.#reject(cookie);
    if (cookie?.isOpen !== true) throw new StaleTokenError();
    try {
      const fresh = await this.#renewals.renew(
        tokens,
        tokens.refresh,
        this.#services.describeClient(request).clientHeaders,
      );
      cookie.setCookie = this.begin(fresh);
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
    if (cookie !== undefined) cookie.setCookie = this.clear();
  }
}

const toCredential = ({ access }: Tokens): Credential =>
  createCredential('oauth2', 'authorization', `Bearer ${access}`);
