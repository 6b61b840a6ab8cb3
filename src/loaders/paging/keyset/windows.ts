// Computes the overlapping windows of a list that runs only approximately by id (docs/paging.md).
import { MAX_SKIPPED, type Window } from '../cursor.ts';
import { type Direction, isBeyond } from '../direction.ts';

/**
 * Number of served ids that the next window reads again. A row that is up to this number of places away from the place of
 * its id is not lost.
 */
const OVERLAP = 16;

/**
 * Computes the window that continues after each row.
 *
 * All rows up to `from` must be served. So `from` lies before the ids of all rows that are read but not yet served, and
 * before the 16 furthest served ids. The server answers the served rows beyond `from` again, so they are skipped by id.
 *
 * @param ids Ids of the rows that were read, in the server's order.
 * @param skip Served ids that were skipped when the rows were read.
 * @returns One window for each id; null where more than 64 ids would have to be skipped, because the list does not run by id.
 */
export function windowsAfter(
  ids: readonly number[],
  skip: readonly number[],
  direction: Direction,
): readonly (Window | null)[] {
  const furthestFirst = (a: number, b: number): number => (isBeyond(a, b, direction) ? 1 : -1);
  const nearestUnserved = nearestFromIndex(ids, direction);
  const served = [...skip].sort(furthestFirst);
  return ids.map((id, index) => {
    insertSorted(served, id, furthestFirst);
    const unserved = nearestUnserved[index + 1];
    const overlapping = served.slice(0, OVERLAP);
    const nearest = [...overlapping, ...(unserved === undefined ? [] : [unserved])].reduce((a, b) =>
      isBeyond(a, b, direction) ? a : b,
    );
    const from = direction === 'ascending' ? nearest - 1 : nearest + 1;
    if (from < 0) return null;
    const skipped = takeBeyond(served, from, direction);
    return skipped.length > MAX_SKIPPED ? null : { from, skip: skipped };
  });
}

/** For each index the nearest of the ids from that index to the end. */
function nearestFromIndex(ids: readonly number[], direction: Direction): readonly number[] {
  const nearest: number[] = [...ids];
  for (let index = ids.length - 2; index >= 0; index--) {
    const [own = 0, after = 0] = [nearest[index], nearest[index + 1]];
    nearest[index] = isBeyond(own, after, direction) ? own : after;
  }
  return nearest;
}

function insertSorted(sorted: number[], id: number, compare: (a: number, b: number) => number): void {
  const index = sorted.findIndex((other) => compare(id, other) < 0);
  sorted.splice(index === -1 ? sorted.length : index, 0, id);
  // Further ids are never used.
  if (sorted.length > MAX_SKIPPED + 1) sorted.pop();
}

function takeBeyond(sorted: readonly number[], from: number, direction: Direction): readonly number[] {
  const end = sorted.findIndex((id) => !isBeyond(from, id, direction));
  return sorted.slice(0, end === -1 ? undefined : end);
}
