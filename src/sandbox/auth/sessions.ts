import { createHash } from 'node:crypto';
import { type Clock, createExpiringMap, randomName } from './expiring-map.ts';
import { everything, type Scope } from './scope.ts';

/** How long a token lives (spec: Token). */
export type Lifetime = 'fixed' | 'renewable_manual' | 'renewable_auto' | 'permanent';

/** The session that somebody asks for. */
export interface Wanted {
  readonly lifetime: Lifetime;
  /** Seconds. */
  readonly interval: number;
  readonly scope: Scope;
}

/** One issued token. */
export interface Session extends Wanted {
  readonly token: string;
  readonly userId: number;
  /** Milliseconds since 1970; null for ever. */
  readonly validTo: number | null;
}

/** The sessions of one sandbox. */
export interface Sessions {
  open(userId: number, wanted: Wanted): Session;
  /** The session of a token that is being used, which moves a `renewable_auto` one; undefined for an unknown token. */
  use(token: string): Session | undefined;
  /** Extends a session to now plus its interval; undefined for one that is not renewable. */
  renew(token: string): Session | undefined;
  close(token: string): void;
}

/** A user's ready-made token: the same in every sandbox, and shaped like any other. */
export function readyToken(login: string): string {
  return createHash('sha512').update(`sandbox session of ${login}`).digest('hex').slice(0, 100);
}

/** Sessions, with a permanent one for each user whose token is to be ready: their ids by token. */
export function createSessions(now: Clock, ready: ReadonlyMap<string, number>): Sessions {
  const sessions = createExpiringMap<Session>(now);

  function issue(token: string, userId: number, { lifetime, interval, scope }: Wanted): Session {
    const validTo = lifetime === 'permanent' ? null : now() + interval * 1000;
    const session = { token, userId, lifetime, interval, scope, validTo };
    sessions.set(token, session, validTo);
    return session;
  }

  for (const [token, userId] of ready) {
    issue(token, userId, { lifetime: 'permanent', interval: 0, scope: everything });
  }

  return {
    open: (userId, wanted) => issue(randomName(), userId, wanted),
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
