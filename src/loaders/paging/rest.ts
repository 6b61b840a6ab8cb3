// Pages of the rows that a walk by `from_id`, now given up, has not served.
import type { JsonObject } from '../../upstream/reader.ts';
import type { RestCursor } from './cursor.ts';
import { type Direction, isBeyond } from './direction.ts';
import type { Fetched } from './list-source.ts';
import { endOfWhole, type Page, type PageReading, withDoubt } from './page.ts';
import { integerIdOf, type Resumption, requireIntegerId, resumeAfter, resumeAtPlace } from './row-ids.ts';
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
  const { start, isCertain } = resume(rows, served.length, cursor);
  const page = reading.cut(
    rows,
    start,
    (row, index) => ({
      ...cursor,
      id: requireIntegerId(row),
      next: integerIdOf(rows[index + 1]) ?? null,
      served: index + 1,
    }),
    { total: whole.total },
  );
  return isCertain ? endOfWhole(page, whole) : withDoubt(page, start, whole.total);
}

/** The rest begins after the rows that the walk has served, where no row of it is served yet. */
function resume(rows: readonly JsonObject[], served: number, cursor: RestCursor): Resumption {
  const found = resumeAfter(rows, cursor);
  if (found !== null) return found;
  if (cursor.id === cursor.until) return { start: served, isCertain: true };
  return resumeAtPlace(cursor.served);
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
