import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';

/** Askers whose turns are kept apart; beyond that the one not seen for longest begins anew. */
const MAX_ASKERS = 10_000;

/** Lets nobody take all that many share: their calls beyond a share of it wait for each other, not others for them. */
export class CallerConcurrencyLimit {
  readonly #share: number;
  readonly #limits = new LRUCache<string, LimitFunction>({ max: MAX_ASKERS });

  /** @param share Calls of one requester that may be under way at once. */
  constructor(share: number) {
    this.#share = share;
  }

  /** Makes a call when it is the requester's turn. Rejects as the call does, and as the signal when that aborts before. */
  run<T>(requester: string, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const limit = this.#limits.get(requester) ?? pLimit(this.#share);
    this.#limits.set(requester, limit);
    return limit(() => {
      signal?.throwIfAborted();
      return call();
    });
  }
}
