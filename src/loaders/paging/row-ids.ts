// Reads the ids of rows, and the order in which they stand.
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../upstream/json.ts';

/** The direction of the ids in a list. */
export type Direction = 'ascending' | 'descending';

/** A row's id, a number or a string; null when it has none. */
export function idOf(row: JsonObject | undefined): number | string | null {
  const id = row?.['id'];
  return typeof id === 'number' || typeof id === 'string' ? id : null;
}

/** A row's integer id; null when it has none. */
export function integerIdOf(row: JsonObject | undefined): number | null {
  const id = row?.['id'];
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null;
}

/** The keys of rows that were read for several pages. */
const knownKeys = new WeakMap<readonly JsonObject[], readonly number[] | null>();

/**
 * Returns a whole number for the id of each row: the id itself, or for a text a hash of 40 bits as a negative number, which cannot be sent
 * as `from_id`. Null when a row has no id or two rows have the same: then ids do not distinguish the rows.
 */
export function keysOf(rows: readonly JsonObject[]): readonly number[] | null {
  let keys = knownKeys.get(rows);
  if (keys === undefined) {
    keys = readKeys(rows);
    knownKeys.set(rows, keys);
  }
  return keys;
}

function readKeys(rows: readonly JsonObject[]): readonly number[] | null {
  const keys: number[] = [];
  for (const row of rows) {
    const id = idOf(row);
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
