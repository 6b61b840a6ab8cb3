// Signs browsers in at the API's OAuth 2.0 provider: their sessions, and the routes that begin and end them.
import { credentialMessage, fromMessage, toMessage } from '../../callers/shared-reads.ts';
import type { Services, StartedPlugin } from '../../server/plugin.ts';
import { openChannel } from '../../sharing/replicas.ts';
import { defaultTokenScope } from '../../upstream/description/token-method.ts';
import type { Credential } from '../../upstream/http/caller.ts';
import type { ConnectionOptions } from '../../upstream/http/dispatcher.ts';
import { CookieSessions } from './cookie-sessions.ts';
import { createOAuthClient, createProviderDispatcher, type OAuthCredentials } from './oauth-client.ts';
import { createSignInRoutes } from './sign-in-routes.ts';

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

/** What the sign-in needs of the options of a facade. */
export interface SignInParts {
  readonly oauth: OAuthOptions;
  /** Address of the management API. */
  readonly upstream: URL;
  /** How the management API is reached. Its authorities and proxies hold for the provider too. */
  readonly transport?: ConnectionOptions | undefined;
}

/** Starts the plugin; null when the API describes no provider. */
export function useSignIn(
  { oauth, upstream, transport = {} }: SignInParts,
  services: Services,
): StartedPlugin | null {
  const { log, callers, replicas, api } = services;
  const { authentication } = callers.base.description;
  const endpoints = authentication.oauth2?.endpoints ?? null;
  const start = { event: 'start' };
  if (endpoints === null) {
    log.warn('OAuth 2.0 is configured, but the API describes no OAuth 2.0 provider', start);
    return null;
  }
  const { clientId, sessionSecret = null } = oauth;
  const scope = oauth.scope ?? defaultTokenScope(authentication);
  // Each deployment defines its own scopes, so there is none to fall back to: the provider could refuse it, and nobody could sign in.
  if (scope === null)
    log.warn(
      'the API describes no default scope, so its provider chooses the scope of browsers; set it with `oauth.scope`',
      start,
    );
  const dispatcher = createProviderDispatcher(endpoints, upstream, transport);
  const sessions = new CookieSessions(createOAuthClient(endpoints, oauth, scope, dispatcher), {
    ...services,
    secrets: typeof sessionSecret === 'string' ? [sessionSecret] : sessionSecret,
    audience: `${endpoints.token} ${clientId}`,
  });
  // A caller who signs out at one replica is forgotten by all.
  const name = JSON.stringify(['sign-outs', api]);
  const signOuts = openChannel(replicas, name, credentialMessage, (credential) =>
    callers.forget(fromMessage(credential)),
  );
  const endSession = (credential: Credential): void => {
    callers.forget(credential);
    void signOuts.send(toMessage(credential));
  };
  return {
    browsers: sessions,
    page: createSignInRoutes(sessions, services, endSession),
    close: () => signOuts.close(),
  };
}
