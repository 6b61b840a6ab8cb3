import type { RestCursor } from './cursor.ts';
import { servedFirst } from './list-orders.ts';
import { type Fetched, requireId } from './list-source.ts';
import { indexOfRow, type Page, type PageReading } from './page.ts';

/**
 * A page of the rows that a walk by `from_id`, now given up, has not served.
 * @param inHand The whole list where it has been read.
 */
export async function readRestPage(
  reading: PageReading,
  cursor: RestCursor,
  inHand?: Fetched,
): Promise<Page> {
  const { count } = reading.request;
  const whole = inHand ?? (await reading.source.whole());
  const { served, lost } = servedFirst(whole.rows, requireId, cursor.until, cursor.direction);
  const rows = [...served, ...lost];
  const at = indexOfRow(rows, cursor);
  // Where the cursor's row is gone, the next one has moved into its place.
  const start = at === null ? Math.max(served.length, cursor.served - 1) : at + 1;
  const page = reading.cut(rows, start, (row, position) => ({
    ...cursor,
    id: requireId(row),
    served: position,
  }));
  return { ...page, totalCount: count ? whole.total : null };
}
