// Computes where a walk over a list that is only nearly ordered by id continues.
import { MAX_SKIPPED, type Window } from '../cursor.ts';
import { type Direction, isBeyond } from '../row-ids.ts';

/**
 * Number of ids by which windows overlap: the next page reads these served rows again. A row that is up to this number of
 * places away from the place of its id is not lost.
 */
const OVERLAP = 16;

/**
 * Returns the window after each row, in the server's order.
 *
 * All rows before `from` must have been served. So `from` lies before the ids of all rows that were read and not served, and
 * before the 16 furthest served ids. The response contains the served rows beyond `from` again, so they are skipped by id.
 *
 * @param skip Served ids that are not among `ids`.
 * @returns Null for a row after which more than 64 ids would have to be skipped: the list is not ordered by id there.
 */
export function windowsAfter(
  ids: readonly number[],
  skip: readonly number[],
  direction: Direction,
): readonly (Window | null)[] {
  const nearer = (a: number, b: number): number => (isBeyond(a, b, direction) ? a : b);
  const nearestUnserved = suffixNearest(ids, nearer);
  let furthest = [...skip];
  return ids.map((id, index) => {
    // More ids than this cannot be skipped.
    furthest = [...furthest, id]
      .sort((a, b) => (direction === 'ascending' ? b - a : a - b))
      .slice(0, MAX_SKIPPED + 1);
    const nearest = [...furthest.slice(0, OVERLAP), nearestUnserved[index + 1] ?? furthest[0] ?? id].reduce(
      nearer,
    );
    const from = direction === 'ascending' ? nearest - 1 : nearest + 1;
    const skipped = furthest.filter((other) => isBeyond(from, other, direction));
    return from < 0 || skipped.length > MAX_SKIPPED ? null : { from, skip: skipped };
  });
}

/** Returns for each index the nearest id at or after it. */
function suffixNearest(ids: readonly number[], nearer: (a: number, b: number) => number): readonly number[] {
  const nearest = [...ids];
  for (let index = ids.length - 2; index >= 0; index--)
    nearest[index] = nearer(nearest[index] ?? 0, nearest[index + 1] ?? 0);
  return nearest;
}
