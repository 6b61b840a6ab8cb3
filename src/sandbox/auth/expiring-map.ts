import { randomBytes } from 'node:crypto';

/** Tells the time in milliseconds since 1970. */
export type Clock = () => number;

/** Values under secret names, each until its time is over. */
export interface ExpiringMap<Value> {
  /** Undefined where there is none, or none any more. */
  get(name: string): Value | undefined;
  /** `validTo` is in milliseconds since 1970; null is for ever. Forgets what is over. */
  set(name: string, value: Value, validTo: number | null): void;
  delete(name: string): void;
}

/** An empty map. */
export function createExpiringMap<Value>(now: Clock): ExpiringMap<Value> {
  const entries = new Map<string, { readonly value: Value; readonly validTo: number | null }>();
  const isOver = (validTo: number | null): boolean => validTo !== null && validTo <= now();
  return {
    get(name) {
      const entry = entries.get(name);
      return entry && !isOver(entry.validTo) ? entry.value : undefined;
    },
    set(name, value, validTo) {
      for (const [known, entry] of entries) if (isOver(entry.validTo)) entries.delete(known);
      entries.set(name, { value, validTo });
    },
    delete: (name) => void entries.delete(name),
  };
}

/** A name that nobody guesses: 50 random bytes in hexadecimal, like a token of the real service. */
export function randomName(): string {
  return randomBytes(50).toString('hex');
}
