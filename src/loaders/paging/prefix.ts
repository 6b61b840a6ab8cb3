// Pages of a list that is read from its start up to the page.
import type { JsonObject } from '../../upstream/reader.ts';
import type { PrefixCursor } from './cursor.ts';
import type { ListStart } from './kept/recent-rows.ts';
import { type Limited, type ListSource, MAX_EMULATED_ROWS } from './list-source.ts';
import { type CursorAt, endOfWhole, type Page, type PageReading, withDoubt } from './page.ts';
import { idOf, type Resumption, resumeAfter, resumeAtPlace } from './row-ids.ts';
import { fetchWholeList, readWholeList } from './whole-list.ts';

/** The row that a page follows. */
type Place = Pick<PrefixCursor, 'id' | 'next' | 'served'>;

/** Makes the cursors of a page, given all rows that were read. */
type CursorsFor = (rows: readonly JsonObject[]) => CursorAt;

/**
 * Reads a page from the start of its list.
 * @param inHand Rows that a first call has read already.
 */
export async function readPrefixPage(
  reading: PageReading,
  cursor: Place | null,
  inHand?: Limited,
  cursorsFor: CursorsFor = prefixCursors,
): Promise<Page> {
  const { source } = reading;
  const { first, count, list } = reading.request;
  const longest = Math.min(list.cap, MAX_EMULATED_ROWS);
  let needed = (cursor?.served ?? 0) + first + 1;
  const readStart = (): Promise<ListStart> => {
    if (list.limited && needed <= longest) return source.start(needed, count, cursor !== null);
    return cursor === null ? fetchWholeList(source) : readWholeList(source);
  };
  let start = inHand === undefined ? await readStart() : keepStart(source, inHand);
  for (;;) {
    const { rows, total, isWhole, limit } = start;
    const place = cursor === null ? { start: 0, isCertain: true } : resume(rows, cursor);
    if (isWhole || (place !== null && rows.length > place.start + first)) {
      const { start: index, isCertain } = place ?? resumeAtPlace(cursor?.served ?? 1);
      const page = reading.cut(rows, index, cursorsFor(rows), { total });
      return isCertain ? endOfWhole(page, start) : withDoubt(page, index, total);
    }
    // Rows were added before the cursor's row, or it was deleted, or the server holds rows back: read further, or all.
    needed = place === null ? Number.POSITIVE_INFINITY : place.start + first + 1;
    start = rows.length < limit ? await readWholeList(source, start) : await readStart();
  }
}

function keepStart(source: ListSource, fetched: Limited): ListStart {
  const start = { ...fetched, isWhole: source.isWhole(fetched) };
  source.keeper()(start);
  return start;
}

/** Makes the cursors of a list that is read from its start. */
export const prefixCursors: CursorsFor = (rows) => (row, index) =>
  prefixCursor(row, index + 1, rows[index + 1]);

/** The cursor on a row of a list that is read from its start. */
export const prefixCursor = (
  row: JsonObject,
  served: number,
  next: JsonObject | undefined,
): PrefixCursor => ({ kind: 'prefix', id: idOf(row), next: idOf(next), served });

/** Where the walk goes on; null when the rows do not show it. A row without an id is known by its place only. */
function resume(rows: readonly JsonObject[], { id, next, served }: Place): Resumption | null {
  return id === null ? { start: served, isCertain: true } : resumeAfter(rows, { id, next, served });
}
