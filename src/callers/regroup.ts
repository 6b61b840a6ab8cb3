import { UnknownCredentialsError } from '../upstream/errors/request-errors.ts';
import type { Credential } from '../upstream/http/authentication.ts';

/** What is remembered of a caller. */
export interface Entry {
  readonly credential: Credential | null;
  readonly fingerprint: string;
  /** When their description was fetched. */
  readonly fetchedAt: number;
}

/** Callers who were described the same. */
export type Group = readonly (readonly [key: string, entry: Entry])[];

/** Callers by what they were described, those seen last first. */
export function groupsOf(entries: Group): Map<string, Group> {
  const groups = new Map<string, (readonly [string, Entry])[]>();
  for (const pair of entries) {
    const known = groups.get(pair[1].fingerprint);
    if (known === undefined) groups.set(pair[1].fingerprint, [pair]);
    else known.push(pair);
  }
  return groups;
}

/** What finding out needs. */
export interface Regrouping {
  /** Whether some callers had this description before anything was asked: who has it now was given their rights. */
  isOld(fingerprint: string): boolean;
  /** Fetches a caller's description again. */
  meet(entry: Entry): Promise<Entry>;
  /** Puts what was met, or null for a caller who is unknown by now, in an entry's place. */
  replace(key: string, entry: Entry, met: Entry | null): void;
}

/**
 * Finds out what became of a description by asking for it as few of its callers as can be, and moves them: two who are told the
 * same, that nobody was told before, speak for all. One whose rights changed speaks for nobody else.
 * @returns The fingerprint that took its place for all of them; null where it stays, or only single callers moved.
 * @throws What kept every caller from being asked; one of many is passed over.
 */
export async function moveGroup(group: Group, { isOld, meet, replace }: Regrouping): Promise<string | null> {
  let said: string | null = null;
  let failure: unknown = null;
  for (const [index, [key, entry]] of group.entries()) {
    let met: Entry | null;
    try {
      met = await meet(entry);
    } catch (error) {
      if (!(error instanceof UnknownCredentialsError)) {
        failure = error;
        continue;
      }
      met = null;
    }
    replace(key, entry, met);
    if (met === null) continue;
    if (met.fingerprint === entry.fingerprint) return null;
    if (isOld(met.fingerprint)) continue;
    const rest = group.slice(index + 1);
    if (met.fingerprint === said || (said === null && group.length === 1)) {
      for (const [other, old] of rest) replace(other, old, { ...old, fingerprint: met.fingerprint });
      return met.fingerprint;
    }
    said = met.fingerprint;
  }
  if (failure !== null && said === null) throw failure;
  return null;
}
