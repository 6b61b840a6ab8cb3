// Reads pages of the rows that an abandoned walk by `from_id` has not served (docs/paging.md).
import type { RestCursor } from './cursor.ts';
import { type Direction, isBeyond } from './direction.ts';
import type { ListAnswer } from './list-source.ts';
import type { Page, PageReading } from './page.ts';
import { indexOfRow, requireIntegerId } from './row-ids.ts';
import { readWholeList } from './whole-list.ts';

/** @param known The whole list, where it has been read already. */
export async function readRestPage(
  reading: PageReading,
  cursor: RestCursor,
  known?: ListAnswer,
): Promise<Page> {
  const whole = known ?? (await readWholeList(reading.source));
  const { served, lost } = splitServed(whole.rows, requireIntegerId, cursor.until, cursor.direction);
  const rows = [...served, ...lost];
  const at = indexOfRow(rows, cursor);
  // If the cursor's row is gone, the next row has moved into its place.
  const start = at === null ? Math.max(served.length, cursor.served - 1) : at + 1;
  return reading.cutPage(
    rows,
    start,
    (row, index) => ({ ...cursor, id: requireIntegerId(row), served: index + 1 }),
    { total: whole.total },
  );
}

/**
 * Splits a whole list into the rows that a strict walk by `from_id` up to row `until` has served, and all others.
 *
 * A server may sort by anything and still filter `id > from_id`. A strict walk accepts a page only if its ids, including the
 * extra row, run in one direction, and if the next page starts with the extra row. So it misses a row only if the row's
 * id lies before the end of the last page. In the whole list, the served rows are exactly those whose id lies beyond the
 * ids of all rows before them. Rows with ids beyond `until` that stand before row `until` are newer than the walk and are
 * ignored; if row `until` is gone, they show how far the walk had advanced.
 */
export function splitServed<T>(
  rows: readonly T[],
  idOf: (row: T) => number,
  until: number,
  direction: Direction,
): { readonly served: readonly T[]; readonly lost: readonly T[] } {
  const served: T[] = [];
  const lost: T[] = [];
  const hasUntil = rows.some((row) => idOf(row) === until);
  let furthest: number | null = null;
  for (const row of rows) {
    const id = idOf(row);
    const isUnserved = isBeyond(until, id, direction);
    const isRecord: boolean = furthest === null || isBeyond(furthest, id, direction);
    if (isRecord && !(isUnserved && hasUntil)) furthest = id;
    if (isRecord && !isUnserved) served.push(row);
    else lost.push(row);
  }
  return { served, lost };
}
