// Implements the option `unstableTies`: rows that tie come in an order that depends on the limit and on chance, as in databases.
import type { ListHabit } from '../engine/lists.ts';
import { ascendingBy, descendingBy, type Order } from '../engine/lists.ts';
import { createRandom, type Random, type SeedRow } from '../seed/random.ts';

/** The orders of lists that have ties only with this habit, by scope. */
const ORDERS: Readonly<Record<string, Order>> = {
  'dataset.property_history#index': descendingBy('created_at'),
  'dataset_expansion.history#index': ascendingBy('created_at'),
  'dns_record#index': ascendingBy('name'),
};

/** The tables with rows that tie only with this habit, and the columns of their parent rows. */
const PAIRED: Readonly<Record<string, string>> = {
  property_histories: 'dataset',
  expansion_histories: 'dataset_expansion',
};

/** The probability that the order of ties is not the one that the limit had before. */
const CHANGE = 0.25;

/**
 * Sorts each list so that rows that tie are in any order, which is usually the same for the same rows and the same limit. An
 * answer contains each row once. Lists that are sorted by id have no ties.
 */
export function shuffleTies(seed: number, random: Random): ListHabit {
  return (list, { action }, next) => {
    const order = ORDERS[action.scope] ?? list.order;
    if (order === undefined) return next(list);
    const changed = random.chance(CHANGE) ? random.int(1, 1_000_000) : 0;
    const { shuffle } = createRandom(seed + (list.limit ?? -1) + changed);
    // The sort is stable, so it leaves rows that tie in this order.
    return next({ ...list, order, rows: shuffle(list.rows) });
  };
}

/** Gives every second row of a history the time of the row before it. */
export function pairTimes(
  tables: Readonly<Record<string, readonly SeedRow[]>>,
): Readonly<Record<string, readonly SeedRow[]>> {
  const paired = Object.entries(PAIRED).map(([table, parent]) => {
    const rows = tables[table] ?? [];
    return [
      table,
      rows.map((row, index) => {
        const before = rows[index - 1];
        const isSecond = index % 2 === 1 && before?.[parent] === row[parent];
        return isSecond ? { ...row, created_at: before?.['created_at'] ?? null } : row;
      }),
    ] as const;
  });
  return { ...tables, ...Object.fromEntries(paired) };
}
