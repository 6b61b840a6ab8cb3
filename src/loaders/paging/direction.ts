// How the ids of a list run: the one property that `from_id` needs of it.

/** The direction in which ids run along a list. */
export type Direction = 'ascending' | 'descending';

/** Whether `b` lies further along than `a`. */
export function isBeyond(a: number, b: number, direction: Direction): boolean {
  return direction === 'ascending' ? b > a : b < a;
}

/** The direction in which ids run strictly; `any` for fewer than two ids, null when they run in neither. */
export function directionOf(ids: readonly number[]): Direction | 'any' | null {
  const [first, second] = ids;
  if (first === undefined || second === undefined) return 'any';
  const direction = second > first ? 'ascending' : 'descending';
  return runs(ids, direction) ? direction : null;
}

/** Whether ids run strictly in a direction. */
export function runs(ids: readonly number[], direction: Direction): boolean {
  return ids.every((id, index) => {
    const previous = ids[index - 1];
    return previous === undefined || isBeyond(previous, id, direction);
  });
}
