// Reads the start of a list again when the second page of a walk is asked for, to see how the list runs.
import type { KeysetCursor } from '../cursor.ts';
import type { List, ListStart } from '../list.ts';
import type { PageContext } from '../page.ts';

/** Rows read to see how a list that offers no count runs. */
export const UNCOUNTED_CHECK = 1_000;
/** A list that offers count is read from its start only while that costs few rows. */
const MAX_COUNTED_CHECK = 500;
/** Rows that are read at least: fewer may all be of one time, and run in another direction than the list. */
const MIN_CHECK = 50;

/** Whether so many rows from the start of a list may be read again. */
export function canReadAgain(list: List, rows: number): boolean {
  return rows <= Math.min(list.cap, MAX_COUNTED_CHECK);
}

/**
 * Reads the start of a list whose order is not known, the second page included where it is near. It shows how the rows run
 * on both sides of the cursor, how many of those before it are still there, and the total; where the list offers no count,
 * more rows show whether it ends.
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
  const answer = await reader.call({ limit }, isCounted);
  reader.recordIfCut(answer);
  const isWhole = reader.isWhole(answer) || (reader.mayBeCut(answer) && (await reader.endsWith(answer)));
  return { ...answer, isWhole };
}
