// Detects servers that return fewer rows than the limit although the list continues.
import { LRUCache } from 'lru-cache';
import { atMost, expireAfter } from '../../../upstream/cache-bounds.ts';

/** A response with fewer rows counts as the end of its list, because no known server cuts responses to so few rows. */
export const SMALLEST_HIDDEN_LIMIT = 20;

/** How long an observation is used, in ms. */
const TRUSTED_FOR = 600_000;

/** Sizes of the responses to calls with a limit, by caller and list action, for one process. */
export class ResponseSizes {
  readonly #largest = createCache();
  readonly #hiddenLimits = createCache();
  readonly #unprovenEnds = createCache();

  /** Records a number of rows that a response had or could have had. A hidden limit cannot be smaller. */
  record(key: string, rows: number): void {
    if (rows > (this.#largest.get(key) ?? 0)) this.#largest.set(key, rows);
  }

  /** Records that a list continued after a response with this number of rows, although its limit was larger. */
  recordCut(key: string, rows: number): void {
    this.#hiddenLimits.set(key, rows);
  }

  /** Records that nothing contradicts that a list has this number of rows, and that nothing proves it either. */
  recordUnprovenEnd(key: string, rows: number): void {
    this.#unprovenEnds.set(key, rows);
  }

  /** Whether it is not proven that a list with this number of rows has no others. */
  isUnprovenEnd(key: string, rows: number): boolean {
    return this.#unprovenEnds.get(key) === rows;
  }

  /** Returns the known maximum number of rows in a response. */
  limitOf(key: string): number {
    return this.#hiddenLimits.get(key) ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Whether a hidden limit may have cut a response that has fewer rows than its limit allows.
   * @param isShort Whether the list's total shows that rows are missing. Then a response of any size may be cut.
   */
  mayBeCut(key: string, rows: number, limit: number, isShort = false): boolean {
    if (rows === 0 || rows >= limit) return false;
    if (rows >= this.limitOf(key)) return true;
    return (isShort || rows >= SMALLEST_HIDDEN_LIMIT) && rows >= (this.#largest.get(key) ?? 0);
  }
}

const createCache = () => new LRUCache<string, number>({ ...atMost(1000), ...expireAfter(TRUSTED_FOR) });
