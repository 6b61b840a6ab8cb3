// Reads pages of a list that the server pages by offset.
import type { JsonObject } from '../../upstream/reader.ts';
import type { Cursor, OffsetCursor } from './cursor.ts';
import type { Page, PageContext } from './page.ts';
import { prefixCursor, readPrefixPage } from './prefix-page.ts';
import { idOf } from './row-ids.ts';

/** Reads a page by `offset`. If the page does not follow the cursor's row, the list is read from its start to find that row. */
export async function readOffsetPage(context: PageContext, cursor: OffsetCursor | null): Promise<Page> {
  const { first, count } = context.request;
  const { reader } = context;
  const offset = cursor?.served ?? 0;
  const { firstResponse, rows } = await reader.readRows(
    first + 1,
    offset > 0 ? { offset } : {},
    (read) => ({ offset: offset + read.length }),
    { count, before: offset },
  );
  if (firstResponse.rows.length > firstResponse.limit || !follows(rows, cursor)) {
    return readPrefixPage(context, cursor, cursor === null ? firstResponse : undefined, (all) => {
      const isOffsetIgnored = idOf(all[0]) === idOf(rows[0]);
      const cursorOn = isOffsetIgnored ? prefixCursor : offsetCursor;
      return (row, index) => cursorOn(row, index + 1, all[index + 1]);
    });
  }
  return context.cutPage(rows, 0, (row, index) => offsetCursor(row, offset + index + 1, rows[index + 1]), {
    total: firstResponse.total,
    isEmulated: false,
  });
}

/**
 * Whether rows follow the cursor's row. They do not if rows before them were added or deleted, or if the server ignores the
 * offset. Such a server also repeats rows when a page is read by several calls.
 */
function follows(rows: readonly JsonObject[], cursor: OffsetCursor | null): boolean {
  const ids = rows.map(idOf);
  if (ids.includes(null) || new Set(ids).size < ids.length) return false;
  return cursor === null || (ids[0] ?? null) === cursor.next;
}

/** Rows without ids cannot be distinguished, so an offset to them cannot be checked. */
function offsetCursor(row: JsonObject, served: number, next: JsonObject | undefined): Cursor {
  const id = idOf(row);
  return id === null ? prefixCursor(row, served, next) : { kind: 'offset', id, next: idOf(next), served };
}
