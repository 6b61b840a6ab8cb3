// Reads the ids of rows, their direction, and the index of a cursor's row.
import type { JsonObject } from '../../upstream/reader.ts';

/** The direction of the ids in a list. */
export type Direction = 'ascending' | 'descending';

/** The row of a cursor. */
export interface Position {
  /** Null if rows have no ids. Then only `served` determines the row. */
  readonly id: number | string | null;
  /** Id of the row that follows; null when this was the last one. */
  readonly next: number | string | null;
  /** Number of rows served so far, including this one. */
  readonly served: number;
}

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

/** The rows' ids; null when a row has none that `from_id` takes, which is an integer of at least 0. */
export function keysetIdsOf(rows: readonly JsonObject[]): readonly number[] | null {
  const ids = rows.map(integerIdOf);
  return ids.every((id): id is number => id !== null && id >= 0) ? ids : null;
}

/** Whether `b` comes after `a` in the direction. */
export function isBeyond(a: number, b: number, direction: Direction): boolean {
  return direction === 'ascending' ? b > a : b < a;
}

/** Whether ids are strictly ordered in a direction. */
export const runsIn = (ids: readonly number[], direction: Direction): boolean =>
  ids.every((id, index) => index === 0 || isBeyond(ids[index - 1] ?? id, id, direction));

/** The direction in which rows are strictly ordered by id; `any` for fewer than two rows, null when they are not ordered. */
export function directionOf(rows: readonly JsonObject[]): Direction | 'any' | null {
  const ids = keysetIdsOf(rows);
  if (ids === null || ids.length < 2) return ids && 'any';
  const direction = trendOf(rows);
  return direction !== null && runsIn(ids, direction) ? direction : null;
}

/** The direction from the first row to the last, regardless of the rows between; null when the rows show none. */
export function trendOf(rows: readonly JsonObject[]): Direction | null {
  const ids = keysetIdsOf(rows);
  const [first, last] = [ids?.[0], ids?.at(-1)];
  if (first === undefined || last === undefined || first === last) return null;
  return last > first ? 'ascending' : 'descending';
}

/**
 * Returns the index of the row after a cursor's row. If the cursor's row is gone, returns the index of the row that followed
 * it. Null when neither is among the rows.
 */
export function indexAfter(rows: readonly JsonObject[], { id, next, served }: Position): number | null {
  if (id === null) return served;
  const index = indexOf(rows, id, served - 1);
  return index === null ? indexOf(rows, next, served) : index + 1;
}

/** Returns the index of the row with an id. If several rows have it, the one nearest to `place`. */
function indexOf(rows: readonly JsonObject[], id: number | string | null, place: number): number | null {
  let nearest: number | null = null;
  for (const [index, row] of rows.entries()) {
    if (id === null || row['id'] !== id) continue;
    if (nearest === null || Math.abs(index - place) < Math.abs(nearest - place)) nearest = index;
  }
  return nearest;
}
