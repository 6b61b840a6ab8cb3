// Computes where a walk over a list that runs only nearly by id goes on.
import { MAX_SKIPPED, type Window } from '../cursor.ts';
import { type Direction, isBeyond } from '../direction.ts';

/**
 * Served rows that the next page reads again: the windows overlap by so many ids. A row that stands up to so many
 * places away from the place of its id is not lost.
 */
const OVERLAP = 16;

/**
 * The window that follows each of the rows in hand, in the server's order.
 *
 * All rows on the near side of `from` must be served, so `from` lies behind the ids of all rows that are seen and not yet
 * served, and behind the 16 furthest ids that are served. Served rows beyond `from` would be answered again, so they are
 * skipped by id.
 *
 * @param skip Served ids that the rows in hand were read without.
 * @returns Null for a row after which more than 64 ids would have to be skipped: the list does not run by id there.
 */
export function windowsAfter(
  ids: readonly number[],
  skip: readonly number[],
  direction: Direction,
): readonly (Window | null)[] {
  const furthestFirst = (a: number, b: number): number => (isBeyond(a, b, direction) ? 1 : -1);
  const nearestUnserved = suffixNearest(ids, direction);
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

/** For each index the nearest id at or after it. */
function suffixNearest(ids: readonly number[], direction: Direction): readonly number[] {
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
  // More are never looked at.
  if (sorted.length > MAX_SKIPPED + 1) sorted.pop();
}

function takeBeyond(sorted: readonly number[], from: number, direction: Direction): readonly number[] {
  const end = sorted.findIndex((id) => !isBeyond(from, id, direction));
  return sorted.slice(0, end === -1 ? undefined : end);
}
