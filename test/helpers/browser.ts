// Simulates browsers that sign in to a facade and keep its cookies.
import { expect } from 'vitest';
import WebSocket from 'ws';
import { createFacade } from '../../src/facade/facade.ts';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import type { OAuthOptions } from '../../src/plugins/sign-in/sign-in.ts';
import { startServer } from '../../src/server/server.ts';
import { action, describeApi, type Raw, type RawParameters, resource } from './describe-api.ts';
import { collectLog, startPair } from './facade.ts';
import { signInAt } from './oauth.ts';
import { startStubProvider } from './stub-provider.ts';
import { startStub } from './stub-upstream.ts';

/** The OAuth 2.0 client that the facade is at the sandbox's provider. */
export const CLIENT = {
  id: 'explorer',
  secret: 'canary-client-secret',
  name: 'Explorer',
  redirectUris: ['http://127.0.0.1/auth/callback', 'http://127.0.0.1/api/graph/auth/callback'],
};
const oauth = { clientId: CLIENT.id, clientSecret: CLIENT.secret };

/** Queries the session of the facade and the user of the API. */
export const SESSION_QUERY = '{ session { authenticated method expiresAt } userCurrent { login } }';
/** Queries the facade without a call of the API. */
export const AUTHENTICATED_QUERY = '{ session { authenticated } }';

/** The cookies of a browser. */
export class CookieJar {
  readonly #cookies = new Map<string, string>();
  readonly #path: string;

  /** @param path The path that the facade gives its cookies. */
  constructor(path = '/') {
    this.#path = path;
  }

  /** Stores the cookies of a response and returns the response. */
  store(response: Response): Response {
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split('; ');
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Lax', `Path=${this.#path}`]));
      if (attributes.includes('Max-Age=0')) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }

  clear(): void {
    this.#cookies.clear();
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

/** Creates a browser for the URL of a facade. It follows no redirects. */
export function createBrowser(url: string, jar = new CookieJar()) {
  const { origin } = new URL(url);
  return {
    origin,
    jar,
    visit: async (path: string): Promise<Response> =>
      jar.store(await fetch(origin + path, { redirect: 'manual', headers: { cookie: jar.header } })),
    /** Signs out as a page of the facade does. */
    logout: async (): Promise<Response> =>
      jar.store(
        await fetch(`${origin}/auth/logout`, {
          method: 'POST',
          headers: { cookie: jar.header, 'sec-fetch-site': 'same-origin', 'x-requested-with': 'page' },
        }),
      ),
    /** Sends an operation as a page of the facade does. */
    async ask(query = SESSION_QUERY, headers: Record<string, string> = {}) {
      const pageHeaders = {
        'content-type': 'application/json',
        cookie: jar.header,
        'sec-fetch-site': 'same-origin',
      };
      const response = jar.store(
        await fetch(url, {
          method: 'POST',
          headers: { ...pageHeaders, ...headers },
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

/** Creates a WebSocket class that sends a browser's cookies and stores those of the response. */
export function createWebSocketClass({
  origin,
  jar,
}: Pick<ReturnType<typeof createBrowser>, 'origin' | 'jar'>) {
  return class extends WebSocket {
    constructor(url: string, protocol: string) {
      super(url, protocol, { headers: { cookie: jar.header, origin } });
      this.on('upgrade', ({ headers }) => {
        const response = new Headers();
        for (const cookie of headers['set-cookie'] ?? []) response.append('set-cookie', cookie);
        jar.store(new Response(null, { headers: response }));
      });
    }
  };
}

/** Starts a sandbox and a facade over it, and creates a browser for it. */
export async function openBrowser(options: Partial<OAuthOptions> = {}, more: Partial<FacadeOptions> = {}) {
  const log = collectLog();
  const facade = { oauth: { ...oauth, ...options }, log, ...more };
  const pair = await startPair({ sandbox: { oauthClients: [CLIENT], now: () => Date.now() }, facade });
  const server = await pair.listen();
  const browser = createBrowser(server.url, new CookieJar(more.pages?.basePath));
  return {
    ...browser,
    pair,
    log,
    /** Signs in at the provider, and returns the facade's response to the callback. */
    async signIn(login = 'user', returnTo = '/graphql'): Promise<Response> {
      const redirect = await browser.visit(`/auth/login?returnTo=${encodeURIComponent(returnTo)}`);
      const callback = await signInAt(pair.sandbox, redirect.headers.get('location') ?? '', login);
      return browser.visit(callback.pathname + callback.search);
    },
    [Symbol.asyncDispose]: () => pair[Symbol.asyncDispose](),
  };
}

/**
 * Starts a stub provider and a facade, and creates a browser for it. The API accepts every credential.
 * @param methods Authentication methods that the API describes in addition to that provider.
 */
export async function openBrowserAtStub(
  methods: Raw = tokenMethod({ scope: { type: 'String', default: 'all' } }),
  more: Partial<FacadeOptions> = {},
) {
  const log = collectLog();
  const provider = await startStubProvider();
  const shelf = action({ path: '/shelves/{shelf_id}', namespace: 'shelf', output: { id: 'Integer' } });
  const described = describeApi({ shelf: resource({ show: shelf }) });
  const authentication = { oauth2: { http_header: null, ...provider.described }, ...methods };
  const upstream = await startStub({ ...described, authentication }, {});
  const facade = await createFacade({ upstream: upstream.url, log, oauth, ...more });
  const server = await startServer(facade, { host: '127.0.0.1', port: 0 });
  const browser = createBrowser(server.url);
  return {
    ...browser,
    provider,
    upstream,
    log,
    /** Returns from the provider with a code. `onRequest` gets the authorization request first. */
    async signIn(onRequest?: (request: URLSearchParams) => Promise<void>): Promise<Response> {
      const redirect = await browser.visit('/auth/login');
      const { searchParams } = new URL(redirect.headers.get('location') ?? '');
      await onRequest?.(searchParams);
      return browser.visit(`/auth/callback?code=c&state=${searchParams.get('state')}`);
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await upstream[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}
