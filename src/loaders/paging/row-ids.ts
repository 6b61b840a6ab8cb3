// Reads the ids of rows, and finds rows by id.
import { UpstreamProtocolError } from '../../upstream/errors/upstream-errors.ts';
import type { JsonObject } from '../../upstream/reader.ts';
import { type Direction, directionOf } from './direction.ts';

/** The integer id of a row, which `from_id` compares; undefined when it has none. */
export function integerIdOf(row: JsonObject | undefined): number | undefined {
  const id = row?.['id'];
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
}

/** The id of a row, a number or a string; null when it has none. */
export function idOf(row: JsonObject | undefined): number | string | null {
  const id = row?.['id'];
  return typeof id === 'number' || typeof id === 'string' ? id : null;
}

/** @throws UpstreamProtocolError when the row has no integer id. */
export function requireIntegerId(row: JsonObject): number {
  const id = integerIdOf(row);
  if (id === undefined) throw new UpstreamProtocolError('A row of the list has no integer id.');
  return id;
}

/** The ids of rows; null when one of them is not valid for `from_id`, which accepts integers from 0. */
export function integerIdsOf(rows: readonly JsonObject[]): readonly number[] | null {
  const ids = rows.map(integerIdOf);
  return ids.every((id): id is number => id !== undefined && id >= 0) ? ids : null;
}

/** The direction from the first row to the second; null when it cannot be determined. */
export function directionOfRows(rows: readonly JsonObject[]): Direction | null {
  const direction = directionOf(integerIdsOf(rows.slice(0, 2)) ?? []);
  return direction === 'any' ? null : direction;
}

/**
 * Index of a cursor's row; null when the row is gone. Where several rows have its id, the one nearest to the cursor's place
 * is taken.
 */
export function indexOfRow(
  rows: readonly JsonObject[],
  { id, served }: { readonly id: number | string; readonly served: number },
): number | null {
  const place = served - 1;
  let nearest: number | null = null;
  for (const [index, row] of rows.entries()) {
    if (row['id'] !== id) continue;
    if (nearest === null || Math.abs(index - place) < Math.abs(nearest - place)) nearest = index;
  }
  return nearest;
}
