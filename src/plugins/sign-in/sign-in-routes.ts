// Serves the routes that sign browsers in and out.
import type { CookieRequest, OwnPages } from '../../callers/requester.ts';
import type { Page, Services } from '../../server/plugin.ts';
import type { Credential } from '../../upstream/http/caller.ts';
import type { CookieSessions } from './cookie-sessions.ts';
import { LOOPBACK, OAuthFailure } from './oauth-client.ts';

/** Longest return address, in characters: it has to fit into a cookie. */
const MAX_RETURN_TO = 1_000;

/**
 * Signs browsers in and out with OAuth 2.0: `GET /auth/login?returnTo=/graphql`, `GET /auth/callback`, and `POST /auth/logout`
 * from a page of the facade, all below the base path.
 * @param endSession Forgets a caller whose credential has ended.
 */
export function createSignInRoutes(
  sessions: CookieSessions,
  { pages, log, toClientError }: Pick<Services, 'pages' | 'log' | 'toClientError'>,
  endSession: (credential: Credential) => void,
): Page {
  const { publicUrl, basePath } = pages;
  const report = (failure: OAuthFailure): void => log.warn(failure.message, { event: 'sign_in' });

  async function login(url: URL): Promise<Response> {
    const origin = publicUrl ?? (LOOPBACK.test(url.hostname) ? url.origin : null);
    if (origin === null)
      return refuse(
        421,
        'FORBIDDEN',
        `Signing in at ${url.host} needs the option --public-url of the server.`,
      );
    const returnTo = safeReturnAddress(url.searchParams.get('returnTo'), pages);
    const { url: location, setCookie } = await sessions.begin(`${origin}${basePath}/auth/callback`, returnTo);
    return redirect(location, [setCookie]);
  }

  async function callback(url: URL, requester: CookieRequest): Promise<Response> {
    try {
      const address = new URL(`${publicUrl ?? url.origin}${url.pathname}${url.search}`);
      const { returnTo, setCookies } = await sessions.finish(address, requester);
      return redirect(returnTo, setCookies);
    } catch (error) {
      if (error instanceof OAuthFailure) report(error);
      const { message, extensions } = toClientError(error);
      const code = String(extensions['code']);
      return refuse(code === 'UNAUTHENTICATED' ? 400 : 502, code, message, sessions.clearSignIn());
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
    return new Response(null, { status: 204, headers: { 'set-cookie': sessions.clearSession() } });
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
