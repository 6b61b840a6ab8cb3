import type { Caller, Row } from '../engine/definition.ts';
import type { Store } from '../engine/store.ts';
import type { Scope } from './scope.ts';

/** Everybody's password. */
export const password = 'sandbox';

/** One user as far as signing in goes. */
export interface Account {
  readonly id: number;
  /** Base32; null where the password alone is enough. */
  readonly totpSecret: string | null;
}

/** Who may sign in: the store's table `users`. */
export interface Accounts {
  /** Undefined for a wrong login or password. */
  verify(login: string, secret: string): Account | undefined;
  /** Undefined when there is no such user. */
  find(id: number): Account | undefined;
  /** A user as the caller of an action; null when there is no such user. */
  caller(id: number, scope: Scope): Caller | null;
}

/** The accounts of a store. */
export function createAccounts(store: Store): Accounts {
  return {
    verify(login, secret) {
      const row = store.rows('users').find((user) => user['login'] === login);
      return row && secret === password ? accountOf(row) : undefined;
    },
    find(id) {
      const row = store.row('users', id);
      return row && accountOf(row);
    },
    caller(id, scope) {
      const row = store.row('users', id);
      return row ? { id, login: String(row['login']), admin: Number(row['level']) >= 90, scope } : null;
    },
  };
}

function accountOf({ id, totp_secret }: Row): Account {
  return { id, totpSecret: typeof totp_secret === 'string' ? totp_secret : null };
}
