// Reads a whole list for pages that no other way of reading can serve (docs/paging.md).
import type { Parameter } from '../../upstream/description/description.ts';
import { PaginationUnsupportedError } from '../../upstream/errors/request-errors.ts';
import { UpstreamResponseTooLargeError } from '../../upstream/errors/upstream-errors.ts';
import type { JsonObject } from '../../upstream/reader.ts';
import type { ListStart } from './kept/recent-rows.ts';
import {
  isShort,
  type LimitedAnswer,
  type ListAnswer,
  type ListSource,
  MAX_EMULATED_ROWS,
} from './list-source.ts';
import { idOf } from './row-ids.ts';

/** Maximum number of values of a filter that splits a list, and of filters that are tried. */
const MAX_PARTS = 20;
const MAX_SPLITS = 3;

/** Reads all rows of a list as `fetchWholeList` does, unless a recent page has read them. */
export async function readWholeList(source: ListSource, start?: LimitedAnswer): Promise<ListStart> {
  return source.findRecentWhole() ?? (await fetchWholeList(source, start));
}

/**
 * Reads all rows of a list in the server's order, with its total where the list offers one.
 * @param start The start of the list, if an earlier call has read it and the answer was shorter than its limit.
 * @throws PaginationUnsupportedError when the list has more than `MAX_EMULATED_ROWS` rows, or the server answers only
 *   a part of the list.
 */
export async function fetchWholeList(source: ListSource, start?: LimitedAnswer): Promise<ListStart> {
  try {
    const keepStart = source.trackRead();
    const fetched = await tryFetchWhole(source, start);
    if (fetched !== null) {
      const whole = { ...fetched, isWhole: true, limit: Number.POSITIVE_INFINITY };
      keepStart(whole);
      return whole;
    }
  } catch (error) {
    if (error instanceof UpstreamResponseTooLargeError) throw unsupportedError(source, error);
    throw error;
  }
  throw unsupportedError(source);
}

async function tryFetchWhole(source: ListSource, known?: LimitedAnswer): Promise<ListAnswer | null> {
  const { limited, limitDefault, cap, paging } = source.selection.list;
  let start: LimitedAnswer | null = null;
  if (limited) {
    const limit = Math.min(cap, MAX_EMULATED_ROWS + 1);
    start = known ?? { ...(await source.fetch({ limit }, true)), limit };
    if (source.isWhole(start)) return start;
    if (paging === 'keyset' && source.mayBeCut(start) && (await source.endsAfter(start))) return start;
    if (start.rows.length > MAX_EMULATED_ROWS) return null;
    if (limitDefault) return isShort(start) ? fetchParts(source, start) : nullIfFull(start);
  }
  // The cap applies to the limit only: most servers answer the whole list when no limit is sent. A server that answers no
  // more rows without a limit may apply an undescribed one. Only the total shows whether it does.
  const all = await source.fetch({}, true);
  if (all.rows.length > MAX_EMULATED_ROWS || isShort(all)) return null;
  if (start === null || all.total !== null || all.rows.length > start.rows.length) return all;
  if (start.rows.length >= start.limit || source.isCut(all)) return null;
  source.recordEnd(all);
  return all;
}

/** Rows may follow a full answer. An answer that a hidden limit may have cut is accepted, because no other call shows more. */
const nullIfFull = (answer: LimitedAnswer): ListAnswer | null =>
  answer.rows.length < answer.limit ? answer : null;

/**
 * Reads a list that is longer than the largest answer in parts, through a filter that splits it. The totals prove that no
 * row is missing. The result begins with the rows of `start`, in the server's order.
 */
async function fetchParts(source: ListSource, start: ListAnswer): Promise<ListAnswer | null> {
  const { total } = start;
  if (total === null || total > MAX_EMULATED_ROWS) return null;
  const { list, filter } = source.selection;
  const splittingFilters = list.action.input.parameters
    .map((parameter) => ({ name: parameter.name, values: describedValues(parameter) }))
    .filter(({ name, values }) => values.length > 1 && values.length <= MAX_PARTS && !(name in filter))
    .sort((a, b) => b.values.length - a.values.length)
    .slice(0, MAX_SPLITS);
  for (const { name, values } of splittingFilters) {
    const rows = await fetchSplit(source, name, values, start);
    if (rows !== null) return { rows, total };
  }
  return null;
}

async function fetchSplit(
  source: ListSource,
  name: string,
  values: readonly unknown[],
  start: ListAnswer,
): Promise<readonly JsonObject[] | null> {
  const byId = new Map(start.rows.map((row) => [idOf(row), row]));
  for (const value of values) {
    const part = await source.fetch({ limit: source.selection.list.cap }, true, { [name]: value });
    if (part.total === null || isShort(part)) return null;
    for (const row of part.rows) if (!byId.has(idOf(row))) byId.set(idOf(row), row);
  }
  return byId.size === start.total && !byId.has(null) ? [...byId.values()] : null;
}

/** The values of a filter; empty where the description does not list them. */
function describedValues(parameter: Parameter): readonly unknown[] {
  if (parameter.type === 'Boolean') return [true, false];
  if (parameter.type === 'Resource') return [];
  return (parameter.validators.include?.values ?? []).map(({ value }) => value);
}

/** Creates the error of a list that cannot be read further. Its message names filters that shorten the list. */
export function unsupportedError(source: ListSource, cause?: unknown): PaginationUnsupportedError {
  const { limited, limitDefault, cap, filterNames, action } = source.selection.list;
  const bound = limited && limitDefault ? Math.min(cap, MAX_EMULATED_ROWS) : MAX_EMULATED_ROWS;
  const reason =
    cause === undefined
      ? `only its first ${bound} rows can be read`
      : 'it is too large to be read in one answer';
  const remedy =
    filterNames.length === 0 ? '' : ` Shorten it with a filter: ${filterNames.slice(0, 8).join(', ')}.`;
  return new PaginationUnsupportedError(
    `This list cannot be paged further: the API does not page it in the order of its rows, and ${reason}.${remedy}`,
    { action: action.scope },
    { cause },
  );
}
