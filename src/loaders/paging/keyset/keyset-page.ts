// Cuts pages whose cursors go on by `from_id`.
import type { JsonObject } from '../../../upstream/reader.ts';
import type { WalkState, Window } from '../cursor.ts';
import type { Direction } from '../direction.ts';
import type { Page, PageReading } from '../page.ts';
import { directionOfRows, integerIdOf, requireIntegerId } from '../row-ids.ts';

/** A walk up to the page. */
export interface WalkPlace {
  /** Rows served so far. */
  readonly served: number;
  /** Null while fewer than two rows were seen. */
  readonly direction: Direction | null;
  readonly walk: WalkState;
}

/** The place where a walk begins, given the first page's rows. */
export const startOfWalk = (rows: readonly JsonObject[], total: number | null): WalkPlace => ({
  served: 0,
  direction: directionOfRows(rows),
  walk: { head: integerIdOf(rows[0]) ?? null, total, deleted: 0, isChecked: false },
});

/**
 * Cuts a page out of the rows that follow a place.
 * @param windows Where the walk goes on after each row; absent where the rows run strictly by id.
 */
export function cutKeysetPage(
  reading: PageReading,
  rows: readonly JsonObject[],
  { served, direction, walk }: WalkPlace,
  total: number | null,
  windows: readonly (Window | null)[] = [],
): Page {
  return reading.cut(
    rows,
    0,
    (row, index) => ({
      kind: 'keyset',
      id: requireIntegerId(row),
      next: integerIdOf(rows[index + 1]) ?? null,
      served: served + index + 1,
      direction: direction ?? directionOfRows(rows),
      walk,
      window: windows[index] ?? null,
    }),
    { total, emulated: false },
  );
}
