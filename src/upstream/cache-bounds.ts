// Bounds caches that are large only under load.

/**
 * Bounds a cache of `lru-cache` to a number of entries. By its own `max`, a cache takes the space for all entries when it is made:
 * megabytes for tens of thousands that few servers ever see.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 });
