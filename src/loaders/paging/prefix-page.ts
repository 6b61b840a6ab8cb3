// Reads a page by reading its list from the start up to the page.
import type { JsonObject } from '../../upstream/reader.ts';
import type { PrefixCursor, WalkedRows } from './cursor.ts';
import { isShort, type ListResponse, type ListStart, largestLimit } from './list.ts';
import { type CursorAt, markUnverified, type Page, type PageContext } from './page.ts';
import { idOf, indexAfter, type Position } from './row-ids.ts';
import { splitServed } from './served-rows.ts';
import { fetchWholeList, readWholeList } from './whole-list.ts';

/** The row that a page follows. */
type PageStart = Position & { readonly walked?: WalkedRows | null };

/** Makes the cursors of a page, given all rows that were read. */
type CursorsFor = (rows: readonly JsonObject[]) => CursorAt;

/**
 * Reads a page from the start of its list.
 * @param known The list's start if it has been read already.
 */
export async function readPrefixPage(
  context: PageContext,
  cursor: PageStart | null,
  known?: ListResponse & { readonly isWhole?: boolean },
  cursorsFor: CursorsFor = (rows) => (row, index) =>
    prefixCursor(row, index + 1, rows[index + 1], cursor?.walked),
): Promise<Page> {
  const { reader } = context;
  const { first, count, list } = context.request;
  let needed = cursor?.walked ? Number.POSITIVE_INFINITY : (cursor?.served ?? 0) + first + 1;
  const readStart = (): Promise<ListStart> => {
    if (list.takesLimit && needed <= largestLimit(list))
      return reader.readStart(needed, count, cursor !== null);
    return cursor === null ? fetchWholeList(reader) : readWholeList(reader);
  };
  let start = known === undefined ? await readStart() : await reader.remember(async () => known);
  for (;;) {
    const { total, isWhole, limit } = start;
    const { rows, index } = findPage(start.rows, cursor);
    if (isWhole || (index !== null && rows.length > index + first)) {
      // If the cursor's row and the next one are gone, the walk continues at the same index.
      const from = index ?? (cursor?.served ?? 1) - 1;
      const page = context.cutPage(rows, from, cursorsFor(rows), { total });
      const isUnproven = isShort(start) || reader.hasUnprovenEnd(start);
      const isUnverified = index === null || (!page.hasNextPage && isUnproven);
      return isUnverified ? markUnverified(page, from, total) : page;
    }
    // Rows were added before the cursor's row, or it was deleted, or the server returned too few rows: read more, or all.
    needed = index === null ? Number.POSITIVE_INFINITY : index + first + 1;
    start = rows.length < limit ? await readWholeList(reader, start) : await readStart();
  }
}

/** Returns the rows in the order of the walk, and the index at which the page begins; null when the rows do not show it. */
function findPage(rows: readonly JsonObject[], cursor: PageStart | null) {
  if (cursor === null) return { rows, index: 0 };
  if (!cursor.walked) return { rows, index: indexAfter(rows, cursor) };
  const { served, lost } = splitServed(rows, cursor.walked);
  const ordered = [...served, ...lost];
  const isFirstLost = cursor.id === cursor.walked.until;
  return { rows: ordered, index: indexAfter(ordered, cursor) ?? (isFirstLost ? served.length : null) };
}

/** Creates the cursor of a row in a list that is read from its start. */
export const prefixCursor = (
  row: JsonObject,
  served: number,
  next: JsonObject | undefined,
  walked: WalkedRows | null = null,
): PrefixCursor => ({ kind: 'prefix', id: idOf(row), next: idOf(next), served, walked });
