// Implements the option `clampedLimit`: lists return at most a number of rows, whatever the limit is.
import type { ListHabit } from '../engine/lists.ts';

/** Clamps the limit of lists that describe one and obey it. A list without a limit gets the number. */
export function clampLimit(max: number): ListHabit {
  return (list, { action }, next) => {
    if (!('limit' in action.input.parameters) || action.definition.ignoresLimit) return next(list);
    return next({ ...list, limit: Math.min(list.limit ?? max, max) });
  };
}
