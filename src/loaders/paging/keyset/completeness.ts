// Proves at the end of a walk that it has served every row, by the totals that the server counted meanwhile.
import type { WalkState } from '../cursor.ts';
import type { ListReader } from '../list-reader.ts';
import { integerIdOf } from '../row-ids.ts';

/** The state of a walk after a page with a total. */
export function updateTotal(walk: WalkState, total: number | null): WalkState {
  if (total === null) return walk;
  const deleted = walk.total === null ? 0 : Math.max(0, walk.total - total);
  return { ...walk, total, deleted: walk.deleted + deleted };
}

/** Rows that may be added at the head of a list between two calls. */
const HEADROOM = 16;

/**
 * Whether the totals prove that a walk has served every row. Rows that are new at the head of the list are not part of the
 * walk; one call counts them where they may explain the total. A deleted row may have been served, and then its place in
 * the total may hide a row that was not.
 * @param served Rows served, the last page's included.
 */
export async function isComplete(
  reader: ListReader,
  { head, total, deleted }: WalkState,
  served: number,
): Promise<boolean> {
  if (total === null) return false;
  const missing = total - served;
  if (missing + deleted <= 0) return true;
  if (missing <= 0 || head === null) return false;
  // The rows at the head and the total must be of one answer: others may write in between.
  const limit = Math.min(missing + 1 + HEADROOM, reader.selection.list.cap);
  const answer = await reader.call({ limit }, true);
  const added = answer.rows.findIndex((row) => integerIdOf(row) === head);
  if (added === -1 || answer.total === null) return false;
  const deletedSince = Math.max(0, total - answer.total);
  return answer.total - served - added + deleted + deletedSince <= 0;
}
