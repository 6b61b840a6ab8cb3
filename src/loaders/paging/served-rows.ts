// Finds the rows of a whole list that a walk by `from_id` has served.
import { InvalidInputError } from '../../upstream/errors/request-errors.ts';
import type { JsonObject } from '../../upstream/reader.ts';
import type { WalkedRows } from './cursor.ts';
import { integerIdOf, isBeyond } from './row-ids.ts';

/**
 * Splits a whole list into the rows that a strict walk by `from_id` up to row `until` has served, and all others.
 *
 * A server may sort by any column and still filter `id > from_id`. A strict walk accepts a page only if its ids, including
 * that of the extra row, have one direction, and if the next page starts at the extra row. So the walk skips only rows whose
 * ids lie before the end of the last page. In the whole list, the served rows are exactly those whose id lies beyond the ids
 * of all rows before them. Rows beyond `until` that come before it are newer than the walk and are ignored. If row `until` is
 * gone, they show how far the walk had gone.
 *
 * @throws InvalidInputError when the rows have no integer ids: then no walk by `from_id` can have served them.
 */
export function splitServed(
  rows: readonly JsonObject[],
  { until, direction }: WalkedRows,
): { readonly served: readonly JsonObject[]; readonly lost: readonly JsonObject[] } {
  const served: JsonObject[] = [];
  const lost: JsonObject[] = [];
  const isUntilThere = rows.some((row) => row['id'] === until);
  let furthest: number | null = null;
  for (const row of rows) {
    const id = integerIdOf(row);
    if (id === null)
      throw new InvalidInputError('"after" does not fit the rows of this list; start again without it.');
    const isUnserved = isBeyond(until, id, direction);
    const isRecord: boolean = furthest === null || isBeyond(furthest, id, direction);
    if (isRecord && !(isUnserved && isUntilThere)) furthest = id;
    if (isRecord && !isUnserved) served.push(row);
    else lost.push(row);
  }
  return { served, lost };
}
