// Reads the start of a list once more when the second page of a walk is asked for.

import type { KeysetCursor } from '../cursor.ts';
import type { Limited, List } from '../list-source.ts';
import type { PageReading } from '../page.ts';
import { integerIdOf } from '../row-ids.ts';
import { advance } from './completeness.ts';

/** Rows read to see how a list that offers no count runs. */
export const PROBE = 1_000;
/** A list that offers count is read from its start only while that costs few rows. */
const MAX_REREAD = 500;
/** Rows that a look reads at least: fewer may all be of one time, and run in another direction than the list. */
const MIN_LOOK = 50;

/** Whether so many rows from the start of a list may be read once more. */
export function canReread(list: List, rows: number): boolean {
  return rows <= Math.min(list.cap, MAX_REREAD);
}

/** The start of a list, the second page included where it is near. */
export interface SecondLook extends Limited {
  readonly isWhole: boolean;
}

/**
 * The place of a cursor as the look shows it: rows that were added or deleted before it since the first page count no
 * more, so the totals are compared from here on.
 * @param served Rows of the list up to the cursor's.
 */
export function placeIn(look: SecondLook, cursor: KeysetCursor, served: number): KeysetCursor {
  const head = integerIdOf(look.rows[0]) ?? null;
  return { ...cursor, served, walk: { ...advance(cursor.walk, look.total), head, isChecked: true } };
}

/**
 * Reads the start of a list whose order is not known. It shows how the rows run on both sides of the cursor, how many of
 * those before it are still there, and the total; where the list offers no count, a longer look shows whether it ends.
 * @returns Null when the walk has had its look, or is too far from the start.
 */
export async function readSecondLook(reading: PageReading, cursor: KeysetCursor): Promise<SecondLook | null> {
  const { source, orders, key } = reading;
  const { first, list } = reading.request;
  const offersCount = list.action.metaInput.has('count');
  const limit = offersCount
    ? Math.max(cursor.served + first + 1, Math.min(MIN_LOOK, list.cap))
    : Math.min(PROBE, list.cap);
  const isDone = cursor.walk.isChecked || (offersCount ? cursor.walk.total !== null : orders.isLong(key));
  if (isDone || (offersCount && !canReread(list, limit))) return null;
  const fetched = { ...(await source.fetch({ limit }, offersCount)), limit };
  source.recordIfCut(fetched);
  if (!offersCount && fetched.rows.length === limit) orders.learnLong(key);
  const isWhole = source.isWhole(fetched) || (source.mayBeCut(fetched) && (await source.endsAfter(fetched)));
  return { ...fetched, isWhole };
}
