// Compares the rows that a walk has served with the list's totals (docs/paging.md).
import type { WalkState } from '../cursor.ts';
import type { ListSource } from '../list-source.ts';
import { integerIdOf } from '../row-ids.ts';

/** The result at the end of a walk: all rows are served, some are lost, or neither can be proved. */
export type Completeness = 'complete' | 'lost' | 'unknown';

/** Updates the state of a walk with the total of another page. */
export function updateTotal(walk: WalkState, total: number | null): WalkState {
  if (total === null) return walk;
  const change = walk.total === null ? 0 : total - walk.total;
  const added = walk.added + Math.max(0, change);
  const deleted = walk.deleted + Math.max(0, -change);
  return { ...walk, total, added, deleted };
}

/**
 * Compares the number of served rows with the list's total. New rows at the head of the list are not part of the walk; one
 * call counts them when they may explain the difference. A deleted row may have been served before, and then it may hide
 * a lost row in the total.
 * @param served Number of served rows, including the last page.
 */
export async function checkCompleteness(
  source: ListSource,
  { head, total, added, deleted }: WalkState,
  served: number,
): Promise<Completeness> {
  if (total === null) return 'unknown';
  const missing = total - served;
  if (missing + deleted <= 0) return 'complete';
  if (missing <= 0) return 'unknown';
  const newAtHead = head === null ? null : await countRowsBefore(source, head, missing);
  if (newAtHead === null) return 'unknown';
  if (missing - newAtHead + deleted <= 0) return 'complete';
  return missing - newAtHead - added > 0 ? 'lost' : 'unknown';
}

/** Counts the rows before row `head`; null when the row is gone or has more than `max` rows before it. */
async function countRowsBefore(source: ListSource, head: number, max: number): Promise<number | null> {
  const limit = Math.min(max + 1, source.selection.list.cap);
  const { rows } = await source.fetch({ limit });
  const index = rows.findIndex((row) => integerIdOf(row) === head);
  return index === -1 ? null : index;
}
