import type { JsonObject } from '../../upstream/reader.ts';
import type { PrefixCursor } from './cursor.ts';
import { isShort, LONGEST_EMULATED_LIST, type Piecewise, plainIdOf } from './list-source.ts';
import { type CursorOf, indexOfRow, type Page, type PageReading } from './page.ts';

/** The row that a page follows. */
type Place = Pick<PrefixCursor, 'id' | 'served'>;

/**
 * A page of a list that is read from its start up to the page wanted.
 * @param inHand What a first call has brought.
 * @param cursorsFor How cursors are made, by the rows that were read.
 */
export async function readPrefixPage(
  reading: PageReading,
  cursor: Place | null,
  inHand?: Piecewise['head'],
  cursorsFor: (rows: readonly JsonObject[]) => CursorOf = () => prefixCursor,
): Promise<Page> {
  const { source } = reading;
  const { first, count, list } = reading.request;
  const longest = Math.min(list.cap, LONGEST_EMULATED_LIST);
  const before = cursor?.served ?? 0;
  let need = before + first + 1;
  let hand = inHand;
  for (;;) {
    const isWhole = hand === undefined && (!list.limited || need > longest);
    const fetched =
      hand ??
      (isWhole ? await source.whole() : await source.fetch({ limit: need }, count || cursor !== null));
    const { rows } = fetched;
    const isEnd = rows.length !== (hand?.limit ?? need);
    const isComplete = isWhole || (isEnd && !isShort(fetched));
    const at = cursor === null ? -1 : positionOf(rows, cursor);
    if (isComplete || (at !== null && rows.length > at + 1 + first)) {
      const start = at === null ? before - 1 : at + 1;
      const page = reading.cut(rows, start, cursorsFor(rows));
      return { ...page, totalCount: count ? fetched.total : null };
    }
    // Rows were added before the cursor's, or it was deleted, or the server keeps rows back: read further, or all.
    need = at === null || isEnd ? Number.POSITIVE_INFINITY : at + 1 + first + 1;
    hand = undefined;
  }
}

/** The cursor of a list that is read from its start. */
export const prefixCursor = (row: JsonObject, served: number): PrefixCursor => ({
  kind: 'prefix',
  id: plainIdOf(row),
  served,
});

/** Index of the cursor's row; null when it is not among the rows. Rows without ids are known by their place only. */
function positionOf(rows: readonly JsonObject[], { id, served }: Place): number | null {
  return id === null ? served - 1 : indexOfRow(rows, { id, served });
}
