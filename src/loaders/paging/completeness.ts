// Proves at the end of a walk that it has served every row, by the totals that the server counted meanwhile.
import type { WalkState } from './cursor.ts';
import type { ListSource } from './list-source.ts';
import { integerIdOf } from './rows.ts';

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
  walk: WalkState,
  served: number,
): Promise<Completeness> {
  const { head, total } = walk;
  if (total === null) return 'unknown';
  if (total + walk.deleted <= served) return 'complete';
  if (total <= served || head === null) return 'unknown';
  const look = await lookAtHead(source, head, total - served);
  if (look === null) return 'unknown';
  const { added, deleted, total: latest } = advance(walk, look.total);
  const missing = (latest ?? total) - served - look.before;
  if (missing + deleted <= 0) return 'complete';
  return missing - added > 0 ? 'lost' : 'unknown';
}

/** Rows that others may add between the last page and the look at the head. */
const MAX_ADDED = 16;

/**
 * The rows before the one that began the walk, and the total of the same answer: rows that are added after the last page
 * count in both. Null when the row is gone, or further away than `most` rows and those that are added meanwhile.
 */
async function lookAtHead(
  source: ListSource,
  head: number,
  most: number,
): Promise<{ readonly before: number; readonly total: number | null } | null> {
  const limit = Math.min(most + MAX_ADDED + 1, source.selection.list.cap);
  const { rows, total } = await source.fetch({ limit }, true);
  const before = rows.findIndex((row) => integerIdOf(row) === head);
  return before === -1 ? null : { before, total };
}
