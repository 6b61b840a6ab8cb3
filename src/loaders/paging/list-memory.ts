// Remembers between operations what paging has read: the rows of recent pages, and the sizes of responses, which show hidden limits.
import { LRUCache } from 'lru-cache';
import { atMost, expireAfter } from '../../upstream/cache-bounds.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { CallerCache, CallerCaches } from '../caller-cache.ts';
import type { Block } from './list.ts';

/** What paging remembers between operations, for one process. */
export interface ListMemory {
  readonly sizes: ResponseSizes;
  readonly recent: RecentRows;
}

/** How long rows are stored, in ms: long enough for a client that walks the list, short enough not to be stale. */
const KEPT_FOR = 15_000;
/** Maximum size of all stored rows, and of the rows of one list, in bytes of JSON. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_LIST_BYTES = 16 * 1024 * 1024;
/** Number of rows whose size is measured to estimate the size of the list. */
const MEASURED = 50;

/**
 * Rows of lists by caller. They are never shared between callers, and a caller's own writes remove them. After a change by
 * another caller or process, a running walk may get the old rows for up to 15 seconds.
 */
export class RecentRows {
  readonly #caches: CallerCaches;
  readonly #blocks: CallerCache<Block>;

  constructor(caches: CallerCaches) {
    this.#caches = caches;
    this.#blocks = caches.create({
      maxSize: MAX_BYTES,
      maxEntrySize: MAX_LIST_BYTES,
      sizeOf: ({ rows }) => estimateBytes(rows),
      ttl: KEPT_FOR,
    });
  }

  get(caller: string, list: string): Block | undefined {
    return this.#blocks.get(caller, list);
  }

  /** Begins a read. The returned function stores its rows, unless the caller has written since. */
  begin(caller: string, list: string): (block: Block) => void {
    const drops = this.#caches.dropsOf(caller);
    return (block) => {
      if (this.#caches.dropsOf(caller) === drops) this.#blocks.set(caller, list, block);
    };
  }
}

function estimateBytes(rows: readonly JsonObject[]): number {
  const step = Math.max(1, Math.floor(rows.length / MEASURED));
  const measured = rows.filter((_row, index) => index % step === 0);
  return 1 + Math.ceil((JSON.stringify(measured).length / Math.max(1, measured.length)) * rows.length);
}

/** A response with fewer rows counts as the end of its list, because no known server cuts responses to so few rows. */
export const SMALLEST_HIDDEN_LIMIT = 20;

/** How long an observation is used, in ms. */
const TRUSTED_FOR = 600_000;

/** Sizes of the responses to calls with a limit, by caller and list action, for one process. */
export class ResponseSizes {
  readonly #largest = createCache();
  readonly #hiddenLimits = createCache();
  readonly #unverifiedEnds = createCache();

  /** Records a number of rows that a response had or could have had. A hidden limit cannot be smaller. */
  record(key: string, rows: number): void {
    if (rows > (this.#largest.get(key) ?? 0)) this.#largest.set(key, rows);
  }

  /** Records that a list continued after a response with this number of rows, although its limit was larger. */
  recordCut(key: string, rows: number): void {
    this.#hiddenLimits.set(key, rows);
  }

  /** Records that nothing contradicts that a list has this number of rows, and that nothing proves it either. */
  recordUnverifiedEnd(key: string, rows: number): void {
    this.#unverifiedEnds.set(key, rows);
  }

  /** Whether it is not proven that a list with this number of rows has no others. */
  isUnverifiedEnd(key: string, rows: number): boolean {
    return this.#unverifiedEnds.get(key) === rows;
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
