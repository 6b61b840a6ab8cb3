// Detects servers that answer fewer rows than the limit allows although the list continues.
import { LRUCache } from 'lru-cache';

/** An answer with fewer rows is taken as the end of its list, because no known server cuts its answers this short. */
const SMALLEST_HIDDEN_LIMIT = 20;

/** TTL of an observation, in milliseconds. */
const TTL = 600_000;

/** Sizes of the answers of each list action, for one process. */
export class AnswerSizes {
  readonly #largest = createCache();
  readonly #hiddenLimits = createCache();

  /** Records the number of rows in an answer: a hidden limit cannot be below it. */
  record(scope: string, rows: number): void {
    if (rows > (this.#largest.get(scope) ?? 0)) this.#largest.set(scope, rows);
  }

  /** Records that a list ended after an answer of this size, so that no hidden limit has cut the answer. */
  recordEnd(scope: string, rows: number): void {
    this.record(scope, rows + 1);
  }

  /** Records that a list continued after an answer of this size, although the limit was larger. */
  recordCut(scope: string, rows: number): void {
    this.#hiddenLimits.set(scope, rows);
  }

  /**
   * Whether a hidden limit may have cut an answer with fewer rows than its limit.
   * @param isShort Whether the list's total shows that rows are missing. Then an answer of any size may be cut.
   */
  mayBeCut(scope: string, rows: number, limit: number, isShort = false): boolean {
    if (rows === 0 || rows >= limit) return false;
    if (this.isCut(scope, rows)) return true;
    return (isShort || rows >= SMALLEST_HIDDEN_LIMIT) && rows >= (this.#largest.get(scope) ?? 0);
  }

  /** Whether an answer is as long as a hidden limit that has cut other answers. */
  isCut(scope: string, rows: number): boolean {
    return rows >= (this.#hiddenLimits.get(scope) ?? Number.POSITIVE_INFINITY);
  }
}

const createCache = () => new LRUCache<string, number>({ max: 1000, ttl: TTL, perf: performance });
