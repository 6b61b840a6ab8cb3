// Defines the users who can sign in to the sandbox.
import type { Caller, Row } from '../engine/definition.ts';
import type { Store } from '../engine/store.ts';
import type { Scope } from './scope.ts';

/** The password of every user. */
export const PASSWORD = 'sandbox';

/** The account of a user. */
export interface Account {
  readonly id: number;
  /** In Base32. Null: the user signs in with the password alone. */
  readonly totpSecret: string | null;
}

/** The accounts of the users in the store's table `users`. */
export interface Accounts {
  /** Finds the account for a login and password. Undefined when one of them is wrong. */
  verify(login: string, secret: string): Account | undefined;
  /** Finds the account of a user. */
  find(id: number): Account | undefined;
  /** Creates the caller for a user. Null when there is no such user. */
  createCaller(id: number, scope: Scope): Caller | null;
}

/** Creates the accounts for a store. */
export function createAccounts(store: Store): Accounts {
  return {
    verify(login, secret) {
      const row = store.rows('users').find((user) => user['login'] === login);
      return row && secret === PASSWORD ? toAccount(row) : undefined;
    },
    find(id) {
      const row = store.row('users', id);
      return row && toAccount(row);
    },
    createCaller(id, scope) {
      const row = store.row('users', id);
      return row ? { id, login: String(row['login']), admin: Number(row['level']) >= 90, scope } : null;
    },
  };
}

function toAccount({ id, totp_secret }: Row): Account {
  return { id, totpSecret: typeof totp_secret === 'string' ? totp_secret : null };
}
