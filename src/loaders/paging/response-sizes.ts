// Remembers between operations how many rows responses had, which shows limits that the description lacks.
import { LRUCache } from 'lru-cache';
import { atMost, expireAfter } from '../../upstream/cache-bounds.ts';

/** Lists that are remembered, each for one caller. */
const MAX_LISTS = 1_000;
/** Time for which one is remembered, in milliseconds. */
const REMEMBERED_FOR = 10 * 60_000;

/** Sizes of the responses to calls with a limit, by caller and list action, for one process. */
export class ResponseSizes {
  readonly #largest = new LRUCache<string, number>({ ...atMost(MAX_LISTS), ...expireAfter(REMEMBERED_FOR) });

  /** Records a number of rows that a response had or could have had. A hidden limit cannot be smaller. */
  record(key: string, rows: number): void {
    if (rows > (this.#largest.get(key) ?? 0)) this.#largest.set(key, rows);
  }

  /** Whether a hidden limit may have cut a response that has fewer rows than its limit allows. @param least The least such limit. */
  mayBeCut(key: string, rows: number, least: number): boolean {
    return rows >= least && rows >= (this.#largest.get(key) ?? 0);
  }
}
