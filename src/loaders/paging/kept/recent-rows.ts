// Keeps the rows that one page of an emulated list has read for the next pages.
import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../../upstream/reader.ts';

/** The start of a list; the whole list if `isWhole`. */
export interface ListStart {
  readonly rows: readonly JsonObject[];
  /** The list's total; null where it was not requested or not answered. */
  readonly total: number | null;
  readonly isWhole: boolean;
  /** The limit that was sent. There are fewer rows at the end of the list, or if the server cuts its answers. */
  readonly limit: number;
}

/** TTL of rows, in milliseconds: long enough for a client that reads page after page, short enough not to be stale. */
const TTL = 15_000;
/** Maximum size of all lists together and of one list, in bytes of JSON. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_LIST_BYTES = 16 * 1024 * 1024;
/** Number of rows that are measured to estimate the size of a list. */
const SAMPLE_SIZE = 50;

/**
 * Rows of lists by caller. Rows are never shared between callers, and a write of the caller drops them. A walk may serve rows
 * that another caller or process has changed up to 15 seconds ago; a first page never does.
 */
export class RecentRows {
  readonly #starts = new LRUCache<string, ListStart>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_LIST_BYTES,
    sizeCalculation: ({ rows }) => estimateBytes(rows),
    ttl: TTL,
    perf: performance,
  });
  readonly #writes = new LRUCache<string, number>({ max: 1000 });

  get(caller: string, list: string): ListStart | undefined {
    return this.#starts.get(keyOf(caller, list));
  }

  /** Begins a read. @returns Keeps the rows, unless the caller has written since the read began. */
  beginRead(caller: string, list: string): (start: ListStart) => void {
    const writes = this.#writes.get(caller);
    return (start) => {
      if (this.#writes.get(caller) === writes) this.#starts.set(keyOf(caller, list), start);
    };
  }

  /** Drops all rows of a caller, because a write may have changed them. */
  drop(caller: string): void {
    this.#writes.set(caller, (this.#writes.get(caller) ?? 0) + 1);
    const prefix = keyOf(caller, '');
    for (const key of this.#starts.keys()) if (key.startsWith(prefix)) this.#starts.delete(key);
  }
}

const keyOf = (caller: string, list: string): string => `${caller} ${list}`;

function estimateBytes(rows: readonly JsonObject[]): number {
  const step = Math.max(1, Math.floor(rows.length / SAMPLE_SIZE));
  const measured = rows.filter((_row, index) => index % step === 0);
  return 1 + Math.ceil((JSON.stringify(measured).length / Math.max(1, measured.length)) * rows.length);
}
