// Logs users in with a password and, where they have one, a one-time code.
import type { Accounts } from './accounts.ts';
import type { Clock } from './expiring-map.ts';
import type { OneTimeCodes } from './second-step.ts';
import { createSecondSteps } from './second-step.ts';
import type { SessionRequest, Sessions } from './sessions.ts';

/** The token that a step of a login issues. */
export interface IssuedToken {
  /** The token of a session, or a token that authenticates only the next step. */
  readonly token: string;
  /** The end of the token, in milliseconds since 1970. Null: it never expires. */
  readonly validTo: number | null;
  /** The action of the token resource to call next. Null: the login is complete. */
  readonly nextAction: 'totp' | null;
}

/** Logs users in, in one step or two. */
export interface Login {
  /** Takes the login and password. Undefined when one of them is wrong. */
  request(login: string, secret: string, wanted: SessionRequest): IssuedToken | undefined;
  /** Takes the one-time code. Undefined when the code is wrong or the token is not that of a pending second step. */
  totp(token: string, code: string): IssuedToken | undefined;
}

/** Creates a login that opens sessions. */
export function createLogin(accounts: Accounts, codes: OneTimeCodes, sessions: Sessions, now: Clock): Login {
  const steps = createSecondSteps<SessionRequest>(accounts, codes, now);

  function open(userId: number, wanted: SessionRequest): IssuedToken {
    const { token, validTo } = sessions.open(userId, wanted);
    return { token, validTo, nextAction: null };
  }

  return {
    request(login, secret, wanted) {
      const account = accounts.verify(login, secret);
      if (!account) return undefined;
      if (account.totpSecret === null) return open(account.id, wanted);
      return { ...steps.begin(account, wanted), nextAction: 'totp' };
    },
    totp(token, code) {
      const done = steps.finish(token, code);
      return done && open(done.userId, done.purpose);
    },
  };
}
