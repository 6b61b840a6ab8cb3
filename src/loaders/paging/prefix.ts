// Pages of a list that is read from its start up to the page.
import type { JsonObject } from '../../upstream/reader.ts';
import type { PrefixCursor } from './cursor.ts';
import type { ListStart } from './kept/recent-rows.ts';
import { type Limited, type ListSource, MAX_EMULATED_ROWS } from './list-source.ts';
import type { CursorAt, Page, PageReading } from './page.ts';
import { idOf, indexOfRow } from './row-ids.ts';
import { fetchWholeList, readWholeList } from './whole-list.ts';

/** The row that a page follows. */
type Place = Pick<PrefixCursor, 'id' | 'served'>;

/**
 * Reads a page from the start of its list.
 * @param inHand Rows that a first call has read already.
 * @param cursorsFor Makes the cursors, given the rows that were read.
 */
export async function readPrefixPage(
  reading: PageReading,
  cursor: Place | null,
  inHand?: Limited,
  cursorsFor: (rows: readonly JsonObject[]) => CursorAt = () => prefixCursor,
): Promise<Page> {
  const { source } = reading;
  const { first, count, list } = reading.request;
  const longest = Math.min(list.cap, MAX_EMULATED_ROWS);
  const before = cursor?.served ?? 0;
  let needed = before + first + 1;
  const readStart = (): Promise<ListStart> => {
    if (list.limited && needed <= longest) return source.start(needed, count, cursor !== null);
    return cursor === null ? fetchWholeList(source) : readWholeList(source);
  };
  let start = inHand === undefined ? await readStart() : keepStart(source, inHand);
  for (;;) {
    const { rows, total, isWhole, limit } = start;
    const at = cursor === null ? -1 : indexOf(rows, cursor);
    if (isWhole || (at !== null && rows.length > at + 1 + first)) {
      return reading.cut(rows, at === null ? before - 1 : at + 1, cursorsFor(rows), { total });
    }
    // Rows were added before the cursor's row, or it was deleted, or the server holds rows back: read further, or all.
    needed = at === null ? Number.POSITIVE_INFINITY : at + 1 + first + 1;
    start = rows.length < limit ? await readWholeList(source, start) : await readStart();
  }
}

function keepStart(source: ListSource, fetched: Limited): ListStart {
  const start = { ...fetched, isWhole: source.isWhole(fetched) };
  source.keeper()(start);
  return start;
}

/** The cursor on a row of a list that is read from its start. */
export const prefixCursor = (row: JsonObject, index: number): PrefixCursor => ({
  kind: 'prefix',
  id: idOf(row),
  served: index + 1,
});

/** Index of the cursor's row; null when it is not among the rows. A row without an id is known by its place only. */
function indexOf(rows: readonly JsonObject[], { id, served }: Place): number | null {
  return id === null ? served - 1 : indexOfRow(rows, { id, served });
}
