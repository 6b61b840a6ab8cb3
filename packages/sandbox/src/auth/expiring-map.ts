// Provides a map whose entries expire, and the random tokens that are its keys.
import { randomBytes } from 'node:crypto';

/** Returns the current time in milliseconds since 1970. */
export type Clock = () => number;

/** Values by token. Each value expires. */
export interface ExpiringMap<Value> {
  /** Returns the value of a token. Undefined when there is none or it has expired. */
  get(token: string): Value | undefined;
  /** Stores a value until `validTo`, in milliseconds since 1970. Null: it never expires. Removes expired values. */
  set(token: string, value: Value, validTo: number | null): void;
  delete(token: string): void;
}

/** Creates an empty map. */
export function createExpiringMap<Value>(now: Clock): ExpiringMap<Value> {
  const entries = new Map<string, { readonly value: Value; readonly validTo: number | null }>();
  const isExpired = (validTo: number | null): boolean => validTo !== null && validTo <= now();
  return {
    get(token) {
      const entry = entries.get(token);
      return entry && !isExpired(entry.validTo) ? entry.value : undefined;
    },
    set(token, value, validTo) {
      for (const [known, entry] of entries) if (isExpired(entry.validTo)) entries.delete(known);
      entries.set(token, { value, validTo });
    },
    delete: (token) => void entries.delete(token),
  };
}

/** Returns a random token: 50 bytes in hexadecimal, as the tokens of the real service. */
export function randomToken(): string {
  return randomBytes(50).toString('hex');
}
