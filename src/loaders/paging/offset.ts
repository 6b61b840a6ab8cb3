import type { JsonObject } from '../../upstream/reader.ts';
import type { Cursor, OffsetCursor } from './cursor.ts';
import { plainIdOf } from './list-source.ts';
import type { Page, PageReading } from './page.ts';
import { prefixCursor, readPrefixPage } from './prefix.ts';

/** A page by `offset`; where it does not follow the cursor's row, the list is read from its start to find that row. */
export async function readOffsetPage(reading: PageReading, cursor: OffsetCursor | null): Promise<Page> {
  const { first, count } = reading.request;
  const offset = cursor?.served ?? 0;
  const { head, rows } = await reading.source.upTo(
    first + 1,
    offset > 0 ? { offset } : {},
    (got) => ({ offset: offset + got.length }),
    count,
  );
  if (head.rows.length > head.limit || !isFollowing(rows, cursor)) {
    const isIgnored = (start: JsonObject | undefined) => plainIdOf(start) === plainIdOf(rows[0]);
    return readPrefixPage(reading, cursor, cursor === null ? head : undefined, (all) =>
      isIgnored(all[0]) ? prefixCursor : offsetCursor,
    );
  }
  const page = reading.cut(rows, 0, (row, position, next) => offsetCursor(row, offset + position, next));
  return { ...page, totalCount: count ? head.total : null, emulated: false };
}

/**
 * Whether rows are those that follow the cursor's. They are not where rows before them were added or deleted, or where the
 * server ignores the offset: then it also answers the same rows again when a page is read in pieces.
 */
function isFollowing(rows: readonly JsonObject[], cursor: OffsetCursor | null): boolean {
  const ids = rows.map(plainIdOf);
  if (ids.includes(null) || new Set(ids).size < ids.length) return false;
  return cursor === null || (ids[0] ?? null) === cursor.next;
}

/** Rows without ids cannot be told apart, so that an offset is not to be trusted. */
function offsetCursor(row: JsonObject, served: number, next: JsonObject | undefined): Cursor {
  const id = plainIdOf(row);
  return id === null ? prefixCursor(row, served) : { kind: 'offset', id, next: plainIdOf(next), served };
}
