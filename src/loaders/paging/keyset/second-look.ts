// Reads the start of a list once more for the second page of a walk (docs/paging.md).

import type { KeysetCursor } from '../cursor.ts';
import type { LimitedAnswer, List } from '../list-source.ts';
import type { PageReading } from '../page.ts';
import { integerIdOf } from '../row-ids.ts';
import { updateTotal } from './completeness.ts';

/** Number of rows that are read to determine the order of a list without a count. */
export const PROBE_SIZE = 1_000;
/** Maximum number of rows in a second look at a list with a count. */
const MAX_REREAD = 500;

/** Whether a second look may read this number of rows. */
export function canReread(list: List, rows: number): boolean {
  return rows <= Math.min(list.cap, MAX_REREAD);
}

/** The start of a list. It includes the second page if that is near the start. */
export interface SecondLook extends LimitedAnswer {
  readonly isWhole: boolean;
}

/**
 * Updates the place of a cursor with a second look. Earlier additions and deletions before the cursor no longer count, so
 * totals are compared from here on.
 * @param served Number of rows up to the cursor's row.
 */
export function updatePlace(look: SecondLook, cursor: KeysetCursor, served: number): KeysetCursor {
  const head = integerIdOf(look.rows[0]) ?? null;
  return { ...cursor, served, walk: { ...updateTotal(cursor.walk, look.total), head } };
}

/**
 * Reads the start of a list of unknown order. The rows show the order on both sides of the cursor, how many rows before it
 * still exist, and the total. For a list without a count more rows are read, which may show its end.
 * @returns Null when the walk already had its second look, or is too far from the start.
 */
export async function readSecondLook(reading: PageReading, cursor: KeysetCursor): Promise<SecondLook | null> {
  const { source, orders, key } = reading;
  const { first, list } = reading.request;
  const offersCount = list.action.metaInput.has('count');
  const limit = offersCount ? cursor.served + first + 1 : Math.min(PROBE_SIZE, list.cap);
  const isDone = offersCount ? cursor.walk.total !== null : orders.isLong(key);
  if (isDone || (offersCount && !canReread(list, limit))) return null;
  const fetched = { ...(await source.fetch({ limit }, offersCount)), limit };
  if (!offersCount && fetched.rows.length === limit) orders.recordLong(key);
  const isWhole = source.isWhole(fetched) || (source.mayBeCut(fetched) && (await source.endsAfter(fetched)));
  return { ...fetched, isWhole };
}
