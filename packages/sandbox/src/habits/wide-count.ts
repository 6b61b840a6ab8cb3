// Implements the option `wideCount`: lists count rows that the caller does not see.
import type { ListHabit } from '../engine/lists.ts';

/** Counts every row that matches the filters. */
export const countHiddenRows: ListHabit = (list, _call, next) =>
  next({ ...list, total: list.total + (list.hidden ?? 0) });
