// Detects servers that answer fewer rows than the limit asks for although the list goes on.
import { LRUCache } from 'lru-cache';

/** Answers with fewer rows are taken for the end of their list: no server is known to cut its answers this short. */
const SMALLEST_HIDDEN_LIMIT = 20;

/** How long an observation holds, in ms. */
const TRUSTED_FOR = 600_000;

/** Sizes of the answers to calls with a limit, by caller and list action, for one process. */
export class AnswerSizes {
  readonly #largest = createCache();
  readonly #hiddenLimits = createCache();

  /** Records the number of rows that an answer holds or could have held: a hidden limit cannot be below it. */
  record(key: string, rows: number): void {
    if (rows > (this.#largest.get(key) ?? 0)) this.#largest.set(key, rows);
  }

  /** Records that a list went on after an answer of so many rows, although its limit was larger. */
  recordCut(key: string, rows: number): void {
    this.#hiddenLimits.set(key, rows);
  }

  /** The most rows that an answer holds, as far as is known. */
  limitOf(key: string): number {
    return this.#hiddenLimits.get(key) ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Whether a hidden limit may have cut an answer that holds fewer rows than its limit allows.
   * @param isShort The list's total says that rows are missing: then an answer of any size may be cut.
   */
  mayBeCut(key: string, rows: number, limit: number, isShort = false): boolean {
    if (rows === 0 || rows >= limit) return false;
    if (rows >= this.limitOf(key)) return true;
    return (isShort || rows >= SMALLEST_HIDDEN_LIMIT) && rows >= (this.#largest.get(key) ?? 0);
  }
}

/** A cache that reads the clock anew: a test may have replaced it since lru-cache was loaded. */
const createCache = () => new LRUCache<string, number>({ max: 1000, ttl: TRUSTED_FOR, perf: performance });
