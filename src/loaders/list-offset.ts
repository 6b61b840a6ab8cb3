import type { OffsetCursor } from './cursor.ts';
import type { Page, PageReading } from './list-page.ts';
import { readPrefixPage } from './list-prefix.ts';

/** A page by `offset`. */
export async function readOffsetPage(reading: PageReading, cursor: OffsetCursor | null): Promise<Page> {
  const { first, count } = reading.request;
  const offset = cursor?.served ?? 0;
  const { head, rows } = await reading.source.upTo(
    first + 1,
    offset > 0 ? { offset } : {},
    (got) => ({ offset: offset + got.length }),
    count,
  );
  // Who ignores the limit may ignore the offset too.
  if (head.rows.length > head.limit) {
    return offset === 0
      ? readPrefixPage(reading, null, head)
      : readPrefixPage(reading, { kind: 'prefix', id: null, served: offset });
  }
  const page = reading.cut(rows, 0, (_row, position) => ({ kind: 'offset', served: offset + position }));
  return { ...page, totalCount: count ? head.total : null, emulated: false };
}
