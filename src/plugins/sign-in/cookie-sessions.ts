// Keeps the sessions of browsers that signed in with OAuth 2.0 in their cookies, encrypted.
import {
  type BrowserSession,
  type BrowserSessions,
  StaleTokenError,
} from '../../callers/browser-sessions.ts';
import type { CookieRequest } from '../../callers/requester.ts';
import type { Services } from '../../server/plugin.ts';
import { UnknownCredentialsError } from '../../upstream/errors.ts';
import { type Credential, createCredential, type HeaderReader } from '../../upstream/http/caller.ts';
import { hasEnded, isEnding, type OAuthClient, OAuthFailure, type Tokens } from './oauth-client.ts';
import type { Renewals } from './renewals.ts';
import type { SealedCookie } from './sealed-cookie.ts';

/** The sessions at one provider. Tokens are stored only in the browser's cookie. */
export class CookieSessions implements BrowserSessions {
  readonly cookie: SealedCookie<Tokens>;
  readonly #client: OAuthClient;
  readonly #renewals: Renewals;
  readonly #services: Services;

  constructor(client: OAuthClient, cookie: SealedCookie<Tokens>, renewals: Renewals, services: Services) {
    this.#client = client;
    this.cookie = cookie;
    this.#renewals = renewals;
    this.#services = services;
  }

  async sessionFor(request: CookieRequest): Promise<BrowserSession | null> {
    const tokens = this.cookie.read(request.header);
    if (tokens === undefined || !this.mayUse(request.header)) return null;
    if (tokens === null) return this.#reject(request.cookie);
    const session = this.#toSession(tokens, request.cookie, () => this.#renew(tokens, request));
    if (request.cookie?.isOpen !== true || !isEnding(tokens)) return session;
    try {
      return await session.renew();
    } catch (error) {
      // A session that cannot be renewed now is valid until its end.
      if (hasEnded(tokens) || !(error instanceof OAuthFailure)) throw error;
      return session;
    }
  }

  knownKey(header: HeaderReader): string | null {
    const tokens = this.cookie.read(header);
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
      : this.#services.isFromOwnPage(header);
  }

  /**
   * Revokes a request's session at the provider.
   * @returns The credentials that have ended.
   * @throws OAuthFailure when the provider cannot revoke a token.
   */
  async revoke(request: CookieRequest): Promise<readonly Credential[]> {
    const value = this.cookie.read(request.header);
    if (!value) return [];
    const sessions = await this.#renewals.take(value);
    const tokens = sessions.flatMap(({ refresh, access }) => (refresh === null ? access : [refresh, access]));
    const headers = this.#services.describeClient(request).clientHeaders;
    const attempts = await Promise.allSettled(tokens.map((token) => this.#client.revoke(token, headers)));
    for (const attempt of attempts) if (attempt.status === 'rejected') throw attempt.reason;
    return sessions.map(toCredential);
  }

  #toSession(tokens: Tokens, cookie: RequestCookie, renew: BrowserSession['renew']): BrowserSession {
    const { expiresAt } = tokens;
    return {
      credential: toCredential(tokens),
      expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      forget: () => this.#removeCookie(cookie),
      renew,
    };
  }

  /** Renews a session. Throws as `BrowserSession.renew` does. */
  async #renew(tokens: Tokens, request: CookieRequest): Promise<BrowserSession> {
    const { cookie } = request;
    if (tokens.refresh === null) return this.#reject(cookie);
    if (cookie?.isOpen !== true) throw new StaleTokenError();
    try {
      const { clientHeaders } = this.#services.describeClient(request);
      const fresh = await this.#renewals.renew(tokens, tokens.refresh, clientHeaders);
      cookie.setCookie = this.cookie.set(fresh);
      // To renew new tokens again would not help.
      return this.#toSession(fresh, cookie, async () => this.#reject(cookie));
    } catch (error) {
      if (error instanceof OAuthFailure && error.code === 'CREDENTIALS_UNKNOWN') return this.#reject(cookie);
      throw error;
    }
  }

  /** Removes the cookie and throws UnknownCredentialsError. */
  #reject(cookie: RequestCookie): never {
    this.#removeCookie(cookie);
    throw new UnknownCredentialsError();
  }

  #removeCookie(cookie: RequestCookie): void {
    if (cookie !== undefined) cookie.setCookie = this.cookie.clear();
  }
}

type RequestCookie = CookieRequest['cookie'];

const toCredential = ({ access }: Tokens): Credential =>
  createCredential('oauth2', 'authorization', `Bearer ${access}`);
