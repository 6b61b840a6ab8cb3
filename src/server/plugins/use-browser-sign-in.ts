import type { Plugin } from 'graphql-yoga';
import type { BrowserSessions } from '../auth/browser-sessions.ts';
import { OAuthFailure } from '../auth/oauth-client.ts';
import type { Callers } from '../callers.ts';
import type { Log } from '../log.ts';

/** What the routes need. */
export interface BrowserSignIn {
  readonly sessions: BrowserSessions;
  readonly callers: Callers;
  /** Address under which browsers reach the facade, without a path; null: that of the request, if that is this machine. */
  readonly publicUrl: string | null;
  readonly log: Log;
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Signs browsers in and out by OAuth 2.0: `GET /auth/login?returnTo=/graphql`, `GET /auth/callback`, and `POST /auth/logout`
 * from a page of the facade.
 */
export function useBrowserSignIn({ sessions, callers, publicUrl, log }: BrowserSignIn): Plugin {
  const originOf = (url: URL): string | null =>
    publicUrl ?? (LOOPBACK.test(url.hostname) ? url.origin : null);
  return {
    async onRequest({ request, url, endResponse }) {
      const route = `${request.method} ${url.pathname}`;
      const own = originOf(url);
      const header = (name: string): string | null => request.headers.get(name);
      if (route === 'GET /auth/login') {
        if (own === null)
          return endResponse(refusal(500, 'INTERNAL', 'The operator must give --public-url.'));
        const { url: location, setCookie } = await sessions.begin(
          `${own}/auth/callback`,
          pathOf(url.searchParams.get('returnTo')),
        );
        return endResponse(redirect(location, [setCookie]));
      }
      if (route === 'GET /auth/callback') {
        try {
          const callback = new URL(`${own ?? url.origin}${url.pathname}${url.search}`);
          const { returnTo, setCookies } = await sessions.finish(callback, header('cookie'));
          return endResponse(redirect(returnTo, setCookies));
        } catch (error) {
          return endResponse(failed(error, sessions.abandon(), log));
        }
      }
      if (route === 'POST /auth/logout') {
        const { credential, setCookie } = await sessions.end(header).catch((error: unknown) => {
          if (!(error instanceof OAuthFailure)) throw error;
          log.warn(error.message);
          return { credential: null, setCookie: sessions.clear(url.protocol === 'https:') };
        });
        callers.forget(credential);
        return endResponse(new Response(null, { status: 204, headers: { 'set-cookie': setCookie } }));
      }
    },
  };
}

/** A path of the facade's own: nothing that leads a browser elsewhere. */
function pathOf(returnTo: string | null): string {
  return returnTo !== null && /^\/(?![/\\])[\w./?=&%-]*$/.test(returnTo) ? returnTo : '/graphql';
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 302, headers });
}

function failed(error: unknown, setCookie: string, log: Log): Response {
  if (!(error instanceof OAuthFailure)) throw error;
  log.warn(error.message);
  const response = error.isOutage
    ? refusal(502, 'UPSTREAM_UNAVAILABLE', 'The provider could not be asked; try again in a moment.')
    : refusal(400, 'UNAUTHENTICATED', error.message);
  response.headers.append('set-cookie', setCookie);
  return response;
}

function refusal(status: number, code: string, message: string): Response {
  return Response.json({ errors: [{ message, extensions: { code } }] }, { status });
}
