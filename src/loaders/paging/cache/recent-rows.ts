// Remembers the rows that one page of a list read, so that the next page does not read them again.
import { LRUCache } from 'lru-cache';
import { atMost } from '../../../upstream/cache-bounds.ts';
import type { JsonObject } from '../../../upstream/json.ts';
import { CallerCache } from '../../caller-cache.ts';
import type { Block } from '../list.ts';

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
  readonly #blocks = new CallerCache<Block>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_LIST_BYTES,
    sizeOf: ({ rows }) => estimateBytes(rows),
    ttl: KEPT_FOR,
  });
  /** Number of times that the rows of each caller were dropped. */
  readonly #writes = new LRUCache<string, number>(atMost(1000));

  get(caller: string, list: string): Block | undefined {
    return this.#blocks.get(caller, list);
  }

  /** Begins a read. The returned function stores its rows, unless the caller has written since. */
  begin(caller: string, list: string): (block: Block) => void {
    const writes = this.#writes.get(caller);
    return (block) => {
      if (this.#writes.get(caller) === writes) this.#blocks.set(caller, list, block);
    };
  }

  /** Drops a caller's rows, since a write may have changed them. */
  drop(caller: string): void {
    this.#writes.set(caller, (this.#writes.get(caller) ?? 0) + 1);
    this.#blocks.drop(caller);
  }
}

function estimateBytes(rows: readonly JsonObject[]): number {
  const step = Math.max(1, Math.floor(rows.length / MEASURED));
  const measured = rows.filter((_row, index) => index % step === 0);
  return 1 + Math.ceil((JSON.stringify(measured).length / Math.max(1, measured.length)) * rows.length);
}
