// Reads ids off the rows of a list.
import { UpstreamProtocolError } from '../../upstream/errors/upstream-errors.ts';
import type { JsonObject } from '../../upstream/reader.ts';
import { type Direction, directionOf } from './direction.ts';

/** A row's integer id, which `from_id` compares; undefined when it has none. */
export function integerIdOf(row: JsonObject | undefined): number | undefined {
  const id = row?.['id'];
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
}

/** A row's id, a number or a string; null when it has none. */
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

/** The rows' ids; null when a row has none that `from_id` takes, which is an integer of at least 0. */
export function integerIdsOf(rows: readonly JsonObject[]): readonly number[] | null {
  const ids = rows.map(integerIdOf);
  return ids.every((id): id is number => id !== undefined && id >= 0) ? ids : null;
}

/** The direction that the first two rows show; null when there are not two. */
export function directionOfRows(rows: readonly JsonObject[]): Direction | null {
  const direction = directionOf(integerIdsOf(rows.slice(0, 2)) ?? []);
  return direction === 'any' ? null : direction;
}

/**
 * Index of the row that a cursor stands on; null when the row is gone. Where several rows have its id, it is the one
 * nearest to the cursor's place.
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

/** Where a walk goes on in rows that were read anew. */
export interface Resumption {
  /** Index of the first row that is not served. */
  readonly start: number;
  /** False when neither the cursor's row nor the next one is there: then rows may be missed. */
  readonly isCertain: boolean;
}

/**
 * Finds the row that follows a cursor's. Where the cursor's row is gone, it is the row that was to follow it. Null when
 * neither is among the rows.
 */
export function resumeAfter(
  rows: readonly JsonObject[],
  {
    id,
    next,
    served,
  }: { readonly id: number | string; readonly next: number | string | null; readonly served: number },
): Resumption | null {
  const at = indexOfRow(rows, { id, served });
  if (at !== null) return { start: at + 1, isCertain: true };
  const following = next === null ? null : indexOfRow(rows, { id: next, served: served + 1 });
  return following === null ? null : { start: following, isCertain: true };
}

/** Where a walk goes on when all that its cursor names is gone: at the place where the cursor's row stood. */
export const resumeAtPlace = (served: number): Resumption => ({ start: served - 1, isCertain: false });
