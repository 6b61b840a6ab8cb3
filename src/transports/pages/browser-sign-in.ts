// Serves the routes that sign browsers in and out.
import type { GraphQLError } from 'graphql';
import type { BrowserSessions, CookieRequest } from '../../callers/browsers/browser-sessions.ts';
import { OAuthFailure } from '../../callers/browsers/oauth-client.ts';
import type { OwnPages } from '../../callers/browsers/own-pages.ts';
import type { SignOuts } from '../../callers/sign-outs.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Page } from './page.ts';

/** The options of the routes. */
export interface BrowserSignIn {
  readonly pages: OwnPages;
  readonly sessions: BrowserSessions;
  readonly signOuts: SignOuts;
  readonly toClientError: (error: unknown) => GraphQLError;
  readonly log: Log;
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
/** Longest return address, in characters: it has to fit into a cookie. */
const MAX_RETURN_TO = 1_000;

/**
 * Signs browsers in and out with OAuth 2.0: `GET /auth/login?returnTo=/graphql`, `GET /auth/callback`, and `POST /auth/logout`
 * from a page of the facade, all below the base path.
 */
export function createBrowserSignIn(options: BrowserSignIn): Page {
  const { sessions, signOuts, pages, toClientError, log } = options;
  const { publicUrl, basePath } = pages;
  const originOf = (url: URL): string | null =>
    publicUrl ?? (LOOPBACK.test(url.hostname) ? url.origin : null);

  async function login(url: URL): Promise<Response> {
    const origin = originOf(url);
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
      const address = new URL(`${originOf(url) ?? url.origin}${url.pathname}${url.search}`);
      const { returnTo, setCookies } = await sessions.finish(address, requester);
      return redirect(returnTo, setCookies);
    } catch (error) {
      if (error instanceof OAuthFailure) log.warn(error.message, { event: 'sign_in' });
      const { message, extensions } = toClientError(error);
      const code = String(extensions['code']);
      return refuse(code === 'UNAUTHENTICATED' ? 400 : 502, code, message, sessions.clearSignIn());
    }
  }

  async function logout(requester: CookieRequest): Promise<Response> {
    if (!sessions.mayUse(requester.header))
      return refuse(403, 'FORBIDDEN', 'Sign out from a page of this server, with X-Requested-With.');
    try {
      for (const credential of await sessions.revoke(requester)) signOuts.end(credential);
    } catch (error) {
      // The browser is signed out although the provider did not revoke its token.
      if (!(error instanceof OAuthFailure)) throw error;
      log.warn(error.message, { event: 'sign_in' });
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
  const isListed = given !== null && URL.canParse(given) && origins.includes(new URL(given).origin);
  const address = isListed ? new URL(given).href : given;
  const isOwn = address !== null && /^\/(?![/\\])[\w./?=&%-]*$/.test(address);
  return address !== null && (isListed || isOwn) && address.length <= MAX_RETURN_TO
    ? address
    : `${basePath}/graphql`;
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 302, headers });
}

function refuse(status: number, code: string, message: string, setCookie?: string): Response {
  const headers = {
    'cache-control': 'no-store',
    ...(setCookie === undefined ? {} : { 'set-cookie': setCookie }),
  };
  return Response.json({ errors: [{ message, extensions: { code } }] }, { status, headers });
}
