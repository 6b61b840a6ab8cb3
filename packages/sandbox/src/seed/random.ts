// Provides a deterministic random generator and times for the seed.
import type { Value } from '../engine/definition.ts';

const EPOCH = Date.UTC(2024, 0, 1);

/** A seed row under construction, with writable columns. */
export interface SeedRow {
  readonly id: number;
  [column: string]: Value;
}

/** A random generator whose results depend only on its seed. */
export interface Random {
  /** Returns an integer between two inclusive bounds. */
  int(min: number, max: number): number;
  /** Returns one of the items. */
  pick<const Items extends readonly [unknown, ...unknown[]]>(items: Items): Items[number];
  /** Returns true with the given probability, from 0 to 1. */
  chance(probability: number): boolean;
  /** Returns the items in random order. */
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** Creates a generator with the mulberry32 algorithm. */
export function createRandom(seed: number): Random {
  let state = seed;
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    int,
    pick: (items) => items[int(0, items.length - 1)],
    chance: (probability) => next() < probability,
    shuffle(items) {
      return items
        .map((item) => ({ item, key: next() }))
        .sort((a, b) => a.key - b.key)
        .map(({ item }) => item);
    },
  };
}

/** Returns the time a number of minutes after 1 January 2024 (UTC), in ISO 8601 with the offset +01:00. */
export function timeAfter(minutes: number): string {
  return formatTime(EPOCH + minutes * 60_000);
}

/** Returns a time, in milliseconds since 1970, in the format of `timeAfter`. */
export function formatTime(ms: number): string {
  return `${new Date(ms + 3_600_000).toISOString().slice(0, 19)}+01:00`;
}
