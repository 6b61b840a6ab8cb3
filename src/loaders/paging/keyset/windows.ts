// Computes where a walk over a list that runs only nearly by id goes on.
import { MAX_SKIPPED, type Window } from '../cursor.ts';
import { type Direction, isBeyond } from '../row-ids.ts';

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
  const nearer = (a: number, b: number): number => (isBeyond(a, b, direction) ? a : b);
  const nearestUnserved = suffixNearest(ids, nearer);
  let furthest = [...skip];
  return ids.map((id, index) => {
    // More ids than can be skipped are never looked at.
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

/** For each index the nearest id at or after it. */
function suffixNearest(ids: readonly number[], nearer: (a: number, b: number) => number): readonly number[] {
  const nearest = [...ids];
  for (let index = ids.length - 2; index >= 0; index--)
    nearest[index] = nearer(nearest[index] ?? 0, nearest[index + 1] ?? 0);
  return nearest;
}
