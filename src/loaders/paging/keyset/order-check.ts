// Reads the start of a list again for the second page of a walk, to find out its order.
import type { KeysetCursor } from '../cursor.ts';
import type { List, ListStart } from '../list.ts';
import type { PageContext } from '../page.ts';

/** Number of rows that are read to find out the order of a list that offers no count. */
export const UNCOUNTED_CHECK = 1_000;
/** Maximum number of rows that are read from the start of a list that offers count. */
const MAX_COUNTED_CHECK = 500;
/** Minimum number of rows that are read. Fewer rows may all have the same time, and another direction than the list. */
const MIN_CHECK = 50;

/** Whether this number of rows may be read again from the start of a list. */
export function canReadAgain(list: List, rows: number): boolean {
  return rows <= Math.min(list.cap, MAX_COUNTED_CHECK);
}

/**
 * Reads the start of a list whose order is unknown, if possible with the second page. It shows the order of the rows on both
 * sides of the cursor, how many rows before the cursor still exist, and the total. If the list offers no count, more rows
 * are read to find its end.
 * @returns Null when the walk has been checked, or is too far from the start.
 */
export async function checkOrder(context: PageContext, cursor: KeysetCursor): Promise<ListStart | null> {
  const { reader } = context;
  const { first, list } = context.request;
  const { isChecked, total } = cursor.walk;
  const isCounted = list.action.metaInput.has('count');
  const limit = isCounted
    ? Math.max(cursor.served + first + 1, Math.min(MIN_CHECK, list.cap))
    : Math.min(UNCOUNTED_CHECK, list.cap);
  if (isChecked || (isCounted && (total !== null || !canReadAgain(list, limit)))) return null;
  const response = await reader.call({ limit }, isCounted);
  reader.recordIfCut(response);
  const isWhole =
    reader.isWhole(response) || (reader.mayBeCut(response) && (await reader.endsWith(response)));
  return { ...response, isWhole };
}
