// Computes the state of a walk by `from_id`, and checks at its end that it has served every row.
import type { JsonObject } from '../../../upstream/reader.ts';
import type { KeysetCursor, WalkState, Window } from '../cursor.ts';
import type { ListStart } from '../list.ts';
import type { ListReader } from '../list-reader.ts';
import type { Page, PageContext } from '../page.ts';
import { integerIdOf, trendOf } from '../row-ids.ts';

/** What the cursors of a page contain about the pages before it. */
export type WalkSoFar = Pick<KeysetCursor, 'served' | 'direction' | 'walk'>;

/** Number of rows that may be added at the head of a list between two calls. */
const HEADROOM = 16;

/** Creates the state of a walk before its first page. */
export const startWalk = (rows: readonly JsonObject[], total: number | null): WalkSoFar => ({
  served: 0,
  direction: trendOf(rows.slice(0, 2)),
  walk: { head: integerIdOf(rows[0]), total, deleted: 0, isChecked: false },
});

/** Returns the state of a walk after a page with a total. */
export function updateTotal(walk: WalkState, total: number | null): WalkState {
  if (total === null) return walk;
  const deleted = walk.total === null ? 0 : Math.max(0, walk.total - total);
  return { ...walk, total, deleted: walk.deleted + deleted };
}

/**
 * Restarts a walk whose list was read from its start again. Earlier changes before the cursor's row no longer matter, so only
 * later totals are compared.
 * @param served Number of rows in the list up to the cursor's row.
 */
export function restartWalk(cursor: KeysetCursor, { rows, total }: ListStart, served: number): KeysetCursor {
  const walk = { ...updateTotal(cursor.walk, total), head: integerIdOf(rows[0]), isChecked: true };
  return { ...cursor, served, walk };
}

/**
 * Whether the totals prove that a walk has served every row. New rows at the head of the list are not part of the walk. One
 * call counts them if they may explain the total. The deletion of a served row lowers the total, which may hide a row that
 * was not served.
 * @param served Number of rows served, including the last page.
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
  // The rows at the head and the total must be from one response, because others may change the list between two.
  const limit = Math.min(missing + 1 + HEADROOM, reader.selection.list.cap);
  const response = await reader.call({ limit }, true);
  const added = response.rows.findIndex((row) => integerIdOf(row) === head);
  if (added === -1 || response.total === null) return false;
  const deletedSince = Math.max(0, total - response.total);
  return response.total - served - added + deleted + deletedSince <= 0;
}

/**
 * Cuts a page out of the rows after a cursor.
 * @param windows Where the walk continues after each row; empty if the rows are strictly ordered by id.
 */
export function cutKeysetPage(
  context: PageContext,
  rows: readonly JsonObject[],
  { served, direction, walk }: WalkSoFar,
  total: number | null,
  windows: readonly (Window | null)[] = [],
): Page {
  const cursorAt = (row: JsonObject, index: number): KeysetCursor => ({
    kind: 'keyset',
    id: integerIdOf(row) ?? 0,
    next: integerIdOf(rows[index + 1]),
    served: served + index + 1,
    direction: direction ?? trendOf(rows.slice(0, 2)),
    walk,
    window: windows[index] ?? null,
  });
  return context.cutPage(rows, 0, cursorAt, { total, isEmulated: false });
}
