import type { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { BrowserSessions } from '../../auth/browser-sessions.ts';
import { OAuthFailure } from '../../auth/oauth-client.ts';
import type { OwnPages } from '../../auth/own-pages.ts';
import type { Callers } from '../../callers/callers.ts';
import type { Log } from '../../log/log.ts';

/** What the routes need. */
export interface BrowserSignIn extends OwnPages {
  readonly sessions: BrowserSessions;
  readonly callers: Callers;
  readonly toClientError: (error: unknown) => GraphQLError;
  readonly log: Log;
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
/** Longest address to return to, in characters: it has to fit into a cookie. */
const MAX_RETURN_TO = 1_000;

/**
 * Signs browsers in and out by OAuth 2.0: `GET /auth/login?returnTo=/graphql`, `GET /auth/callback`, and `POST /auth/logout`
 * from a page of the facade.
 */
export function useBrowserSignIn(options: BrowserSignIn): Plugin {
  const { sessions, callers, publicUrl, origins, toClientError, log } = options;
  const originOf = (url: URL): string | null =>
    publicUrl ?? (LOOPBACK.test(url.hostname) ? url.origin : null);

  async function login(url: URL): Promise<Response> {
    const own = originOf(url);
    if (own === null) return refusal(500, 'INTERNAL', 'The operator must give --public-url.');
    const returnTo = returnAddress(url.searchParams.get('returnTo'), origins);
    const { url: location, setCookie } = await sessions.begin(`${own}/auth/callback`, returnTo);
    return redirect(location, [setCookie]);
  }

  async function callback(url: URL, cookies: string | null): Promise<Response> {
    try {
      const address = new URL(`${originOf(url) ?? url.origin}${url.pathname}${url.search}`);
      const { returnTo, setCookies } = await sessions.finish(address, cookies);
      return redirect(returnTo, setCookies);
    } catch (error) {
      if (error instanceof OAuthFailure) log.warn(error.message);
      const { message, extensions } = toClientError(error);
      const code = String(extensions['code']);
      return refusal(code === 'UNAUTHENTICATED' ? 400 : 502, code, message, sessions.abandon());
    }
  }

  async function logout(header: (name: string) => string | null): Promise<Response> {
    if (!sessions.mayUse(header))
      return refusal(403, 'FORBIDDEN', 'Sign out from a page of this server, with X-Requested-With.');
    try {
      for (const credential of await sessions.revoke(header)) callers.forget(credential);
    } catch (error) {
      // The browser is signed out all the same.
      if (!(error instanceof OAuthFailure)) throw error;
      log.warn(error.message);
    }
    return new Response(null, { status: 204, headers: { 'set-cookie': sessions.clear() } });
  }

  return {
    async onRequest({ request, url, endResponse }) {
      const header = (name: string): string | null => request.headers.get(name);
      switch (`${request.method} ${url.pathname}`) {
        case 'GET /auth/login':
          return endResponse(await login(url));
        case 'GET /auth/callback':
          return endResponse(await callback(url, header('cookie')));
        case 'POST /auth/logout':
          return endResponse(await logout(header));
      }
    },
  };
}

/** A path of the facade's own, or an address of a listed origin: nothing else that could lead a browser elsewhere. */
function returnAddress(given: string | null, origins: readonly string[]): string {
  const isListed = given !== null && URL.canParse(given) && origins.includes(new URL(given).origin);
  const address = isListed ? new URL(given).href : given;
  const isOwn = address !== null && /^\/(?![/\\])[\w./?=&%-]*$/.test(address);
  return address !== null && (isListed || isOwn) && address.length <= MAX_RETURN_TO ? address : '/graphql';
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 302, headers });
}

function refusal(status: number, code: string, message: string, setCookie?: string): Response {
  const headers = {
    'cache-control': 'no-store',
    ...(setCookie === undefined ? {} : { 'set-cookie': setCookie }),
  };
  return Response.json({ errors: [{ message, extensions: { code } }] }, { status, headers });
}
