import { LRUCache } from 'lru-cache';
import { type Credential, credentialKey } from '../upstream/http/authentication.ts';

/** When a token ends. */
export interface TokenEnd {
  /** As the upstream wrote it; null where it stated none. */
  readonly at: string | null;
  /** Each use moves the end to the time of the use plus an interval (spec: Token, lifetime `renewable_auto`). */
  readonly movesWithUse: boolean;
}

interface NotedEnd extends TokenEnd {
  /** Time at which the end was `at`: not before the upstream set it. Milliseconds since 1970. */
  readonly notedAt: number;
}

/**
 * When tokens end, as far as the upstream states it. The upstream does not state the end after a use, but the specification
 * defines it: between two uses, the end moves as far as the time. So neither the interval nor the upstream's clock has to be known.
 * Uses that do not go through the facade move the end further.
 */
export class TokenEnds {
  readonly #ends: LRUCache<string, NotedEnd>;

  /** @param max Tokens remembered. */
  constructor(max: number) {
    this.#ends = new LRUCache({ max });
  }

  /** Remembers an end that the upstream has just stated. */
  note(credential: Credential, end: TokenEnd): void {
    this.#ends.set(credentialKey(credential), { ...end, notedAt: Date.now() });
  }

  /**
   * A request with the token has been answered as one of its holder.
   * @param sentAt Not after the upstream saw the request. Milliseconds since 1970.
   */
  noteUse(credential: Credential, sentAt: number): void {
    const key = credentialKey(credential);
    const end = this.#ends.get(key);
    if (end?.movesWithUse !== true || sentAt <= end.notedAt) return;
    const at = end.at === null ? null : moved(end.at, sentAt - end.notedAt);
    this.#ends.set(key, { at, movesWithUse: true, notedAt: sentAt });
  }

  /** Null where nothing was noted. */
  endOf(credential: Credential): TokenEnd | null {
    return this.#ends.get(credentialKey(credential)) ?? null;
  }
}

/** Null for a time that cannot be read. */
function moved(at: string, by: number): string | null {
  const time = Date.parse(at) + by;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
