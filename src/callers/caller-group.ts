// Fetches a description that several callers share again, with as few requests as possible.
import { UnknownCredentialsError } from '../upstream/errors/request-errors.ts';
import type { Credential } from '../upstream/http/authentication.ts';

/** A caller, and the description that the upstream last sent for them. */
export interface CallerEntry {
  readonly credential: Credential | null;
  /** Identifies the description. */
  readonly fingerprint: string;
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
}

/** Callers who share a description, each with its key in the cache. */
export type CallerGroup = readonly (readonly [key: string, entry: CallerEntry])[];

/** Groups callers by the fingerprint of their description. Keeps the order of the entries. */
export function groupByFingerprint(entries: CallerGroup): Map<string, CallerGroup> {
  const groups = new Map<string, (readonly [string, CallerEntry])[]>();
  for (const pair of entries) {
    const group = groups.get(pair[1].fingerprint);
    if (group === undefined) groups.set(pair[1].fingerprint, [pair]);
    else group.push(pair);
  }
  return groups;
}

/** The operations on the cache that `refreshGroup` needs. */
export interface GroupRefresh {
  /** Whether a description was already in use before this refresh. A caller who has it now has got different rights. */
  wasInUse(fingerprint: string): boolean;
  /** Fetches the description of one caller. */
  fetchEntry(entry: CallerEntry): Promise<CallerEntry>;
  /** Replaces an entry; null removes a caller whose credential the upstream no longer knows. */
  replaceEntry(key: string, entry: CallerEntry, next: CallerEntry | null): void;
}

/**
 * Fetches the description of a group again, caller by caller, until the result is clear. A caller whose description is unchanged
 * proves that the group's is. Two callers who get the same new description prove that it changed for the whole group; the
 * others then move to it without a request. A caller whose new description was already in use only has other rights.
 * @returns The fingerprint of the group's new description; null when the group keeps its description, or only single callers moved.
 * @throws The last failure, when no caller's new description could be fetched.
 */
export async function refreshGroup(
  group: CallerGroup,
  { wasInUse, fetchEntry, replaceEntry }: GroupRefresh,
): Promise<string | null> {
  let candidate: string | null = null;
  let failure: unknown = null;
  for (const [index, [key, entry]] of group.entries()) {
    let next: CallerEntry | null;
    try {
      next = await fetchEntry(entry);
    } catch (error) {
      if (!(error instanceof UnknownCredentialsError)) {
        failure = error;
        continue;
      }
      next = null;
    }
    replaceEntry(key, entry, next);
    if (next === null) continue;
    if (next.fingerprint === entry.fingerprint) return null;
    if (wasInUse(next.fingerprint)) continue;
    if (next.fingerprint === candidate || (candidate === null && group.length === 1)) {
      for (const [otherKey, other] of group.slice(index + 1))
        replaceEntry(otherKey, other, { ...other, fingerprint: next.fingerprint });
      return next.fingerprint;
    }
    candidate = next.fingerprint;
  }
  if (failure !== null && candidate === null) throw failure;
  return null;
}
