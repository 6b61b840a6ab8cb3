// Reads a whole list, for pages that no other way of reading can serve.
import type { Parameter } from '../../upstream/description/description.ts';
import { UpstreamResponseTooLargeError } from '../../upstream/errors.ts';
import type { JsonObject } from '../../upstream/json.ts';
import { PaginationUnsupportedError } from '../errors.ts';
import {
  type Block,
  isShort,
  type ListReader,
  type ListResponse,
  largestLimit,
  MAX_EMULATED_ROWS,
} from './list.ts';
import { SMALLEST_HIDDEN_LIMIT } from './list-memory.ts';
import { idOf, integerIdOf, isAfter, isNearlyOrdered, isOrdered, keysOf, trendOf } from './row-ids.ts';

/** Number of calls by `from_id` for each full response that the total counts. Two suffice where the list nearly has the order of its ids. */
const CALLS_BY_IDS = 3;
/** Maximum number of values of a filter that splits a list, and of filters that are tried. */
const MAX_PARTS = 20;
const MAX_SPLITS = 3;

/**
 * Reads all rows of a list in the server's order, with its total if the API offers it.
 * @param start The start of the list, if the server has returned fewer rows than the limit.
 * @throws PaginationUnsupportedError when the list is longer than what is read for one page, or the server returns only
 *   a part of it.
 */
export async function fetchWholeList(reader: ListReader, start?: ListResponse): Promise<Block> {
  const whole = await fetchWhole(reader, start).catch((error: unknown) => {
    throw error instanceof UpstreamResponseTooLargeError ? createPagingError(reader, error) : error;
  });
  if (whole === null) throw createPagingError(reader);
  const isWhole = !isShort(whole) && !reader.hasUnverifiedEnd(whole);
  return { rows: whole.rows, total: whole.total, from: null, isEnd: true, isWhole, isSearched: true };
}

async function fetchWhole(reader: ListReader, known?: ListResponse): Promise<ListResponse | null> {
  const { takesLimit, hasDefaultLimit, cap } = reader.request.list;
  let start: ListResponse | null = null;
  if (takesLimit) {
    start = known ?? (await reader.call({ limit: Math.min(cap, MAX_EMULATED_ROWS + 1) }, true));
    if (reader.isWhole(start)) return start;
    if (start.rows.length > MAX_EMULATED_ROWS) return null;
    if (reader.mayBeCut(start) && (await endsWith(reader, start))) return start;
    if (hasDefaultLimit) return (await fetchMissing(reader, start)) ?? unverifiedWhole(reader, start, start);
  }
  // The cap bounds only the limit. Most servers return the whole list when no limit is sent. A server that then returns no
  // more rows than before may apply a limit that it does not describe. Only the total shows whether it does.
  const all = await reader.call({}, true);
  if (all.rows.length > MAX_EMULATED_ROWS) return null;
  const longest = start === null || all.rows.length >= start.rows.length ? all : start;
  if (all.total !== null && !isShort(all)) return all;
  return (await fetchMissing(reader, longest)) ?? unverifiedWhole(reader, longest, start);
}

/** Looks for rows that the total counts and no single response has. */
async function fetchMissing(reader: ListReader, start: ListResponse): Promise<ListResponse | null> {
  const ids = walkableIdsOf(reader, start.rows) ?? [];
  const trend = trendOf(ids);
  const isNear = trend !== null && isNearlyOrdered(ids, trend, Math.floor(ids.length / 4));
  const byIds = isNear || start.rows.length < start.limit ? await fetchByIds(reader, start, isNear) : null;
  return byIds === null || isShort(byIds) ? ((await fetchParts(reader, start)) ?? byIds) : byIds;
}

/**
 * A response that counts as the whole list because no other call can show more; null if it has as many rows as its limit.
 * @param start The response to the call with the largest limit.
 */
function unverifiedWhole(
  reader: ListReader,
  response: ListResponse,
  start: ListResponse | null,
): ListResponse | null {
  const { length } = response.rows;
  const mayBeCut = isLikelyLimit(length) || length === reader.request.list.cap;
  if (length >= response.limit || reader.isCut(response) || (mayBeCut && isShort(response))) return null;
  if (mayBeCut) reader.recordUnverifiedEnd(response);
  // A later response to a call with a limit need not be doubted again.
  if (start?.rows.length === length) reader.recordEnd(response);
  return response;
}

/** Whether people choose a number as a limit. A list that answers with another number of rows has no more of them. */
const isLikelyLimit = (count: number): boolean =>
  count >= SMALLEST_HIDDEN_LIMIT &&
  (count % 10 === 0 || count % 25 === 0 || Number.isInteger(Math.log2(count)));

/** Calls the action once more to find out whether a list that is ordered by id ends with this response. */
async function endsWith(reader: ListReader, response: ListResponse): Promise<boolean> {
  const ids = walkableIdsOf(reader, response.rows);
  const last = ids?.at(-1);
  const direction = ids && trendOf(ids);
  if (!ids || last === undefined || !direction || !isOrdered(ids, direction)) return false;
  const { rows } = await reader.call({ limit: 1, from_id: last });
  // Other rows show nothing, because the API then ignores `from_id` or filters in the other direction.
  const isAfterLast = rows.every((row) => isAfter(integerIdOf(row) ?? last, last, direction));
  if (isAfterLast) reader.recordNextResponse(response, rows.length);
  return rows.length === 0;
}

/** The ids of rows by which `from_id` can walk the list; null if there are none. */
function walkableIdsOf(reader: ListReader, rows: readonly JsonObject[]): readonly number[] | null {
  if (reader.request.list.paging !== 'keyset') return null;
  const ids = keysOf(rows);
  return ids?.every((id) => id >= 0) === true ? ids : null;
}

/**
 * Reads a list by `from_id` until it has as many rows as its total, or no response shows another one: then the total counts rows that
 * the caller cannot read. Each response repeats half of the one before, because rows that tie may change places between two calls.
 * @param isNear Whether the list nearly has the order of its ids.
 */
async function fetchByIds(
  reader: ListReader,
  start: ListResponse,
  isNear: boolean,
): Promise<ListResponse | null> {
  const ids = walkableIdsOf(reader, start.rows);
  const direction = ids && trendOf(ids);
  if (!ids || !direction || start.total === null || start.total > MAX_EMULATED_ROWS) return null;
  const rows = new Map(start.rows.map((row, index) => [ids[index] ?? 0, row]));
  const limit = largestLimit(reader.request.list);
  // In a list that has no order, each call may show a few rows only.
  let left = CALLS_BY_IDS * Math.ceil(start.total / limit);
  let response = start;
  for (let before = 0; rows.size > before && rows.size < (response.total ?? 0) && left > 0; left--) {
    const furthest = [...rows.keys()].sort((a, b) => (direction === 'ascending' ? b - a : a - b));
    const from = furthest[Math.floor(response.rows.length / 2)] ?? 0;
    response = await reader.call({ limit, from_id: from }, true);
    const nextIds = walkableIdsOf(reader, response.rows);
    // A deleted row may be among those in hand, and stand for one that is missing.
    if ((response.total ?? 0) < start.total) return null;
    if (nextIds?.every((id) => isAfter(id, from, direction)) !== true) return null;
    before = rows.size;
    for (const [index, row] of response.rows.entries()) rows.set(nextIds[index] ?? 0, row);
  }
  const { length } = response.rows;
  // In a list without order, a response that shows no other row proves nothing where others have shown some.
  const isDoubtful = !isNear && rows.size > start.rows.length;
  const mayBeCut = isDoubtful || length >= response.limit || (isNear && isLikelyLimit(length));
  if (mayBeCut && rows.size < (response.total ?? 0)) return null;
  return { rows: [...rows.values()], total: response.total, limit: Number.POSITIVE_INFINITY };
}

/**
 * Reads a list that is longer than the largest response. A filter splits it into parts that each fit into one response, and
 * the totals prove that no row is missing. The rows of `start` come first, in the server's order.
 */
async function fetchParts(reader: ListReader, start: ListResponse): Promise<ListResponse | null> {
  const { total } = start;
  if (total === null || total > MAX_EMULATED_ROWS) return null;
  const { list, filter } = reader.request;
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
  const limit = largestLimit(reader.request.list);
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
  const { list } = reader.request;
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
