import { TOTP } from 'otpauth';
import type { Account, Accounts } from './accounts.ts';
import { type Clock, createExpiringMap, randomName } from './expiring-map.ts';

/** Milliseconds for which a second step can be taken. */
const patience = 300_000;

/** Wrong codes after which a login has to begin anew. */
const mostAttempts = 5;

/** One-time codes (RFC 6238: SHA-1, six digits, 30 seconds), each accepted once. */
export interface OneTimeCodes {
  accept(account: Account, code: string): boolean;
}

/** Logins whose password was right and whose one-time code is still to come. */
export interface SecondSteps<Purpose> {
  /** Begins one; its token is good for nothing but this step. `validTo` is in milliseconds since 1970. */
  begin(account: Account, purpose: Purpose): { readonly token: string; readonly validTo: number };
  /** What a login is for, while it waits. */
  purpose(token: string): Purpose | undefined;
  /** Ends it and tells whose login it was; undefined for a wrong or used code and for an unknown or expired token. */
  finish(token: string, code: string): { readonly userId: number; readonly purpose: Purpose } | undefined;
  cancel(token: string): void;
}

/** Codes of one sandbox; the neighbouring intervals are accepted too, for clocks that are slow or fast. */
export function createOneTimeCodes(now: Clock): OneTimeCodes {
  const lastUsed = new Map<number, number>();
  return {
    accept({ id, totpSecret }, code) {
      if (totpSecret === null) return false;
      const totp = new TOTP({ secret: totpSecret });
      const timestamp = now();
      const delta = totp.validate({ token: code, timestamp, window: 1 });
      if (delta === null) return false;
      const counter = totp.counter({ timestamp }) + delta;
      if (counter <= (lastUsed.get(id) ?? -1)) return false;
      lastUsed.set(id, counter);
      return true;
    },
  };
}

/** Second steps of one kind of login. */
export function createSecondSteps<Purpose>(
  accounts: Accounts,
  codes: OneTimeCodes,
  now: Clock,
): SecondSteps<Purpose> {
  const waiting = createExpiringMap<{ userId: number; purpose: Purpose; attempts: number }>(now);
  return {
    begin({ id }, purpose) {
      const token = randomName();
      const validTo = now() + patience;
      waiting.set(token, { userId: id, purpose, attempts: 0 }, validTo);
      return { token, validTo };
    },
    purpose: (token) => waiting.get(token)?.purpose,
    finish(token, code) {
      const step = waiting.get(token);
      const account = step && accounts.find(step.userId);
      if (!step || !account) return undefined;
      step.attempts += 1;
      const accepted = codes.accept(account, code);
      if (accepted || step.attempts >= mostAttempts) waiting.delete(token);
      return accepted ? { userId: step.userId, purpose: step.purpose } : undefined;
    },
    cancel: waiting.delete,
  };
}
