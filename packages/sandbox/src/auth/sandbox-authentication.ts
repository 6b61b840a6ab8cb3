// Assembles the authentication of one sandbox.
import type { Store } from '../engine/store.ts';
import { createGrants, type Grants } from '../oauth/grants.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { type Authenticator, createAuthenticator } from './authenticate.ts';
import type { Clock } from './expiring-map.ts';
import { createLogin, type Login } from './login.ts';
import { createOneTimeCodes, type OneTimeCodes } from './second-step.ts';
import { createSessions, type Sessions, seededToken } from './sessions.ts';

/** The authentication of a sandbox: its accounts, ways to sign in, sessions and grants. */
export interface Authentication extends Authenticator {
  readonly accounts: Accounts;
  /** All logins share the codes, so that a code is accepted only once. */
  readonly codes: OneTimeCodes;
  readonly sessions: Sessions;
  readonly login: Login;
  readonly grants: Grants;
}

/** Creates the authentication of one sandbox. Each user in `logins` has a session with a known token. */
export function createAuthentication(store: Store, logins: readonly string[], now: Clock): Authentication {
  const accounts = createAccounts(store);
  const codes = createOneTimeCodes(now);
  const sessions = createSessions(now, findSeededSessions(store, logins));
  const login = createLogin(accounts, codes, sessions, now);
  const grants = createGrants(now);
  return { ...createAuthenticator(accounts, sessions, grants), accounts, codes, sessions, login, grants };
}

function findSeededSessions(store: Store, logins: readonly string[]): ReadonlyMap<string, number> {
  const users = store.rows('users').filter(({ login }) => logins.includes(String(login)));
  return new Map(users.map(({ id, login }) => [seededToken(String(login)), id]));
}
