// Limits how many requests of one network run at once.
import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import { atMost } from '../upstream/cache-bounds.ts';

/** Networks with a limit of their own. Above this number the least recently used start again with an empty queue. */
const MAX_NETWORKS = 10_000;

/** Limits the concurrent requests of each network, so that one network cannot occupy all places. */
export class ConcurrencyLimit {
  readonly #maxConcurrent: number;
  readonly #limits = new LRUCache<string, LimitFunction>(atMost(MAX_NETWORKS));

  /** @param maxConcurrent Requests of one network that may run at once. */
  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent;
  }

  /** Sends a request when it is the network's turn. Rejects as the request does. */
  run<T>(network: string, send: () => Promise<T>): Promise<T> {
    const limit = this.#limits.get(network) ?? pLimit(this.#maxConcurrent);
    this.#limits.set(network, limit);
    return limit(send);
  }

  /** Number of a network's requests that run or wait. */
  countOf(network: string): number {
    const limit = this.#limits.peek(network);
    return limit === undefined ? 0 : limit.activeCount + limit.pendingCount;
  }
}
