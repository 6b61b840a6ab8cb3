import type { Log } from '../log/log.ts';
import type { Description } from '../upstream/description/description.ts';
import { defaultTokenScope } from '../upstream/description/token-method.ts';
import { BrowserSessions } from './browser-sessions.ts';
import { createOAuthClient, type OAuthCredentials } from './oauth-client.ts';

/** The facade as a client of the API's OAuth 2.0 provider. */
export interface OAuthOptions extends OAuthCredentials {
  /** What browsers ask the provider for; null (default): what a token gets that is requested without a scope. */
  readonly scope?: string | null;
  /** Encrypts the cookies of sessions, at least 32 characters; null (default): a secret of this process, with which they end. */
  readonly sessionSecret?: string | null;
  /** Address under which browsers reach the facade, without a path; default: the request's, on this machine alone. */
  readonly publicUrl?: string | null;
  /** Foreign origins whose pages may sign in and use the cookie; default: none. */
  readonly origins?: readonly string[];
}

/** Sessions of browsers, where the operator and the description give what it takes. */
export function configuredSessions(
  { authentication }: Description,
  oauth: OAuthOptions | null,
  log: Log,
): BrowserSessions | null {
  const endpoints = authentication.oauth2?.endpoints ?? null;
  if (oauth === null) return null;
  if (endpoints === null) {
    log.warn('signing in by OAuth 2.0 is configured, but the API describes no provider');
    return null;
  }
  const { clientId, sessionSecret: secret = null, publicUrl = null, origins = [] } = oauth;
  const audience = `${endpoints.token} ${clientId}`;
  const scope = oauth.scope ?? defaultTokenScope(authentication);
  // Scopes are the deployment's own: a guessed one could be refused, and nobody could sign in.
  if (scope === null)
    log.warn(
      'the API describes no default scope, so its provider chooses what browsers get; --oauth-scope sets it',
    );
  const client = createOAuthClient(endpoints, oauth, scope);
  return new BrowserSessions(client, { secret, audience, publicUrl, origins });
}
