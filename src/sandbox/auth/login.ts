import type { Accounts } from './accounts.ts';
import type { Clock } from './expiring-map.ts';
import type { OneTimeCodes } from './second-step.ts';
import { createSecondSteps } from './second-step.ts';
import type { Sessions, Wanted } from './sessions.ts';

/** What a step of a login led to. */
export interface Issued {
  /** A session's, or one that authenticates the next step alone. */
  readonly token: string;
  /** Milliseconds since 1970; null for ever. */
  readonly validTo: number | null;
  /** The action of the token resource to call next; null: the login is complete. */
  readonly nextAction: 'totp' | null;
}

/** Login for a session token, in one step or two. */
export interface Login {
  /** Undefined for a wrong login or password. */
  request(login: string, secret: string, wanted: Wanted): Issued | undefined;
  /** Undefined for a wrong code or a token that waits for none. */
  totp(token: string, code: string): Issued | undefined;
}

/** Logins that end in sessions. */
export function createLogin(accounts: Accounts, codes: OneTimeCodes, sessions: Sessions, now: Clock): Login {
  const steps = createSecondSteps<Wanted>(accounts, codes, now);

  function open(userId: number, wanted: Wanted): Issued {
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
