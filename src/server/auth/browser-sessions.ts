import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Credential, HeaderReader } from '../../upstream/authentication.ts';
import { UnknownCredentialsError } from '../../upstream/errors.ts';
import { type OAuthClient, OAuthFailure, type PendingSignIn, type Tokens } from './oauth-client.ts';
import { SealedCookie } from './sealed-cookie.ts';

/** Renewed so long before its end, in milliseconds. */
const MARGIN = 60_000;
/** Seconds until a browser must have come back from the provider, and for which it stays signed in without a visit. */
const SIGN_IN_TIME = 600;
const SESSION_TIME = 30 * 86_400;

/** A session that is not good, or no longer: the answer takes its cookie away. */
export class SessionEndedError extends UnknownCredentialsError {
  /** A `Set-Cookie` header. */
  readonly setCookie: string;

  constructor(setCookie: string) {
    super();
    this.setCookie = setCookie;
  }
}

/** A browser's session, found in its cookie. */
export interface BrowserSession {
  readonly credential: Credential;
  /** ISO 8601; null where it is not known. */
  readonly expiresAt: string | null;
  /** A `Set-Cookie` header to answer with, since the tokens were renewed. */
  readonly setCookie: string | null;
}

/** Sessions of browsers that signed in by OAuth 2.0. Tokens are in the browser's cookie alone, encrypted. */
export class BrowserSessions {
  readonly #client: OAuthClient;
  readonly #pending: SealedCookie;
  readonly #session: SealedCookie;
  /** Renewals of the last minute: a browser's requests overlap, and a refresh token is good once. */
  readonly #renewals = new LRUCache<string, Promise<Tokens>>({ max: 1_000, ttl: 60_000 });

  /** @param secret See SealedCookie. */
  constructor(client: OAuthClient, secret: string | null) {
    this.#client = client;
    this.#pending = new SealedCookie('optiongraph_sign_in', secret, SIGN_IN_TIME);
    this.#session = new SealedCookie('optiongraph_session', secret, SESSION_TIME);
  }

  /** Begins a sign-in. @returns Where to send the browser, with the cookie that it must bring back. */
  async begin(redirectUri: string, returnTo: string): Promise<{ url: string; setCookie: string }> {
    const { url, pending } = await this.#client.begin(redirectUri);
    return { url, setCookie: await this.#pending.set({ ...pending, returnTo }, isSecure(redirectUri)) };
  }

  /**
   * Ends a sign-in.
   * @returns Where the browser wanted to go, and the cookies that it gets: the sign-in's is used up whatever happens.
   * @throws OAuthFailure
   */
  async finish(callback: URL, cookies: string | null): Promise<{ returnTo: string; setCookies: string[] }> {
    const pending = await this.#pending.read(cookies);
    if (!isPending(pending))
      throw new OAuthFailure('This sign-in was not begun here, or too long ago.', false);
    const tokens = await this.#client.finish(callback, pending);
    const secure = isSecure(pending.redirectUri);
    return {
      returnTo: pending.returnTo,
      setCookies: [this.#pending.clear(secure), await this.#session.set(tokens, secure)],
    };
  }

  /** The cookie that ends what is left of a sign-in. */
  abandon(): string {
    return this.#pending.clear(false);
  }

  /**
   * The session in a request's cookie; null where there is none, or where the request may not use it: another site could
   * have sent it.
   * @throws SessionEndedError when the cookie is not good, or the provider refuses to renew the session.
   */
  async of(header: HeaderReader): Promise<BrowserSession | null> {
    if (!countsCookie(header)) return null;
    const value = await this.#session.read(header('cookie'));
    if (value === null) return null;
    if (!isTokens(value)) throw this.#ended();
    const { expiresAt, refresh } = value;
    if (refresh === null || expiresAt === null || Date.now() < expiresAt - MARGIN)
      return sessionOf(value, null);
    const fresh = await this.#renew(refresh);
    return sessionOf(fresh, await this.#session.set(fresh, (header('origin') ?? '').startsWith('https:')));
  }

  /** Revokes a request's session at the provider. @returns The credential that ended, if any, and the cookie that clears it. */
  async end(header: HeaderReader): Promise<{ credential: Credential | null; setCookie: string }> {
    const value = countsCookie(header) ? await this.#session.read(header('cookie')) : null;
    const setCookie = this.#session.clear((header('origin') ?? '').startsWith('https:'));
    if (!isTokens(value)) return { credential: null, setCookie };
    for (const token of [value.refresh, value.access]) if (token !== null) await this.#client.revoke(token);
    return { credential: sessionOf(value, null).credential, setCookie };
  }

  clear(isSecureOrigin: boolean): string {
    return this.#session.clear(isSecureOrigin);
  }

  #ended(): SessionEndedError {
    return new SessionEndedError(this.#session.clear(false));
  }

  async #renew(refresh: string): Promise<Tokens> {
    const key = createHash('sha256').update(refresh).digest('base64');
    const renewal = this.#renewals.get(key) ?? this.#client.refresh(refresh);
    this.#renewals.set(key, renewal);
    try {
      return await renewal;
    } catch (error) {
      this.#renewals.delete(key);
      throw error instanceof OAuthFailure && !error.isOutage ? this.#ended() : error;
    }
  }
}

/**
 * Whether a request may use a cookie: it comes from a page of the facade itself, and it is one that browsers would have asked
 * leave for (a preflight) had it come from another.
 */
function countsCookie(header: HeaderReader): boolean {
  const origin = header('origin');
  const isOwn =
    origin === null ? header('sec-fetch-site') === 'same-origin' : hostOf(origin) === header('host');
  const asksLeave =
    header('upgrade')?.toLowerCase() === 'websocket' ||
    header('content-type')?.toLowerCase().startsWith('application/json') === true ||
    header('x-requested-with') !== null;
  return isOwn && asksLeave;
}

const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null);
const isSecure = (uri: string): boolean => uri.startsWith('https:');

function sessionOf({ access, expiresAt }: Tokens, setCookie: string | null): BrowserSession {
  return {
    credential: { kind: 'oauth2', header: 'authorization', value: `Bearer ${access}` },
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    setCookie,
  };
}

type Unsealed = Readonly<Record<string, unknown>> | null | undefined;

function isTokens(value: Unsealed): value is Tokens & Readonly<Record<string, unknown>> {
  if (value === null || value === undefined) return false;
  const { access, refresh, expiresAt } = value;
  return (
    typeof access === 'string' &&
    (refresh === null || typeof refresh === 'string') &&
    (expiresAt === null || typeof expiresAt === 'number')
  );
}

function isPending(
  value: Unsealed,
): value is PendingSignIn & { readonly returnTo: string } & Readonly<Record<string, unknown>> {
  return (
    value !== null &&
    value !== undefined &&
    ['state', 'verifier', 'redirectUri', 'returnTo'].every((name) => typeof value[name] === 'string')
  );
}
