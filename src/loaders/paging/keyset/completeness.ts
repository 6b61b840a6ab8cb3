// Proves at the end of a walk that it has served every row, by the totals that the server counted meanwhile.
import type { WalkState } from '../cursor.ts';
import type { ListSource } from '../list-source.ts';
import { integerIdOf } from '../row-ids.ts';

/** What the totals say at the end of a walk: all rows are served, some are lost, or neither can be proven. */
export type Completeness = 'complete' | 'lost' | 'unknown';

/** The state of a walk after a page whose total is known. */
export function advance(walk: WalkState, total: number | null): WalkState {
  if (total === null) return walk;
  const change = walk.total === null ? 0 : total - walk.total;
  const added = walk.added + Math.max(0, change);
  const deleted = walk.deleted + Math.max(0, -change);
  return { ...walk, total, added, deleted };
}

/**
 * Compares the rows that a walk has served with the list's total. Rows that are new at the head of the list are not part
 * of the walk; one call counts them where they may explain the total. A deleted row may have been served, and then its
 * place in the total may hide a row that was not.
 * @param served Rows served, the last page's included.
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
  const atHead = head === null ? null : await countBefore(source, head, missing);
  if (atHead === null) return 'unknown';
  if (missing - atHead + deleted <= 0) return 'complete';
  return missing - atHead - added > 0 ? 'lost' : 'unknown';
}

/** Rows before the one that began the walk; null when it is gone, or further away than `most` rows. */
async function countBefore(source: ListSource, head: number, most: number): Promise<number | null> {
  const limit = Math.min(most + 1, source.selection.list.cap);
  const { rows } = await source.fetch({ limit });
  const index = rows.findIndex((row) => integerIdOf(row) === head);
  return index === -1 ? null : index;
}
