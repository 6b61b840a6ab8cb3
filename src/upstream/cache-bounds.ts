// Bounds the size of caches, and the time for which they keep entries.

/**
 * Bounds a cache of `lru-cache` to a number of entries. By its own `max`, a cache takes the space for all entries when it is made:
 * megabytes for tens of thousands that few servers ever see.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });

/**
 * Gives the entries of a cache of `lru-cache` a time to live, in milliseconds. By default, a cache sets a timer in each millisecond in
 * which it is used, to read the clock less often. The timers cost more than the clock, so the clock is read each time. The default
 * clock is also the one from the time when lru-cache was loaded, which a test may have replaced since.
 */
export const expireAfter = (ttl: number) => ({ ttl, ttlResolution: 0, perf: performance });
