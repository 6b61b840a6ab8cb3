// Cuts pages whose cursors go on by `from_id`.
import type { JsonObject } from '../../../upstream/reader.ts';
import type { KeysetCursor, WalkState, Window } from '../cursor.ts';
import type { ListStart } from '../list.ts';
import type { Page, PageContext } from '../page.ts';
import { type Direction, integerIdOf, trendOf } from '../row-ids.ts';
import { updateTotal } from './completeness.ts';

/** What the cursors of a page take over from the pages before it. */
export interface WalkSoFar {
  readonly served: number;
  /** Null while fewer than two rows were seen. */
  readonly direction: Direction | null;
  readonly walk: WalkState;
}

/** A walk before its first page. */
export const startWalk = (rows: readonly JsonObject[], total: number | null): WalkSoFar => ({
  served: 0,
  direction: trendOf(rows.slice(0, 2)),
  walk: { head: integerIdOf(rows[0]), total, deleted: 0, isChecked: false },
});

/**
 * A walk whose list was read from its start again: rows that were added or deleted before the cursor's since the first page
 * count no more, so the totals are compared from here on.
 * @param served Rows of the list up to the cursor's.
 */
export function restartWalk(cursor: KeysetCursor, { rows, total }: ListStart, served: number): KeysetCursor {
  const walk = { ...updateTotal(cursor.walk, total), head: integerIdOf(rows[0]), isChecked: true };
  return { ...cursor, served, walk };
}

/**
 * Cuts a page out of the rows that follow.
 * @param windows Where the walk goes on after each row; absent where the rows run strictly by id.
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
  return context.cutPage(rows, 0, cursorAt, { total, emulated: false });
}
