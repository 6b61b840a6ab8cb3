// Reads the ids of rows, and decides from their order what a walk can rely on.
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../upstream/json.ts';
import type { Trust, Walk } from './cursor.ts';
import type { Block, List } from './list.ts';
import { ServedIds } from './served-ids.ts';

/** The direction of the ids in a list. */
export type Direction = 'ascending' | 'descending';

/** A row's integer id; null when it has none. */
export function integerIdOf(row: JsonObject | undefined): number | null {
  const id = row?.['id'];
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null;
}

/**
 * Returns a whole number for the id of each row: the id itself, or for a text a hash of 40 bits as a negative number, which cannot be sent
 * as `from_id`. Null when a row has no id or two rows have the same: then ids do not distinguish the rows.
 */
export function keysOf(rows: readonly JsonObject[]): readonly number[] | null {
  const keys: number[] = [];
  for (const row of rows) {
    const { id } = row;
    const key = typeof id === 'string' ? hashOf(id) : integerIdOf(row);
    if (key === null) return null;
    keys.push(key);
  }
  // Keys in a strict order are distinct. A set of them takes ten times as long.
  const areDistinct = isOrdered(keys, trendOf(keys) ?? 'ascending') || new Set(keys).size === keys.length;
  return areDistinct ? keys : null;
}

const hashOf = (text: string): number => -1 - createHash('sha256').update(text).digest().readUIntBE(0, 5);

/** The highest of some keys. They may be more than a function takes arguments. */
export const highestOf = (keys: readonly number[]): number =>
  keys.reduce((highest, key) => Math.max(highest, key), Number.NEGATIVE_INFINITY);

/** Whether `a` comes after `b` in the direction. */
export function isAfter(a: number, b: number, direction: Direction): boolean {
  return direction === 'ascending' ? a > b : a < b;
}

/** Whether ids are strictly ordered in a direction. */
export const isOrdered = (ids: readonly number[], direction: Direction): boolean =>
  ids.every((id, index) => index === 0 || isAfter(id, ids[index - 1] ?? id, direction));

/** The direction from the first id to the last; null for fewer than two. */
export function trendOf(ids: readonly number[]): Direction | null {
  const [first, last] = [ids[0], ids.at(-1)];
  if (first === undefined || last === undefined || first === last) return null;
  return last > first ? 'ascending' : 'descending';
}

/** Whether each id is at most this number of places away from the place that it would have in the order of ids. */
export function isNearlyOrdered(ids: readonly number[], direction: Direction, places: number): boolean {
  const sign = direction === 'ascending' ? 1 : -1;
  const place = new Map(ids.toSorted((a, b) => sign * (a - b)).map((id, index) => [id, index]));
  return ids.every((id, index) => Math.abs((place.get(id) ?? index) - index) <= places);
}

/** The `from_id` with which a response begins with an id. */
export const fromIdBefore = (id: number, direction: Direction): number | null => {
  const place = direction === 'ascending' ? id - 1 : id + 1;
  return place < 0 ? null : place;
};

/** Among fewer rows, those that tie may have the order of their ids by chance. */
const MIN_STRICT = 20;
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

/**
 * Returns the order on which a walk relies after it has read rows with these ids.
 * @param isEnough Whether the rows suffice to decide.
 */
export function orderOf(list: List, walk: Walk, ids: readonly number[], isEnough: boolean): Order {
  if (walk.trust === 'none') return { trust: 'none', direction: null };
  const trend = trendOf(ids);
  const isNear = (): boolean => trend !== null && isNearlyOrdered(ids, trend, toleranceOf(list, ids.length));
  if (list.paging === 'offset') {
    if (!isEnough && ids.length < MIN_UNORDERED) return { trust: 'unknown', direction: null };
    return { trust: 'ties', direction: isNear() ? trend : null };
  }
  if (!ids.every((id) => id >= 0)) return { trust: 'none', direction: null };
  const direction = (walk.trust === 'unknown' ? null : walk.direction) ?? trend;
  if (direction === null) return { trust: walk.trust, direction: walk.direction };
  if (walk.trust !== 'ties' && isOrdered(ids, direction)) {
    const isCertain = isEnough && ids.length >= Math.min(MIN_STRICT, list.cap);
    const trust = isCertain || walk.trust === 'ids' ? 'ids' : 'unknown';
    return { trust, direction };
  }
  if (!isEnough) return { trust: 'unknown', direction: null };
  return trend === direction && isNear() ? { trust: 'ties', direction } : { trust: 'none', direction: null };
}

/** Number of places by which rows may stand away from the order of ids, among a number of rows. */
export const toleranceOf = (list: List, rows: number): number =>
  Math.min(overlapOf(list), Math.floor(rows / 8));

/** Starts a walk over a list, which relies on the order that the operator declares. */
export function startWalk({ paging, declaredOrder }: List): Walk {
  const rest = { served: 0, ids: ServedIds.none, from: null, head: null, total: null, isVerified: false };
  if (paging === 'prefix' || declaredOrder === 'none') return { ...rest, trust: 'none', direction: null };
  if (paging === 'offset' || declaredOrder === null) return { ...rest, trust: 'unknown', direction: null };
  return { ...rest, trust: 'ids', direction: declaredOrder };
}

/** Returns a walk with what a block shows: the order and, from the start of a list, its total and the served rows that still exist. */
export function correctWalk(walk: Walk, block: Block, keys: readonly number[], order: Order): Walk {
  const { trust } = order;
  const isOrdered = trust === 'ids' || trust === 'ties';
  const isVerified = walk.isVerified || (trust === 'ids' && block.isWhole);
  // What was concluded from an order that the list does not have is wrong.
  const head = trust === 'none' && walk.trust !== 'none' ? null : walk.head;
  if (block.from !== null) return { ...walk, ...order, head, isVerified };
  const isCounted = isOrdered && walk.trust !== 'ids' && walk.trust !== 'ties' && block.total !== null;
  const newHead = head ?? headOf(walk, block, keys, order);
  const added = newHead === null ? 0 : keys.filter((key) => key > newHead).length;
  return {
    ...walk,
    ...order,
    served: isCounted ? keys.filter((key) => walk.ids.has(key)).length : walk.served,
    total: block.total !== null && (isCounted || walk.total === null) ? block.total - added : walk.total,
    head: newHead,
    isVerified,
  };
}

/** The highest id when a walk began; null where it is not known or where new rows are served at the end of the list. */
function headOf(
  walk: Walk,
  block: Block,
  keys: readonly number[],
  { trust, direction }: Order,
): number | null {
  if (keys.length === 0 || integerIdOf(block.rows[0]) === null) return null;
  const isDescending = direction === 'descending' && (trust === 'ids' || trust === 'ties');
  const isGrowing = direction === 'ascending' && (trust === 'ids' || trust === 'unknown');
  if (!isDescending && (isGrowing || !block.isWhole)) return null;
  // In a long list that is ordered by id, what stands before the served rows is new.
  const isStrict = isDescending && trust === 'ids' && keys.length >= MIN_STRICT;
  return isStrict && walk.served > 0 ? walk.ids.highest : highestOf(keys);
}

/** Whether a row is part of a walk that has not served it. */
export const isUnserved = ({ served, ids, head }: Walk, key: number): boolean =>
  (served === 0 || !ids.has(key)) && (head === null || key <= head);
