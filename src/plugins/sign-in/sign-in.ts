// Signs browsers in at the API's OAuth 2.0 provider: their sessions, and the routes that begin and end them.

import type { Dispatcher } from 'undici';
import * as z from 'zod';
import type { CookieRequest, OwnPages } from '../../callers/requester.ts';
import { credentialMessage, fromMessage, toMessage } from '../../callers/shared-reads.ts';
import type { Page, Services, StartedPlugin } from '../../server/plugin.ts';
import { openChannel } from '../../sharing/replicas.ts';
import { defaultTokenScope } from '../../upstream/description/select-actions.ts';
import type { Credential } from '../../upstream/http/caller.ts';
import { type ConnectionOptions, createDispatcher } from '../../upstream/http/dispatcher.ts';
import { type CookieSessions, createCookieSessions } from './cookie-sessions.ts';
import {
  createOAuthClient,
  LOOPBACK,
  type OAuthClient,
  type OAuthCredentials,
  OAuthFailure,
  pendingForm,
  tokensForm,
} from './oauth-client.ts';
import { createRenewals } from './renewals.ts';
import { createSealedCookie, type SealOptions } from './sealed-cookie.ts';

/** Seconds that a browser has to sign in at the provider, and for which it stays signed in without a visit. */
const SIGN_IN_MAX_AGE = 600;
const SESSION_MAX_AGE = 30 * 86_400;

/** Longest return address, in characters: it has to fit into a cookie. */
const MAX_RETURN_TO = 1_000;

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

/**
 * Starts the plugin; null when the API describes no provider.
 * @param upstream Address of the management API.
 * @param transport How the management API is reached. Its authorities and proxies hold for the provider too.
 */
export function useSignIn(
  oauth: OAuthOptions,
  upstream: URL,
  transport: ConnectionOptions | undefined,
  services: Services,
): StartedPlugin | null {
  const { log, callers, replicas, api, pages } = services;
  const { authentication } = callers.base.description;
  const endpoints = authentication.oauth2?.endpoints ?? null;
  const warn = (problem: string): void => log.warn(problem, { event: 'start' });
  if (endpoints === null) {
    warn('OAuth 2.0 is configured, but the API describes no OAuth 2.0 provider');
    return null;
  }
  const { clientId, sessionSecret = null } = oauth;
  const scope = oauth.scope ?? defaultTokenScope(authentication);
  // Each deployment defines its own scopes, so there is none to fall back to: the provider could refuse it, and nobody could sign in.
  if (scope === null)
    warn(
      'the API describes no default scope, so its provider chooses the scope of browsers; set it with `oauth.scope`',
    );
  const dispatcher = createProviderDispatcher(endpoints.token, upstream, transport);
  const client = createOAuthClient(endpoints, oauth, scope, dispatcher);
  const audience = `${endpoints.token} ${clientId}`;
  const seal = {
    secrets: typeof sessionSecret === 'string' ? [sessionSecret] : sessionSecret,
    // No other provider or client receives the tokens, even if it uses the same secret.
    audience,
    isSecure: pages.publicUrl?.startsWith('https:') ?? false,
    path: pages.basePath || '/',
  };
  const cookie = createSealedCookie('optiongraph_session', tokensForm, { ...seal, maxAge: SESSION_MAX_AGE });
  const renewals = createRenewals(client, replicas, audience);
  const sessions = createCookieSessions(client, cookie, renewals, services);
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
    page: createRoutes(client, sessions, seal, endSession, services),
    close: () => signOuts.close(),
  };
}

/** Makes the connections to a provider. The client certificate and the socket of the API are for its own origin only. */
function createProviderDispatcher(
  token: string,
  upstream: URL,
  transport: ConnectionOptions = {},
): Dispatcher {
  const { origin } = new URL(token);
  const { certificate: _certificate, key: _key, socket: _socket, ...shared } = transport;
  return createDispatcher(origin, origin === upstream.origin ? transport : shared);
}

/**
 * Signs browsers in and out with OAuth 2.0: `GET /auth/login?returnTo=/graphql`, `GET /auth/callback`, and `POST /auth/logout`
 * from a page of the facade, all below the base path.
 * @param endSession Forgets a caller whose credential has ended.
 */
function createRoutes(
  client: OAuthClient,
  sessions: CookieSessions,
  seal: Omit<SealOptions, 'maxAge'>,
  endSession: (credential: Credential) => void,
  { pages, log, describeClient, toClientError }: Services,
): Page {
  const { publicUrl, basePath } = pages;
  const pendingCookie = createSealedCookie(
    'optiongraph_sign_in',
    pendingForm.extend({ returnTo: z.string() }),
    { ...seal, maxAge: SIGN_IN_MAX_AGE },
  );
  const report = (failure: OAuthFailure): void => log.warn(failure.message, { event: 'sign_in' });

  async function login(url: URL): Promise<Response> {
    const origin = publicUrl ?? (LOOPBACK.test(url.hostname) ? url.origin : null);
    if (origin === null)
      return refuse(
        421,
        'FORBIDDEN',
        `Signing in at ${url.host} needs the option --public-url of the server.`,
      );
    const { url: location, pending } = await client.begin(`${origin}${basePath}/auth/callback`);
    const returnTo = safeReturnAddress(url.searchParams.get('returnTo'), pages);
    return redirect(location, [pendingCookie.set({ ...pending, returnTo })]);
  }

  async function callback(url: URL, requester: CookieRequest): Promise<Response> {
    try {
      const pending = pendingCookie.read(requester.header);
      if (!pending)
        throw new OAuthFailure(
          'This sign-in did not begin in this browser, or has expired. Sign in again.',
          'CREDENTIALS_UNKNOWN',
        );
      const address = new URL(`${publicUrl ?? url.origin}${url.pathname}${url.search}`);
      const tokens = await client.finish(address, pending, describeClient(requester).clientHeaders);
      return redirect(pending.returnTo, [pendingCookie.clear(), sessions.cookie.set(tokens)]);
    } catch (error) {
      if (error instanceof OAuthFailure) report(error);
      const { message, extensions } = toClientError(error);
      const code = String(extensions['code']);
      return refuse(code === 'UNAUTHENTICATED' ? 400 : 502, code, message, pendingCookie.clear());
    }
  }

  async function logout(requester: CookieRequest): Promise<Response> {
    if (!sessions.mayUse(requester.header))
      return refuse(403, 'FORBIDDEN', 'Sign out from a page of this server, with X-Requested-With.');
    try {
      for (const credential of await sessions.revoke(requester)) endSession(credential);
    } catch (error) {
      // The browser is signed out although the provider did not revoke its token.
      if (!(error instanceof OAuthFailure)) throw error;
      report(error);
    }
    return new Response(null, { status: 204, headers: { 'set-cookie': sessions.cookie.clear() } });
  }

  return ({ request, url, requester }) => {
    switch (`${request.method} ${url.pathname}`) {
      case `GET ${basePath}/auth/login`:
        return login(url);
      case `GET ${basePath}/auth/callback`:
        return callback(url, requester);
      case `POST ${basePath}/auth/logout`:
        return logout(requester);
      default:
        return null;
    }
  };
}

/** The return address, if it is a path of this server or belongs to a listed origin, so that no link can redirect to another site. */
function safeReturnAddress(given: string | null, { origins, basePath }: OwnPages): string {
  const home = `${basePath}/graphql`;
  if (given === null) return home;
  const isListed = URL.canParse(given) && origins.includes(new URL(given).origin);
  const address = isListed ? new URL(given).href : given;
  const isAllowed = isListed || /^\/(?![/\\])[\w./?=&%-]*$/.test(address);
  return isAllowed && address.length <= MAX_RETURN_TO ? address : home;
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 302, headers });
}

function refuse(status: number, code: string, message: string, setCookie?: string): Response {
  const headers = new Headers({ 'cache-control': 'no-store' });
  if (setCookie !== undefined) headers.set('set-cookie', setCookie);
  return Response.json({ errors: [{ message, extensions: { code } }] }, { status, headers });
}
