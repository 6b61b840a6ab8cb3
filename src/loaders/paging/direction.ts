// Determines in which direction the ids of a list run. Paging by `from_id` depends on it (docs/paging.md).

/** The direction in which ids run along a list. */
export type Direction = 'ascending' | 'descending';

/** Whether id `b` lies after id `a` in a direction. */
export function isBeyond(a: number, b: number, direction: Direction): boolean {
  return direction === 'ascending' ? b > a : b < a;
}

/** The direction in which ids run strictly; `any` for fewer than two ids, null when they run in neither direction. */
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
