// Reads pages by reading the list from its start up to the page (docs/paging.md).
import type { JsonObject } from '../../upstream/reader.ts';
import type { PrefixCursor } from './cursor.ts';
import type { ListStart } from './kept/recent-rows.ts';
import { type LimitedAnswer, type ListSource, MAX_EMULATED_ROWS } from './list-source.ts';
import type { CursorAt, Page, PageReading } from './page.ts';
import { idOf, indexOfRow } from './row-ids.ts';
import { fetchWholeList, readWholeList } from './whole-list.ts';

/** The row before a page. */
type PreviousRow = Pick<PrefixCursor, 'id' | 'served'>;

/**
 * Reads a page from the start of its list.
 * @param known The list's start, where an earlier call has read it.
 * @param createCursorAt Creates the function that makes the cursors; it takes the rows that were read.
 */
export async function readPrefixPage(
  reading: PageReading,
  cursor: PreviousRow | null,
  known?: LimitedAnswer,
  createCursorAt: (rows: readonly JsonObject[]) => CursorAt = () => prefixCursor,
): Promise<Page> {
  const { source } = reading;
  const { first, count, list } = reading.request;
  const longest = Math.min(list.cap, MAX_EMULATED_ROWS);
  const before = cursor?.served ?? 0;
  let needed = before + first + 1;
  const readStart = (): Promise<ListStart> => {
    if (list.limited && needed <= longest) return source.readStart(needed, count, cursor !== null);
    return cursor === null ? fetchWholeList(source) : readWholeList(source);
  };
  let start = known === undefined ? await readStart() : keepStart(source, known);
  for (;;) {
    const { rows, total, isWhole, limit } = start;
    const at = cursor === null ? -1 : indexOf(rows, cursor);
    if (isWhole || (at !== null && rows.length > at + 1 + first)) {
      return reading.cutPage(rows, at === null ? before - 1 : at + 1, createCursorAt(rows), { total });
    }
    // Rows were added before the cursor's row, or it was deleted, or the server answered too few rows: read more, or all.
    needed = at === null ? Number.POSITIVE_INFINITY : at + 1 + first + 1;
    start = rows.length < limit ? await readWholeList(source, start) : await readStart();
  }
}

function keepStart(source: ListSource, fetched: LimitedAnswer): ListStart {
  const start = { ...fetched, isWhole: source.isWhole(fetched) };
  source.trackRead()(start);
  return start;
}

/** The cursor of a row in a list that is read from its start. */
export const prefixCursor = (row: JsonObject, index: number): PrefixCursor => ({
  kind: 'prefix',
  id: idOf(row),
  served: index + 1,
});

/** Index of the cursor's row; null when it is not among the rows. A row without an id is identified by its place. */
function indexOf(rows: readonly JsonObject[], { id, served }: PreviousRow): number | null {
  return id === null ? served - 1 : indexOfRow(rows, { id, served });
}
