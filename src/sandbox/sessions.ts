import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from './definition.ts';
import type { Store } from './store.ts';

/** The HTTP header and the query parameter that carry a session token. */
export const tokenHeader = 'X-Service-Auth-Token';
export const tokenParameter = '_auth_token';

/** Everybody's password. */
export const password = 'sandbox';

/** How long a token lives (spec: Token). */
export type Lifetime = 'fixed' | 'renewable_manual' | 'renewable_auto' | 'permanent';

/** One issued token. */
export interface Session {
  readonly token: string;
  readonly userId: number;
  readonly lifetime: Lifetime;
  /** Seconds. */
  readonly interval: number;
  /** Milliseconds; null for ever. */
  readonly validTo: number | null;
}

/** Who calls, and with which session token if with one. */
export interface Credentials {
  readonly caller: Caller | null;
  readonly token: string | null;
}

/** A request that carries a token twice. */
export class TokenConflict extends Error {
  override readonly name = 'TokenConflict';
}

/** The sessions of one sandbox. */
export interface Sessions {
  /** The caller of a request, by basic before token; anonymous when nothing valid is given. Throws TokenConflict. */
  authenticate(headers: IncomingHttpHeaders, query: Readonly<Record<string, unknown>>): Credentials;
  /** A new session, or undefined for bad credentials. */
  open(login: string, secret: string, lifetime: Lifetime, interval: number): Session | undefined;
  /** Extends a session by its interval; undefined where it cannot be renewed. */
  renew(token: string): Session | undefined;
  close(token: string): void;
}

/** A user's ready-made token: the same in every sandbox, and shaped like any other. */
export function readyToken(login: string): string {
  return createHash('sha512').update(`sandbox session of ${login}`).digest('hex').slice(0, 100);
}

/** Sessions of the users in the store's table `users`; two of them come with a permanent session. */
export function createSessions(
  store: Store,
  ready: readonly string[],
  now: () => number = Date.now,
): Sessions {
  const sessions = new Map<string, Session>();

  function issue(token: string, userId: number, lifetime: Lifetime, interval: number): Session {
    const validTo = lifetime === 'permanent' ? null : now() + interval * 1000;
    const session = { token, userId, lifetime, interval, validTo };
    sessions.set(token, session);
    return session;
  }

  function userId(login: string, secret: string): number | undefined {
    return secret === password ? store.rows('users').find((user) => user['login'] === login)?.id : undefined;
  }

  function callerOf(id: number | undefined): Caller | null {
    const user = id === undefined ? undefined : store.row('users', id);
    return user ? { id: user.id, login: String(user['login']), admin: Number(user['level']) >= 90 } : null;
  }

  function byToken(token: string): Credentials {
    const session = sessions.get(token);
    if (!session) return { caller: null, token: null };
    if (session.validTo !== null && session.validTo <= now()) {
      sessions.delete(token);
      return { caller: null, token: null };
    }
    if (session.lifetime === 'renewable_auto')
      issue(token, session.userId, session.lifetime, session.interval);
    return { caller: callerOf(session.userId), token };
  }

  for (const login of ready) issue(readyToken(login), userId(login, password) ?? 0, 'permanent', 0);

  return {
    authenticate(headers, query) {
      const basic = basicCredentials(headers.authorization);
      const caller = basic && callerOf(userId(...basic));
      if (caller) return { caller, token: null };
      const given = [headers[tokenHeader.toLowerCase()], query[tokenParameter]].filter(
        (token) => typeof token === 'string' && token !== '',
      );
      if (given.length > 1) throw new TokenConflict('Multiple authentication tokens were provided');
      return byToken(String(given[0]));
    },
    open(login, secret, lifetime, interval) {
      const id = userId(login, secret);
      return id === undefined ? undefined : issue(randomBytes(50).toString('hex'), id, lifetime, interval);
    },
    renew(token) {
      const session = sessions.get(token);
      if (!session || session.lifetime === 'fixed') return undefined;
      return issue(token, session.userId, session.lifetime, session.interval);
    },
    close: (token) => void sessions.delete(token),
  };
}

function basicCredentials(
  authorization: string | undefined,
): readonly [login: string, secret: string] | undefined {
  const encoded = /^Basic +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [, login, secret] = /^([^:]*):([\s\S]*)$/.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return login === undefined || secret === undefined ? undefined : [login, secret];
}
