// Remembers when tokens end.
import { LRUCache } from 'lru-cache';
import { atMost } from '../upstream/cache-bounds.ts';
import { issuedToken, renewsItself } from '../upstream/description/token-method.ts';
import type { ActionCall, ActionResult } from '../upstream/http/action-client.ts';
import { type Credential, createCredential } from '../upstream/http/caller.ts';
import { isObject } from '../upstream/json.ts';

/** When a token ends. */
export interface TokenEnd {
  /** As the upstream wrote it; null when it stated none. */
  readonly at: string | null;
  /** Each use moves the end to the time of the use plus an interval (specification: Token, lifetime `renewable_auto`). */
  readonly isExtendedByUse: boolean;
}

interface RecordedEnd extends TokenEnd {
  /** A time at or after which the upstream set the end. Milliseconds since 1970. */
  readonly recordedAt: number;
}

/**
 * When tokens end, as far as the upstream states it. The upstream does not state the new end after a use, but the specification
 * defines it: between two uses, the end moves by the time that has passed. So the facade needs neither the interval nor the
 * upstream's clock. Uses that bypass the facade move the end further.
 */
export class TokenEnds {
  readonly #ends: LRUCache<string, RecordedEnd>;

  /** @param max Number of tokens remembered. */
  constructor(max: number) {
    this.#ends = new LRUCache(atMost(max));
  }

  /** Records an end that the upstream has just stated. */
  record(credential: Credential, end: TokenEnd): void {
    this.#ends.set(credential.key, { ...end, recordedAt: Date.now() });
  }

  /**
   * Records that the upstream has accepted the token in a request.
   * @param sentAt A time at or before which the upstream received the request. Milliseconds since 1970.
   */
  recordUse(credential: Credential, sentAt: number): void {
    const { key } = credential;
    const end = this.#ends.get(key);
    if (end?.isExtendedByUse !== true || sentAt <= end.recordedAt) return;
    const at = end.at === null ? null : addTime(end.at, sentAt - end.recordedAt);
    this.#ends.set(key, { at, isExtendedByUse: true, recordedAt: sentAt });
  }

  /**
   * Records what an action of the token method has answered.
   * @param used The token that the action renews or revokes; null when it issues a new one.
   * @param header The header that carries tokens.
   */
  recordTokenAction(
    { action, input }: ActionCall,
    output: ActionResult['output'],
    used: Credential | null,
    header: string,
  ): void {
    const { valid_to: validTo } = isObject(output) ? output : {};
    const at = typeof validTo === 'string' ? validTo : null;
    const issued = issuedToken(output);
    if (issued === null) {
      if (used !== null && at !== null)
        this.record(used, { at, isExtendedByUse: this.#isExtendedByUse(used) });
      return;
    }
    const toCredential = (value: string): Credential => createCredential('token', header, value);
    // A further step of signing in issues the token with the lifetime that the first step requested.
    const isStep = Object.values(input).some(
      (value) => typeof value === 'string' && this.#isExtendedByUse(toCredential(value)),
    );
    this.record(toCredential(issued), { at, isExtendedByUse: isStep || renewsItself(action, input) });
  }

  #isExtendedByUse(credential: Credential): boolean {
    return this.endOf(credential)?.isExtendedByUse === true;
  }

  /** The end of a token; null when none is recorded. */
  endOf(credential: Credential): TokenEnd | null {
    return this.#ends.get(credential.key) ?? null;
  }
}

/** Adds milliseconds to a time; null when the time cannot be parsed. */
function addTime(at: string, duration: number): string | null {
  const time = Date.parse(at) + duration;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
