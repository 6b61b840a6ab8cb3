// Defines sessions of browsers whose credential is in a cookie. A plugin has them.
import { UnknownCredentialsError } from '../upstream/errors.ts';
import type { Credential, HeaderReader } from '../upstream/http/caller.ts';
import type { CookieRequest } from './requester.ts';

/** The session in a browser's cookie. */
export interface BrowserSession {
  readonly credential: Credential;
  /** ISO 8601; null when it is unknown. */
  readonly expiresAt: string | null;
  /** Removes the cookie, because the upstream does not know its token. */
  forget(): void;
  /**
   * Uses the refresh token, because the upstream does not know the access token. Rejects with an OptiongraphError when the provider cannot
   * renew the session now.
   * @throws UnknownCredentialsError when there is no refresh token, it has been used for this session already, or the provider
   *   refuses it. Each of these removes the cookie.
   * @throws StaleTokenError when the response cannot set a cookie.
   */
  renew(): Promise<BrowserSession>;
}

/** The sessions of browsers. */
export interface BrowserSessions {
  /**
   * The session in a request's cookie, renewed if it is about to end and the response can set the new cookie. Rejects with an
   * OptiongraphError when the session has ended, and the provider cannot renew it now.
   * @returns Null when there is no cookie, or when the request may not use it because another site may have sent it.
   * @throws UnknownCredentialsError when the cookie is invalid, or the provider refuses to renew the session. Both remove the cookie.
   */
  sessionFor(request: CookieRequest): Promise<BrowserSession | null>;
  /** The key of the credential in a request's cookie; null for none. */
  knownKey(header: HeaderReader): string | null;
}

/** The token of a session has ended. A request whose response can set a cookie can renew it. */
export class StaleTokenError extends UnknownCredentialsError {}
