import { expect } from 'vitest';
import WebSocket from 'ws';
import type { OAuthOptions } from '../../src/auth/configured-sessions.ts';
import { createFacade } from '../../src/server/facade.ts';
import type { FacadeOptions } from '../../src/server/facade-options.ts';
import { startServer } from '../../src/server/server.ts';
import { action, describeApi, type Raw, type RawParameters, resource } from './describe-api.ts';
import { collectLog, startPair } from './facade.ts';
import { signInAt } from './oauth.ts';
import { startStubProvider } from './stub-provider.ts';
import { startStub } from './stub-upstream.ts';

/** The facade as the sandbox's provider knows it. */
export const CLIENT = {
  id: 'explorer',
  secret: 'canary-client-secret',
  name: 'Explorer',
  redirectUris: ['http://127.0.0.1/auth/callback'],
};
const oauth = { clientId: CLIENT.id, clientSecret: CLIENT.secret };

/** Asks who the caller is, of the facade and of the API. */
export const SESSION = '{ session { authenticated method expiresAt } userCurrent { login } }';
/** Asks the facade alone. */
export const WHO_AM_I = '{ session { authenticated } }';

/** Cookies as a browser keeps them. */
export class Jar {
  readonly #cookies = new Map<string, string>();

  take(response: Response): Response {
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split('; ');
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Lax', 'Path=/']));
      if (attributes.includes('Max-Age=0')) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }

  set(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  get names(): readonly string[] {
    return [...this.#cookies.keys()];
  }

  get header(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

/** A browser at a facade's address; it follows nothing by itself. */
export function browse(url: string, jar = new Jar()) {
  const { origin } = new URL(url);
  return {
    origin,
    jar,
    visit: async (path: string): Promise<Response> =>
      jar.take(await fetch(origin + path, { redirect: 'manual', headers: { cookie: jar.header } })),
    /** Signs out as a page of the facade does. */
    logout: async (): Promise<Response> =>
      jar.take(
        await fetch(`${origin}/auth/logout`, {
          method: 'POST',
          headers: { cookie: jar.header, 'sec-fetch-site': 'same-origin', 'x-requested-with': 'page' },
        }),
      ),
    /** Asks as a page of the facade does. */
    async ask(query = SESSION, headers: Record<string, string> = {}) {
      const own = { 'content-type': 'application/json', cookie: jar.header, 'sec-fetch-site': 'same-origin' };
      const response = jar.take(
        await fetch(url, {
          method: 'POST',
          headers: { ...own, ...headers },
          body: JSON.stringify({ query }),
        }),
      );
      return {
        status: response.status,
        headers: response.headers,
        ...((await response.json()) as { data?: unknown; errors?: unknown }),
      };
    },
  };
}

/** Describes the token method, with the input of its action `request`. */
export function tokenMethod(input: RawParameters): Raw {
  const request = { ...action({ method: 'POST', path: '/tokens', namespace: 'token', input }), auth: false };
  return { token: { http_header: 'X-Token', resources: { token: resource({ request }) } } };
}

/** The stock WebSocket with a browser's cookies, and what the upgrade's answer brings taken into its jar. */
export function webSocketOf({ origin, jar }: Pick<ReturnType<typeof browse>, 'origin' | 'jar'>) {
  return class extends WebSocket {
    constructor(url: string, protocol: string) {
      super(url, protocol, { headers: { cookie: jar.header, origin } });
      this.on('upgrade', ({ headers }) => {
        const answer = new Headers();
        for (const cookie of headers['set-cookie'] ?? []) answer.append('set-cookie', cookie);
        jar.take(new Response(null, { headers: answer }));
      });
    }
  };
}

/** A browser at a facade over a sandbox of its own. */
export async function openBrowser(options: Partial<OAuthOptions> = {}, more: Partial<FacadeOptions> = {}) {
  const log = collectLog();
  const facade = { oauth: { ...oauth, ...options }, log, ...more };
  const pair = await startPair({ sandbox: { oauthClients: [CLIENT], now: () => Date.now() }, facade });
  const server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
  const browser = browse(server.url);
  return {
    ...browser,
    pair,
    log,
    /** Goes to the provider and back; where that leads. */
    async signIn(login = 'user', returnTo = '/graphql'): Promise<Response> {
      const away = await browser.visit(`/auth/login?returnTo=${encodeURIComponent(returnTo)}`);
      const back = await signInAt(pair.sandbox, away.headers.get('location') ?? '', login);
      return browser.visit(back.pathname + back.search);
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await pair[Symbol.asyncDispose]();
    },
  };
}

/**
 * A browser at a facade whose provider answers what a test sets. The API knows every caller.
 * @param methods Authentication methods that the API describes beside that provider.
 */
export async function openBrowserAtStub(
  methods: Raw = tokenMethod({ scope: { type: 'String', default: 'all' } }),
) {
  const log = collectLog();
  const provider = await startStubProvider();
  const shelf = action({ path: '/shelves/{shelf_id}', namespace: 'shelf', output: { id: 'Integer' } });
  const described = describeApi({ shelf: resource({ show: shelf }) });
  const authentication = { oauth2: { http_header: null, ...provider.described }, ...methods };
  const upstream = await startStub({ ...described, authentication }, {});
  const facade = await createFacade({ upstream: upstream.url, log, oauth });
  const server = await startServer(facade, { host: '127.0.0.1', port: 0 });
  const browser = browse(server.url);
  return {
    ...browser,
    provider,
    upstream,
    log,
    /** Comes back from the provider with a code; `meet` sees what the provider was asked. */
    async signIn(meet?: (asked: URLSearchParams) => Promise<void>): Promise<Response> {
      const away = await browser.visit('/auth/login');
      const { searchParams } = new URL(away.headers.get('location') ?? '');
      await meet?.(searchParams);
      return browser.visit(`/auth/callback?code=c&state=${searchParams.get('state')}`);
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await upstream[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}
