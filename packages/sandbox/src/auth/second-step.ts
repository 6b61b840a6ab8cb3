// Handles the second step of a login: a one-time code.
import type { Account, Accounts } from './accounts.ts';
import { type Clock, createExpiringMap, randomToken } from './expiring-map.ts';
import { findInterval } from './totp.ts';

/** Milliseconds for which a login accepts the code after the password. */
const STEP_LIFETIME = 300_000;

/** The number of wrong codes that ends a login. */
const MAX_ATTEMPTS = 5;

/** Verifies one-time codes (RFC 6238: SHA-1, six digits, 30 seconds). */
export interface OneTimeCodes {
  /** Whether the code is correct and has not been accepted before. */
  accept(account: Account, code: string): boolean;
}

/** The logins that have passed the password step and wait for a one-time code. `Purpose` is the data of a login. */
export interface SecondSteps<Purpose> {
  /** Begins a second step. The token is valid for this step only, until `validTo`, in milliseconds since 1970. */
  begin(account: Account, purpose: Purpose): { readonly token: string; readonly validTo: number };
  /** Returns the purpose of a pending login. Undefined when the token is unknown or has expired. */
  purpose(token: string): Purpose | undefined;
  /** Completes a login. Undefined when the code is wrong or used, or the token is unknown or has expired. */
  finish(token: string, code: string): { readonly userId: number; readonly purpose: Purpose } | undefined;
  cancel(token: string): void;
}

/** Creates the verifier of one sandbox. It also accepts the codes of the previous and next interval. */
export function createOneTimeCodes(now: Clock): OneTimeCodes {
  /** The interval of the last accepted code, by user. */
  const lastIntervals = new Map<number, number>();
  return {
    accept({ id, totpSecret }, code) {
      const interval = totpSecret === null ? undefined : findInterval(totpSecret, code, now());
      if (interval === undefined || interval <= (lastIntervals.get(id) ?? -1)) return false;
      lastIntervals.set(id, interval);
      return true;
    },
  };
}

/** Creates the second steps for one kind of login. */
export function createSecondSteps<Purpose>(
  accounts: Accounts,
  codes: OneTimeCodes,
  now: Clock,
): SecondSteps<Purpose> {
  const pending = createExpiringMap<{ userId: number; purpose: Purpose; attempts: number }>(now);
  return {
    begin({ id }, purpose) {
      const token = randomToken();
      const validTo = now() + STEP_LIFETIME;
      pending.set(token, { userId: id, purpose, attempts: 0 }, validTo);
      return { token, validTo };
    },
    purpose: (token) => pending.get(token)?.purpose,
    finish(token, code) {
      const step = pending.get(token);
      const account = step && accounts.find(step.userId);
      if (!step || !account) return undefined;
      step.attempts += 1;
      const accepted = codes.accept(account, code);
      if (accepted || step.attempts >= MAX_ATTEMPTS) pending.delete(token);
      return accepted ? { userId: step.userId, purpose: step.purpose } : undefined;
    },
    cancel: pending.delete,
  };
}
