import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import { type Credential, credentialKey } from '../upstream/authentication.ts';

/** Callers whose turns are kept apart at once; beyond that the one not seen for longest begins anew. */
const MAX_CALLERS = 10_000;

/** Lets no caller take all connections to the upstream: their calls beyond a share wait for each other, not others for them. */
export class FairShare {
  readonly #share: number;
  readonly #limits = new LRUCache<string, LimitFunction>({ max: MAX_CALLERS });

  /** @param share Calls of one caller that may be under way at once. */
  constructor(share: number) {
    this.#share = share;
  }

  /** Makes a call when it is the caller's turn. Rejects as the call does, and as the signal when that aborts before. */
  run<T>(credential: Credential | null, call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const key = credentialKey(credential);
    const limit = this.#limits.get(key) ?? pLimit(this.#share);
    this.#limits.set(key, limit);
    return limit(() => {
      signal?.throwIfAborted();
      return call();
    });
  }
}
