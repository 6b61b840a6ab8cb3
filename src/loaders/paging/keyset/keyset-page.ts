// Cuts pages whose cursors continue by `from_id` (docs/paging.md).
import type { JsonObject } from '../../../upstream/reader.ts';
import type { WalkState, Window } from '../cursor.ts';
import type { Direction } from '../direction.ts';
import type { Page, PageReading } from '../page.ts';
import { directionOfRows, integerIdOf, requireIntegerId } from '../row-ids.ts';

/** The place that a walk has reached. */
export interface WalkPlace {
  /** Number of served rows. */
  readonly served: number;
  /** Null while fewer than two rows are known. */
  readonly direction: Direction | null;
  readonly walk: WalkState;
}

/** The place where a walk begins. @param rows The rows of the first page. */
export const startOfWalk = (rows: readonly JsonObject[], total: number | null): WalkPlace => ({
  served: 0,
  direction: directionOfRows(rows),
  walk: { head: integerIdOf(rows[0]) ?? null, total, added: 0, deleted: 0 },
});

/**
 * Cuts a page out of the rows that follow a place.
 * @param windows Where the walk continues after each row; empty where the rows run strictly by id.
 */
export function cutKeysetPage(
  reading: PageReading,
  rows: readonly JsonObject[],
  { served, direction, walk }: WalkPlace,
  total: number | null,
  windows: readonly (Window | null)[] = [],
): Page {
  return reading.cutPage(
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
