import type { Value } from '../engine/definition.ts';

/** A row while the seed is being made. */
export interface Draft {
  readonly id: number;
  [column: string]: Value;
}

/** A generator whose numbers depend on nothing but its seed. */
export interface Random {
  /** A whole number within bounds, both included. */
  int(least: number, most: number): number;
  pick<const Items extends readonly [unknown, ...unknown[]]>(items: Items): Items[number];
  /** True in the given share of cases. */
  chance(share: number): boolean;
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** A generator (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed;
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    int,
    pick: (items) => items[int(0, items.length - 1)],
    chance: (share) => next() < share,
    shuffle(items) {
      return items
        .map((item) => ({ item, key: next() }))
        .sort((a, b) => a.key - b.key)
        .map(({ item }) => item);
    },
  };
}

const epoch = Date.UTC(2024, 0, 1);

/** The time so many minutes after the seed's epoch, 1 January 2024, as ISO 8601 with an offset of one hour. */
export function time(minutes: number): string {
  return `${new Date(epoch + (minutes + 60) * 60_000).toISOString().slice(0, 19)}+01:00`;
}
