import type { Store } from '../engine/store.ts';
import { createGrants, type Grants } from '../oauth/grants.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { type Authenticator, createAuthenticator } from './authenticate.ts';
import type { Clock } from './expiring-map.ts';
import { createLogin, type Login } from './login.ts';
import { createOneTimeCodes, type OneTimeCodes } from './second-step.ts';
import { createSessions, readyToken, type Sessions } from './sessions.ts';

/** Everything about who calls: the accounts, the ways to sign in, and what was issued to whom. */
export interface Authentication extends Authenticator {
  readonly accounts: Accounts;
  /** Shared by all logins, so that no code is good for two of them. */
  readonly codes: OneTimeCodes;
  readonly sessions: Sessions;
  readonly login: Login;
  readonly grants: Grants;
}

/** The authentication of one sandbox; the users of the given logins have a session that is ready to use. */
export function createAuthentication(store: Store, ready: readonly string[], now: Clock): Authentication {
  const accounts = createAccounts(store);
  const codes = createOneTimeCodes(now);
  const sessions = createSessions(now, readySessions(store, ready));
  const login = createLogin(accounts, codes, sessions, now);
  const grants = createGrants(now);
  return { ...createAuthenticator(accounts, sessions, grants), accounts, codes, sessions, login, grants };
}

function readySessions(store: Store, logins: readonly string[]): ReadonlyMap<string, number> {
  const users = store.rows('users').filter(({ login }) => logins.includes(String(login)));
  return new Map(users.map(({ id, login }) => [readyToken(String(login)), id]));
}
