// Implements the options `brokenRows`, `clampedLimit` and `wideCount`: what single lists of some servers do.
import { notFound } from '../actions/actions.ts';
import type { ListHabit } from '../engine/lists.ts';

/** The ids of the broken rows, by the scope of the list. */
export type BrokenRows = Readonly<Record<string, readonly number[]>>;

/** Answers "object not found" when the page contains a broken row. */
export function failAtBrokenRows(brokenRows: BrokenRows): ListHabit {
  return (list, { action }, next) => {
    const outcome = next(list);
    const broken = brokenRows[action.scope] ?? [];
    const isBroken = outcome.ok && outcome.items.some(({ id }) => broken.some((one) => one === id));
    return isBroken ? notFound.status : outcome;
  };
}

/** Clamps the limit of lists that describe one and obey it. A list without a limit gets the number. */
export function clampLimit(max: number): ListHabit {
  return (list, { action }, next) => {
    if (!('limit' in action.input.parameters) || action.definition.ignoresLimit) return next(list);
    return next({ ...list, limit: Math.min(list.limit ?? max, max) });
  };
}

/** Counts every row that matches the filters. */
export const countHiddenRows: ListHabit = (list, _call, next) =>
  next({ ...list, total: list.total + (list.hidden ?? 0) });
