// Stores the sessions that belong to session tokens.
import { createHash } from 'node:crypto';
import { type Clock, createExpiringMap, randomToken } from './expiring-map.ts';
import { FULL_SCOPE, type Scope } from './scope.ts';

/** The kinds of token lifetime (specification: Token). */
export type Lifetime = 'fixed' | 'renewable_manual' | 'renewable_auto' | 'permanent';

/** The lifetime and scope of a requested session. */
export interface SessionRequest {
  readonly lifetime: Lifetime;
  /** The lifetime in seconds. */
  readonly interval: number;
  readonly scope: Scope;
}

/** A session and its token. */
export interface Session extends SessionRequest {
  readonly token: string;
  readonly userId: number;
  /** The end of the session, in milliseconds since 1970. Null: it never expires. */
  readonly validTo: number | null;
}

/** The sessions of one sandbox. */
export interface Sessions {
  /** Opens a session with a new token. */
  open(userId: number, request: SessionRequest): Session;
  /** Finds the session of a used token and extends it if it is `renewable_auto`. Undefined when the token is unknown. */
  use(token: string): Session | undefined;
  /** Extends a session to now plus its interval. Undefined when the session is not renewable. */
  renew(token: string): Session | undefined;
  close(token: string): void;
}

/** Returns the known token of a user. It is the same in every sandbox and has the form of an issued token. */
export function seededToken(login: string): string {
  return createHash('sha512').update(`sandbox session of ${login}`).digest('hex').slice(0, 100);
}

/** Creates the sessions of a sandbox, with a permanent session for each known token. */
export function createSessions(now: Clock, userIdsByToken: ReadonlyMap<string, number>): Sessions {
  const sessions = createExpiringMap<Session>(now);

  function issue(token: string, userId: number, { lifetime, interval, scope }: SessionRequest): Session {
    const validTo = lifetime === 'permanent' ? null : now() + interval * 1000;
    const session = { token, userId, lifetime, interval, scope, validTo };
    sessions.set(token, session, validTo);
    return session;
  }

  for (const [token, userId] of userIdsByToken) {
    issue(token, userId, { lifetime: 'permanent', interval: 0, scope: FULL_SCOPE });
  }

  return {
    open: (userId, request) => issue(randomToken(), userId, request),
    use(token) {
      const session = sessions.get(token);
      return session?.lifetime === 'renewable_auto' ? issue(token, session.userId, session) : session;
    },
    renew(token) {
      const session = sessions.get(token);
      return session?.lifetime.startsWith('renewable') ? issue(token, session.userId, session) : undefined;
    },
    close: sessions.delete,
  };
}
