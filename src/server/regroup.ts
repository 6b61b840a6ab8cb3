import type { Credential } from '../upstream/authentication.ts';
import { UnknownCredentialsError } from '../upstream/errors.ts';

/** What is remembered of a caller. */
export interface Entry {
  readonly credential: Credential | null;
  readonly fingerprint: string;
  /** When their description was fetched. */
  readonly metAt: number;
}

type Keyed = readonly [key: string, entry: Entry];

/**
 * Finds out what became of a description by asking for it as few of its callers as can be, and moves them.
 * @param witness What became of it for somebody else already; null where nobody was asked.
 * @param meet Fetches a caller's description again.
 * @param replace Puts what was met, or null for a caller who is unknown by now, in an entry's place.
 * @returns The fingerprint that took its place for all of them; null where it stays, or only single callers moved.
 */
export async function moveGroup(
  group: readonly Keyed[],
  witness: string | null,
  meet: (entry: Entry) => Promise<Entry>,
  replace: (key: string, entry: Entry, met: Entry | null) => void,
): Promise<string | null> {
  let said = witness;
  for (const [index, [key, entry]] of group.entries()) {
    const met = await meet(entry).catch((error: unknown) => {
      if (error instanceof UnknownCredentialsError) return null;
      throw error;
    });
    replace(key, entry, met);
    if (met === null) continue;
    if (met.fingerprint === entry.fingerprint) return null;
    const rest = group.slice(index + 1);
    if (met.fingerprint === said || (said === null && rest.length === 0)) {
      for (const [other, old] of rest) replace(other, old, { ...old, fingerprint: met.fingerprint });
      return met.fingerprint;
    }
    said = met.fingerprint;
  }
  return null;
}
