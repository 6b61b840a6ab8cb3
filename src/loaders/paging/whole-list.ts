// Reads the start of a list, or all of it, where no other way of reading serves its rows.
import { UpstreamResponseTooLargeError } from '../../upstream/errors.ts';
import type { JsonObject } from '../../upstream/json.ts';
import {
  isShort,
  type ListReader,
  type ListResponse,
  MAX_EMULATED_ROWS,
  SMALLEST_HIDDEN_LIMIT,
} from './list.ts';
import { integerIdOf, isAfter, isOrdered, keysOf, trendOf } from './row-order.ts';
import type { RowGap } from './unreadable-rows.ts';

/** Rows of a list from one place on, in the order of the API. */
export interface Block {
  readonly rows: readonly JsonObject[];
  /** The `from_id` or the `offset` after which it begins; null for the start of the list. */
  readonly from: number | null;
  /** The list's total when its first row was read; null if it is unknown. */
  readonly total: number | null;
  /** The list's total when its last row was read. Default: the same. */
  readonly lastTotal?: number | null;
  /** Whether no rows follow. */
  readonly isEnd: boolean;
  /** Whether it has all rows of the list, as one response or the total shows. Rows that were read by `from_id` show it not. */
  readonly isWhole: boolean;
  /** Whether all ways of reading the list were tried, so that no other call shows more rows. Default: false. */
  readonly isSearched?: boolean;
  /** Rows that cannot be read, among these rows. Default: none. */
  readonly gaps?: readonly RowGap[];
}

/**
 * Reads the start of a list: as many rows as are needed, in one call where that is possible.
 * @param start A response from the start of the list that is known already.
 * @throws PaginationUnsupportedError when it cannot be read so far.
 */
export async function readStart(
  reader: ListReader,
  needed: number,
  isCounted: boolean,
  start: ListResponse | null = null,
): Promise<Block> {
  const { takesLimit, cap } = reader.request.list;
  if (needed > MAX_EMULATED_ROWS) throw reader.createPagingError();
  if (!takesLimit) return readWhole(reader, null);
  const limit = Math.min(needed, cap);
  const suffices = start !== null && (start.limit >= limit || start.rows.length < start.limit);
  const response = suffices ? start : await reader.call({ limit }, isCounted);
  if (response.rows.length < needed || response.rows.length > response.limit)
    return readWhole(reader, response);
  return { ...response, from: null, isEnd: false, isWhole: false };
}

/**
 * Reads all rows of a list in the server's order, with its total if the API offers it.
 * @param start A response from the start of the list that does not have all rows for certain; null: none.
 * @throws PaginationUnsupportedError when the list is longer than what is read for one page, or than its largest response.
 */
export async function readWhole(reader: ListReader, start: ListResponse | null): Promise<Block> {
  const { hasDefaultLimit, cap } = reader.request.list;
  let response = start;
  let isWhole = start !== null && (reader.isWhole(start) || (await endsWith(reader, start)));
  if (!isWhole && (start === null || !hasDefaultLimit)) {
    // The cap bounds only the limit: most servers return the whole list when no limit is sent.
    const all = await callWithoutLimit(reader);
    if (response === null || all.rows.length >= response.rows.length) response = all;
    isWhole = isWholeWithoutLimit(all, cap);
  } else if (!isWhole && start !== null) {
    if (start.rows.length === start.limit) throw reader.createPagingError();
    isWhole = start.total === null && !isLikelyLimit(start.rows.length);
  }
  if (response === null || response.rows.length > MAX_EMULATED_ROWS) throw reader.createPagingError();
  if (isWhole) reader.recordEnd(response);
  return { ...response, from: null, isEnd: true, isWhole, isSearched: true };
}

const callWithoutLimit = (reader: ListReader): Promise<ListResponse> =>
  reader.call({}, true).catch((error: unknown) => {
    throw error instanceof UpstreamResponseTooLargeError ? reader.createPagingError(error) : error;
  });

function isWholeWithoutLimit(all: ListResponse, cap: number): boolean {
  const { length } = all.rows;
  return all.total === null ? !isLikelyLimit(length) && length !== cap : !isShort(all);
}

/** Whether people choose a number as a limit. A list that answers with another number of rows has no more of them. */
const isLikelyLimit = (count: number): boolean =>
  count >= SMALLEST_HIDDEN_LIMIT &&
  (count % 10 === 0 || count % 25 === 0 || Number.isInteger(Math.log2(count)));

/** Calls the action once more to find out whether a list that is ordered by id, and that a hidden limit may have cut, ends with a response. */
async function endsWith(reader: ListReader, response: ListResponse): Promise<boolean> {
  if (!reader.mayBeCut(response) || reader.request.list.paging !== 'keyset') return false;
  const ids = keysOf(response.rows);
  const last = ids?.at(-1);
  const direction = ids && trendOf(ids);
  if (last === undefined || !direction || !ids.every((id) => id >= 0) || !isOrdered(ids, direction))
    return false;
  const { rows } = await reader.call({ limit: 1, from_id: last });
  // Other rows show nothing, because the API then ignores `from_id` or filters in the other direction.
  return rows.length === 0 && isAfter(last, integerIdOf(response.rows[0]) ?? last, direction);
}
