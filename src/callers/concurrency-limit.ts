// Limits how many calls of one caller run at once.
import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';

/** Requesters with a limit of their own. Above this number the least recently used start again with an empty queue. */
const MAX_REQUESTERS = 10_000;

/** Limits the concurrent calls of each requester, so that one requester cannot occupy all connections. */
export class ConcurrencyLimit {
  readonly #maxConcurrent: number;
  readonly #limits = new LRUCache<string, LimitFunction>({ max: MAX_REQUESTERS });

  /** @param maxConcurrent Calls of one requester that may run at once. */
  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent;
  }

  /** Runs a call when it is the requester's turn. Rejects as the call does, or when the signal aborts while the call waits. */
  run<T>(requester: string, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const limit = this.#limits.get(requester) ?? pLimit(this.#maxConcurrent);
    this.#limits.set(requester, limit);
    return limit(() => {
      signal?.throwIfAborted();
      return call();
    });
  }

  /** Number of a requester's calls that run or wait. */
  countOf(requester: string): number {
    const limit = this.#limits.peek(requester);
    return limit === undefined ? 0 : limit.activeCount + limit.pendingCount;
  }
}
