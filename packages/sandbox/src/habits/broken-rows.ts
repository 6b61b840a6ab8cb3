// Implements the option `brokenRows`: a list that contains a broken row fails as a whole.
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
