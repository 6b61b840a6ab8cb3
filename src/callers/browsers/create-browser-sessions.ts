// Creates browser sessions from the configuration and the description.
import type { Log } from '../../telemetry/log.ts';
import type { Description } from '../../upstream/description/description.ts';
import { defaultTokenScope } from '../../upstream/description/token-method.ts';
import type { ConnectionOptions } from '../../upstream/http/dispatcher.ts';
import { BrowserSessions, type BrowserSessionsOptions } from './browser-sessions.ts';
import { createOAuthClient, createProviderDispatcher, type OAuthCredentials } from './oauth-client.ts';

/** The facade's registration at the API's OAuth 2.0 provider, and the settings of browser sessions. */
export interface OAuthOptions extends OAuthCredentials {
  /** Scope that browsers request; null (default): the scope of a token that is requested without one. */
  readonly scope?: string | null;
  /**
   * Encrypts session cookies, 32 characters or more; null (default): a random secret, so that sessions end with the process. Of several,
   * the first encrypts, and all decrypt.
   */
  readonly sessionSecret?: string | readonly string[] | null;
}

/** What browser sessions are created from, besides the description. */
interface SessionsConfiguration
  extends Pick<BrowserSessionsOptions, 'pages' | 'replicas' | 'describeClient'> {
  readonly oauth?: OAuthOptions | null;
  /** Address of the management API. */
  readonly upstream: URL;
  /** How the management API is reached. Its authorities and proxies hold for the provider too. */
  readonly transport?: ConnectionOptions;
  readonly log: Log;
}

/** Creates browser sessions; null when OAuth 2.0 is not configured, or the API describes no provider. */
export function createBrowserSessions(
  { authentication }: Description,
  { oauth = null, pages, upstream, transport = {}, log, replicas, describeClient }: SessionsConfiguration,
): BrowserSessions | null {
  const endpoints = authentication.oauth2?.endpoints ?? null;
  if (oauth === null) return null;
  if (endpoints === null) {
    log.warn('OAuth 2.0 is configured, but the API describes no OAuth 2.0 provider', { event: 'start' });
    return null;
  }
  const { clientId, sessionSecret = null } = oauth;
  const secrets = typeof sessionSecret === 'string' ? [sessionSecret] : sessionSecret;
  const audience = `${endpoints.token} ${clientId}`;
  const scope = oauth.scope ?? defaultTokenScope(authentication);
  // Each deployment defines its own scopes, so there is none to fall back to: the provider could refuse it, and nobody could sign in.
  if (scope === null)
    log.warn(
      'the API describes no default scope, so its provider chooses the scope of browsers; set it with --oauth-scope',
      { event: 'start' },
    );
  const dispatcher = createProviderDispatcher(endpoints, upstream, transport);
  const client = createOAuthClient(endpoints, oauth, scope, dispatcher);
  return new BrowserSessions(client, { secrets, audience, pages, replicas, describeClient });
}
