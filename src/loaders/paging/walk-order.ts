// Decides what a walk can rely on, from the rows that it has read.
import type { Trust, Walk } from './cursor.ts';
import type { List } from './list.ts';
import { type Direction, runsIn, runsNearly, trendOf } from './row-ids.ts';

/** Among fewer rows, those that tie may have the order of their ids by chance. */
export const MIN_STRICT = 20;
/** Number of rows that show that a list does not have the order of its ids. */
const MIN_UNORDERED = 50;
/** Number of rows from the start of a counted list that show its order. */
export const PROBE = 250;

/**
 * Maximum number of places between a row and the place of its id in a list that is read by `from_id` or `offset`. More rows of the same
 * time are not read in this way. Each block reads as many served rows again.
 */
const MAX_OVERLAP = 64;

/** Number of served rows that a block reads again. It is small where a response has few rows. */
export const overlapOf = ({ cap }: List): number => Math.min(MAX_OVERLAP, Math.floor(cap / 2));

/** What a walk relies on. */
export interface Order {
  readonly trust: Trust;
  readonly direction: Direction | null;
}

/** Returns the order on which a walk relies before it has read rows. */
export function firstOrder({ paging, declaredOrder }: List): Order {
  if (paging === 'prefix' || declaredOrder === 'none') return { trust: 'none', direction: null };
  if (paging === 'offset' || declaredOrder === null) return { trust: 'unknown', direction: null };
  return { trust: 'ids', direction: declaredOrder };
}

/**
 * Returns the order on which a walk relies after it has read rows with these ids.
 * @param isEnough Whether the rows suffice to decide.
 */
export function orderOf(list: List, walk: Walk, ids: readonly number[], isEnough: boolean): Order {
  if (walk.trust === 'none') return { trust: 'none', direction: null };
  const trend = trendOf(ids);
  const isNear = (): boolean => trend !== null && runsNearly(ids, trend, placesOf(list, ids.length));
  if (list.paging === 'offset') {
    if (!isEnough && ids.length < MIN_UNORDERED) return { trust: 'unknown', direction: null };
    return { trust: 'ties', direction: isNear() ? trend : null };
  }
  if (!ids.every((id) => id >= 0)) return { trust: 'none', direction: null };
  const direction = (walk.trust === 'unknown' ? null : walk.direction) ?? trend;
  if (direction === null) return { trust: walk.trust, direction: walk.direction };
  if (walk.trust !== 'ties' && runsIn(ids, direction)) {
    const isCertain = isEnough && ids.length >= Math.min(MIN_STRICT, list.cap);
    const trust = isCertain || walk.trust === 'ids' ? 'ids' : 'unknown';
    return { trust, direction };
  }
  if (!isEnough) return { trust: 'unknown', direction: null };
  return trend === direction && isNear() ? { trust: 'ties', direction } : { trust: 'none', direction: null };
}

/** Number of places by which rows may stand away from the order of ids, among a number of rows. */
export const placesOf = (list: List, rows: number): number => Math.min(overlapOf(list), Math.floor(rows / 8));
