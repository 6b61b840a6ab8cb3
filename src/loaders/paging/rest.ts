// Pages of the rows that a walk by `from_id`, now given up, has not served.
import type { RestCursor } from './cursor.ts';
import { type Direction, isBeyond } from './direction.ts';
import type { Fetched } from './list-source.ts';
import type { Page, PageReading } from './page.ts';
import { indexOfRow, requireIntegerId } from './row-ids.ts';
import { readWholeList } from './whole-list.ts';

/** Reads a page of the rest. @param inHand The whole list where it has been read already. */
export async function readRestPage(
  reading: PageReading,
  cursor: RestCursor,
  inHand?: Fetched,
): Promise<Page> {
  const whole = inHand ?? (await readWholeList(reading.source));
  const { served, lost } = servedFirst(whole.rows, requireIntegerId, cursor.until, cursor.direction);
  const rows = [...served, ...lost];
  const at = indexOfRow(rows, cursor);
  // Where the cursor's row is gone, the next one has moved into its place.
  const start = at === null ? Math.max(served.length, cursor.served - 1) : at + 1;
  return reading.cut(
    rows,
    start,
    (row, index) => ({ ...cursor, id: requireIntegerId(row), served: index + 1 }),
    { total: whole.total },
  );
}

/**
 * Splits a whole list into the rows that a strict walk by `from_id` up to row `until` has served, and all others.
 *
 * A server may sort by anything and still filter `id > from_id`. A strict walk accepts a page only if its ids, the extra
 * row included, run in one direction, and if the next page starts at the extra row. So it passes over a row unseen only
 * when the row's id lies behind the end of the last page. Seen along the whole list, the served rows are exactly those
 * whose id lies beyond the ids of all rows before them. Rows beyond `until` that stand before it are newer than the walk
 * and say nothing; where row `until` is gone, they show how far the walk had gone.
 */
export function servedFirst<T>(
  rows: readonly T[],
  idOf: (row: T) => number,
  until: number,
  direction: Direction,
): { readonly served: readonly T[]; readonly lost: readonly T[] } {
  const served: T[] = [];
  const lost: T[] = [];
  const isUntilThere = rows.some((row) => idOf(row) === until);
  let furthest: number | null = null;
  for (const row of rows) {
    const id = idOf(row);
    const isUnserved = isBeyond(until, id, direction);
    const isRecord: boolean = furthest === null || isBeyond(furthest, id, direction);
    if (isRecord && !(isUnserved && isUntilThere)) furthest = id;
    if (isRecord && !isUnserved) served.push(row);
    else lost.push(row);
  }
  return { served, lost };
}
