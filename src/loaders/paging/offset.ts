// Reads pages of a list by `offset` (docs/paging.md).
import type { JsonObject } from '../../upstream/reader.ts';
import type { Cursor, OffsetCursor } from './cursor.ts';
import type { Page, PageReading } from './page.ts';
import { prefixCursor, readPrefixPage } from './prefix.ts';
import { idOf } from './row-ids.ts';

/** Reads a page by `offset`. When it does not follow the cursor's row, the list is read from its start to find that row. */
export async function readOffsetPage(reading: PageReading, cursor: OffsetCursor | null): Promise<Page> {
  const { first, count } = reading.request;
  const offset = cursor?.served ?? 0;
  const { head, rows } = await reading.source.readUpTo(
    first + 1,
    offset > 0 ? { offset } : {},
    (rowsSoFar) => ({ offset: offset + rowsSoFar.length }),
    { count, before: offset },
  );
  if (head.rows.length > head.limit || !areNextRows(rows, cursor)) {
    const ignoresOffset = (firstRow: JsonObject | undefined) => idOf(firstRow) === idOf(rows[0]);
    return readPrefixPage(reading, cursor, cursor === null ? head : undefined, (all) =>
      ignoresOffset(all[0]) ? prefixCursor : (row, index) => offsetCursor(row, index + 1, all[index + 1]),
    );
  }
  return reading.cutPage(rows, 0, (row, index) => offsetCursor(row, offset + index + 1, rows[index + 1]), {
    total: head.total,
    emulated: false,
  });
}

/**
 * Whether rows follow the cursor's row. They do not when rows before them were added or deleted, or when the server ignores
 * the offset. Such a server also repeats rows when several calls read one page.
 */
function areNextRows(rows: readonly JsonObject[], cursor: OffsetCursor | null): boolean {
  const ids = rows.map(idOf);
  if (ids.includes(null) || new Set(ids).size < ids.length) return false;
  return cursor === null || (ids[0] ?? null) === cursor.next;
}

/** The cursor of a row. An offset to a row without an id cannot be checked, so that row has a prefix cursor. */
function offsetCursor(row: JsonObject, served: number, next: JsonObject | undefined): Cursor {
  const id = idOf(row);
  return id === null ? prefixCursor(row, served - 1) : { kind: 'offset', id, next: idOf(next), served };
}
