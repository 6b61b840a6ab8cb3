// Bounded caches whose entries belong to callers, and are dropped with them.
import { LRUCache } from 'lru-cache';
import { atMost, expireAfter } from '../upstream/cache-bounds.ts';

/** Bounds of a cache. Either `max` is needed, or `maxSize` and `sizeOf`. */
export interface CallerCacheOptions<V> {
  /** Maximum number of entries. */
  readonly max?: number;
  /** Maximum size of all entries, and of one. */
  readonly maxSize?: number;
  readonly maxEntrySize?: number;
  /** Size of one entry, at least 1. */
  readonly sizeOf?: (value: V) => number;
  /** Time to live of entries without their own, in milliseconds. */
  readonly ttl?: number;
}

/** Values by caller and key. */
export class CallerCache<V> {
  readonly #entries: LRUCache<string, { readonly caller: string; readonly value: V }>;
  /** Keys of entries, by caller. */
  readonly #keys = new Map<string, Set<string>>();

  constructor({ max = 0, maxSize = 0, maxEntrySize = maxSize, sizeOf, ttl = 0 }: CallerCacheOptions<V>) {
    this.#entries = new LRUCache({
      ...(sizeOf === undefined
        ? atMost(max)
        : { maxSize, maxEntrySize, sizeCalculation: ({ value }) => sizeOf(value) }),
      ...expireAfter(ttl),
      dispose: ({ caller }, key) => {
        const keys = this.#keys.get(caller);
        keys?.delete(key);
        if (keys?.size === 0) this.#keys.delete(caller);
      },
    });
  }

  get(caller: string, key: string): V | undefined {
    return this.#entries.get(keyOf(caller, key))?.value;
  }

  /** Stores a value that is not too large. @param ttl Milliseconds; default: that of the cache. */
  set(caller: string, key: string, value: V, ttl?: number): void {
    const entryKey = keyOf(caller, key);
    this.#entries.set(entryKey, { caller, value }, ttl === undefined ? {} : { ttl });
    if (!this.#entries.has(entryKey)) return;
    this.#keys.set(caller, (this.#keys.get(caller) ?? new Set<string>()).add(entryKey));
  }

  /** Removes the values of a caller. */
  drop(caller: string): void {
    for (const key of [...(this.#keys.get(caller) ?? [])]) this.#entries.delete(key);
  }
}

const keyOf = (caller: string, key: string): string => `${caller} ${key}`;

/** Callers whose drops are counted. */
const MAX_CALLERS = 1_000;

/** The caches of what callers have read of their objects, which a write may change. */
export class CallerCaches {
  readonly #caches: Pick<CallerCache<unknown>, 'drop'>[] = [];
  readonly #drops = new LRUCache<string, number>(atMost(MAX_CALLERS));

  create<V>(options: CallerCacheOptions<V>): CallerCache<V> {
    const cache = new CallerCache(options);
    this.#caches.push(cache);
    return cache;
  }

  /** Number of times that the values of a caller were dropped; undefined for none. */
  dropsOf(caller: string): number | undefined {
    return this.#drops.get(caller);
  }

  /** Drops the values of a caller in all caches. */
  drop(caller: string): void {
    this.#drops.set(caller, (this.#drops.get(caller) ?? 0) + 1);
    for (const cache of this.#caches) cache.drop(caller);
  }
}
