// Reads a whole list, for pages that no other way of reading can serve.
import type { Parameter } from '../../upstream/description/description.ts';
import { PaginationUnsupportedError } from '../../upstream/errors/request-errors.ts';
import { UpstreamResponseTooLargeError } from '../../upstream/errors/upstream-errors.ts';
import { isShort, type ListResponse, type ListStart, largestLimit, MAX_EMULATED_ROWS } from './list.ts';
import type { ListReader } from './list-reader.ts';
import { idOf, integerIdOf, keysetIdsOf } from './row-ids.ts';

/** Maximum number of values of a filter that splits a list, and of filters that are tried. */
const MAX_PARTS = 20;
const MAX_SPLITS = 3;

/** Reads all rows of a list as `fetchWholeList` does, unless a recent page has read them. */
export async function readWholeList(reader: ListReader, start?: ListResponse): Promise<ListStart> {
  return reader.recentWhole() ?? (await fetchWholeList(reader, start));
}

/**
 * Reads all rows of a list in the server's order, with its total if the API offers it.
 * @param start The start of the list, if the server has returned fewer rows than the limit.
 * @throws PaginationUnsupportedError when the list is longer than what is read for one page, or the server returns only
 *   a part of it.
 */
export function fetchWholeList(reader: ListReader, start?: ListResponse): Promise<ListStart> {
  return reader.remember(async () => {
    const whole = await fetchWhole(reader, start).catch((error: unknown) => {
      throw error instanceof UpstreamResponseTooLargeError ? createPagingError(reader, error) : error;
    });
    if (whole === null) throw createPagingError(reader);
    return { ...whole, isWhole: true, limit: Number.POSITIVE_INFINITY };
  });
}

async function fetchWhole(reader: ListReader, known?: ListResponse): Promise<ListResponse | null> {
  const { takesLimit, hasDefaultLimit, cap, paging } = reader.selection.list;
  let start: ListResponse | null = null;
  if (takesLimit) {
    start = known ?? (await reader.call({ limit: Math.min(cap, MAX_EMULATED_ROWS + 1) }, true));
    if (reader.isWhole(start)) return start;
    if (paging === 'keyset' && reader.mayBeCut(start) && (await reader.endsWith(start))) return start;
    if (start.rows.length > MAX_EMULATED_ROWS) return null;
    // More rows may follow a full response. A shorter one counts as the whole list, because no other call can show more.
    if (hasDefaultLimit && !isShort(start)) return start.rows.length < start.limit ? start : null;
    if (hasDefaultLimit) return fetchParts(reader, start);
  }
  // The cap bounds only the limit. Most servers return the whole list when no limit is sent. A server that then returns no
  // more rows than before may apply a limit that it does not describe. Only the total shows whether it does.
  const all = await reader.call({}, true);
  if (all.rows.length > MAX_EMULATED_ROWS) return null;
  if (isShort(all)) return start !== null && (await isMiscounted(reader, start, all)) ? all : null;
  if (start === null || all.total !== null || all.rows.length > start.rows.length) return all;
  if (start.rows.length >= start.limit || reader.isCut(all)) return null;
  reader.recordUnprovenEnd(all);
  return all;
}

/**
 * Whether a total counts rows that the caller cannot read. Then responses with and without a limit have the same rows, and
 * a call with `from_id` in the middle of their ids returns no other row. Such a call would show rows that a hidden limit cut.
 */
async function isMiscounted(reader: ListReader, start: ListResponse, all: ListResponse): Promise<boolean> {
  if (reader.selection.list.paging !== 'keyset') return false;
  if (start.rows.length !== all.rows.length || start.rows.length >= start.limit) return false;
  const ids = keysetIdsOf(all.rows);
  const middle = ids?.toSorted((a, b) => a - b)[Math.floor(ids.length / 2)];
  if (middle === undefined) return false;
  const known = new Set<unknown>(ids);
  const { rows } = await reader.call({ from_id: middle, limit: start.limit });
  return rows.every((row) => known.has(integerIdOf(row)));
}

/**
 * Reads a list that is longer than the largest response. A filter splits it into parts that each fit into one response, and
 * the totals prove that no row is missing. The rows of `start` come first, in the server's order.
 */
async function fetchParts(reader: ListReader, start: ListResponse): Promise<ListResponse | null> {
  const { total } = start;
  if (total === null || total > MAX_EMULATED_ROWS) return null;
  const { list, filter } = reader.selection;
  const splittingFilters = list.action.input.parameters
    .map((parameter) => ({ name: parameter.name, values: choicesOf(parameter) }))
    .filter(({ name, values }) => values.length > 1 && values.length <= MAX_PARTS && !(name in filter))
    .sort((a, b) => b.values.length - a.values.length)
    .slice(0, MAX_SPLITS);
  for (const { name, values } of splittingFilters) {
    const whole = await fetchSplit(reader, name, values, start);
    if (whole !== null) return whole;
  }
  return null;
}

async function fetchSplit(
  reader: ListReader,
  name: string,
  values: readonly unknown[],
  start: ListResponse,
): Promise<ListResponse | null> {
  const limit = largestLimit(reader.selection.list);
  const byId = new Map(start.rows.map((row) => [idOf(row), row]));
  for (const value of values) {
    const part = await reader.call({ limit }, true, { [name]: value });
    if (part.total === null || isShort(part)) return null;
    for (const row of part.rows) if (!byId.has(idOf(row))) byId.set(idOf(row), row);
  }
  return byId.size === start.total && !byId.has(null) ? { ...start, rows: [...byId.values()] } : null;
}

/** Returns the values of a filter if the description lists them. */
function choicesOf(parameter: Parameter): readonly unknown[] {
  if (parameter.type === 'Boolean') return [true, false];
  if (parameter.type === 'Resource') return [];
  return (parameter.validators.include?.values ?? []).map(({ value }) => value);
}

/** Creates the error that says how far the list can be read, and which filters shorten it. */
function createPagingError(reader: ListReader, cause?: unknown): PaginationUnsupportedError {
  const { list } = reader.selection;
  const { takesLimit, hasDefaultLimit, filterNames, action } = list;
  const bound = takesLimit && hasDefaultLimit ? largestLimit(list) : MAX_EMULATED_ROWS;
  const reason =
    cause === undefined
      ? `only its first ${bound} rows can be read`
      : 'it is too large to be read in one response';
  const remedy =
    filterNames.length === 0 ? '' : ` Shorten it with a filter: ${filterNames.slice(0, 8).join(', ')}.`;
  return new PaginationUnsupportedError(
    `This list cannot be paged further: the API does not page it in the order of its rows, and ${reason}.${remedy}`,
    { action: action.scope },
    { cause },
  );
}
