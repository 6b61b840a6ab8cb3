// Keeps the sessions of browsers that signed in with OAuth 2.0 in their cookies, encrypted.
import { type BrowserSession, StaleTokenError } from '../../callers/browser-sessions.ts';
import type { CookieRequest } from '../../callers/requester.ts';
import type { Services } from '../../server/plugin.ts';
import { UnknownCredentialsError } from '../../upstream/errors.ts';
import { type Credential, createCredential, type HeaderReader } from '../../upstream/http/caller.ts';
import { hasEnded, isEnding, type OAuthClient, OAuthFailure, type Tokens } from './oauth-client.ts';
import type { Renewals } from './renewals.ts';
import type { SealedCookie } from './sealed-cookie.ts';

type RequestCookie = CookieRequest['cookie'];

const toCredential = ({ access }: Tokens): Credential =>
  createCredential('oauth2', 'authorization', `Bearer ${access}`);

/** The sessions at one provider. Tokens are stored only in the browser's cookie. */
export type CookieSessions = ReturnType<typeof createCookieSessions>;

export function createCookieSessions(
  client: OAuthClient,
  cookie: SealedCookie<Tokens>,
  renewals: Renewals,
  { describeClient, isFromOwnPage }: Services,
) {
  const removeCookie = (given: RequestCookie): void => {
    if (given !== undefined) given.setCookie = cookie.clear();
  };
  const reject = (given: RequestCookie): never => {
    removeCookie(given);
    throw new UnknownCredentialsError();
  };
  const toSession = (
    tokens: Tokens,
    given: RequestCookie,
    renew: BrowserSession['renew'],
  ): BrowserSession => ({
    credential: toCredential(tokens),
    expiresAt: tokens.expiresAt === null ? null : new Date(tokens.expiresAt).toISOString(),
    forget: () => removeCookie(given),
    renew,
  });
  /** Throws as `BrowserSession.renew` does. */
  const renew = async (tokens: Tokens, request: CookieRequest): Promise<BrowserSession> => {
    const given = request.cookie;
    if (tokens.refresh === null) return reject(given);
    if (given?.isOpen !== true) throw new StaleTokenError();
    try {
      const fresh = await renewals.renew(tokens, tokens.refresh, describeClient(request).clientHeaders);
      given.setCookie = cookie.set(fresh);
      // To renew new tokens again would not help.
      return toSession(fresh, given, async () => reject(given));
    } catch (error) {
      if (error instanceof OAuthFailure && error.code === 'CREDENTIALS_UNKNOWN') return reject(given);
      throw error;
    }
  };
  /**
   * Whether a request may use a cookie: it comes from one of the facade's pages, and browsers send such a request to another site only
   * after a preflight, or it upgrades to a WebSocket.
   */
  const mayUse = (header: HeaderReader): boolean => {
    const needsPreflightOrUpgrade =
      header('upgrade')?.toLowerCase() === 'websocket' ||
      header('content-type')?.toLowerCase().startsWith('application/json') === true ||
      header('x-requested-with') !== null;
    if (!needsPreflightOrUpgrade) return false;
    return header('origin') === null ? header('sec-fetch-site') === 'same-origin' : isFromOwnPage(header);
  };
  return {
    cookie,
    mayUse,
    /** See `BrowserSessions`. */
    async sessionFor(request: CookieRequest): Promise<BrowserSession | null> {
      const tokens = cookie.read(request.header);
      if (tokens === undefined || !mayUse(request.header)) return null;
      if (tokens === null) return reject(request.cookie);
      const session = toSession(tokens, request.cookie, () => renew(tokens, request));
      if (request.cookie?.isOpen !== true || !isEnding(tokens)) return session;
      try {
        return await session.renew();
      } catch (error) {
        // A session that cannot be renewed now is valid until its end.
        if (hasEnded(tokens) || !(error instanceof OAuthFailure)) throw error;
        return session;
      }
    },
    /** See `BrowserSessions`. */
    knownKey(header: HeaderReader): string | null {
      const tokens = cookie.read(header);
      return tokens ? toCredential(tokens).key : null;
    },
    /**
     * Revokes a request's session at the provider.
     * @returns The credentials that have ended.
     * @throws OAuthFailure when the provider cannot revoke a token.
     */
    async revoke(request: CookieRequest): Promise<readonly Credential[]> {
      const value = cookie.read(request.header);
      if (!value) return [];
      const sessions = await renewals.take(value);
      const tokens = sessions.flatMap(({ refresh, access }) =>
        refresh === null ? [access] : [refresh, access],
      );
      const { clientHeaders } = describeClient(request);
      const attempts = await Promise.allSettled(tokens.map((token) => client.revoke(token, clientHeaders)));
      for (const attempt of attempts) if (attempt.status === 'rejected') throw attempt.reason;
      return sessions.map(toCredential);
    },
  };
}
