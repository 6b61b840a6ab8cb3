// Reads the ids of rows: their direction, and the place of a cursor's row.
import type { JsonObject } from '../../upstream/reader.ts';

/** The direction in which ids run along a list. */
export type Direction = 'ascending' | 'descending';

/** The row that a cursor stands on. */
export interface Position {
  /** Null where rows have no ids; then `served` alone tells the place. */
  readonly id: number | string | null;
  /** Id of the row that follows; null when this was the last one. */
  readonly next: number | string | null;
  /** Rows served so far, this one included. */
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

/** Whether `b` lies further along than `a`. */
export function isBeyond(a: number, b: number, direction: Direction): boolean {
  return direction === 'ascending' ? b > a : b < a;
}

/** Whether ids run strictly in a direction. */
export const runsIn = (ids: readonly number[], direction: Direction): boolean =>
  ids.every((id, index) => index === 0 || isBeyond(ids[index - 1] ?? id, id, direction));

/** The direction in which rows run strictly by id; `any` for fewer than two rows, null when they run in neither. */
export function directionOf(rows: readonly JsonObject[]): Direction | 'any' | null {
  const ids = keysetIdsOf(rows);
  if (ids === null || ids.length < 2) return ids && 'any';
  const direction = trendOf(rows);
  return direction !== null && runsIn(ids, direction) ? direction : null;
}

/** The direction from the first row to the last, whatever lies between; null when they show none. */
export function trendOf(rows: readonly JsonObject[]): Direction | null {
  const ids = keysetIdsOf(rows);
  const [first, last] = [ids?.[0], ids?.at(-1)];
  if (first === undefined || last === undefined || first === last) return null;
  return last > first ? 'ascending' : 'descending';
}

/**
 * Index of the row that follows a cursor's row or, where that row is gone, of the one that was to follow it. Null when
 * neither is among the rows.
 */
export function indexAfter(rows: readonly JsonObject[], { id, next, served }: Position): number | null {
  if (id === null) return served;
  const index = indexOf(rows, id, served - 1);
  return index === null ? indexOf(rows, next, served) : index + 1;
}

/** Index of the row with an id; where several have it, of the one nearest to a place. */
function indexOf(rows: readonly JsonObject[], id: number | string | null, place: number): number | null {
  let nearest: number | null = null;
  for (const [index, row] of rows.entries()) {
    if (id === null || row['id'] !== id) continue;
    if (nearest === null || Math.abs(index - place) < Math.abs(nearest - place)) nearest = index;
  }
  return nearest;
}
