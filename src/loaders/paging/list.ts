// Calls the action of a list, and reads the start of the list or all of it.
import type { Action } from '../../upstream/description/description.ts';
import { UpstreamResponseTooLargeError } from '../../upstream/errors.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { ReadResult } from '../additions.ts';
import { PaginationUnsupportedError } from '../errors.ts';
import type { Read } from '../operation-calls.ts';
import { listTag } from './cursor.ts';
import { type Direction, integerIdOf, isAfter, isOrdered, keysOf, trendOf } from './row-order.ts';

/** The order of a list: the direction in which `from_id` walks it, or `none` if `from_id` loses rows. */
export type ListOrder = Direction | 'none';

/** A described list and the way it pages. */
export interface List {
  readonly action: Action;
  /** How the list pages: by `from_id`, by `offset`, or not at all. Then each page is read from the start of the list. */
  readonly paging: 'keyset' | 'offset' | 'prefix';
  /** The order that the operator declares, which is not proven; null if it is not declared. */
  readonly declaredOrder: ListOrder | null;
  readonly takesLimit: boolean;
  /** The largest limit that its validator accepts. */
  readonly cap: number;
  /** Whether the server applies a limit of its own when none is sent. */
  readonly hasDefaultLimit: boolean;
  /** Names of its filters as clients write them, for messages. */
  readonly filterNames: readonly string[];
}

/** A request for one page of a list on behalf of a caller. */
export interface PageRequest {
  readonly list: List;
  /** Values of the path's placeholders. */
  readonly path: readonly string[];
  /** The list's other parameters. */
  readonly filter: JsonObject;
  readonly includes: readonly string[];
  readonly first: number;
  readonly after: string | null;
  /** Whether the total is requested. */
  readonly count: boolean;
  /** Throws when rows are ones that the filter should have excluded. */
  readonly check?: ((rows: readonly JsonObject[]) => void) | undefined;
}

/** Rows of a list in the order of the API. */
interface Rows {
  readonly rows: readonly JsonObject[];
  /** The keys of the rows, see `keysOf`; null where ids do not distinguish them. */
  readonly keys: readonly number[] | null;
  /** The list's total when its first row was read. Null if it was not requested, or the API does not offer it. */
  readonly total: number | null;
}

/** The response to one call of a list's action. */
export interface ListResponse extends Rows {
  /** The limit that was sent; infinite when none was. */
  readonly limit: number;
}

/** Rows of a list from one place on. */
export interface Block extends Rows {
  /** The `from_id` or the `offset` after which it begins; null for the start of the list. */
  readonly from: number | null;
  /** The list's total when its last row was read. Default: the same. */
  readonly lastTotal?: number | null;
  /** Whether no rows follow. */
  readonly isEnd: boolean;
  /** Whether it has all rows of the list, as one response or the total shows. Rows that were read by `from_id` show it not. */
  readonly isWhole: boolean;
  /** Whether all ways of reading the list were tried, so that no other call shows more rows. Default: false. */
  readonly isSearched?: boolean;
}

/** Where a call starts in a list, and how many rows it wants; empty for all rows. */
export interface CallRange {
  readonly from_id?: number;
  readonly offset?: number;
  readonly limit?: number;
}

/** Maximum number of rows that are read from the start of a list for one page. */
export const MAX_EMULATED_ROWS = 10_000;
/** A page may read this multiple of its rows to learn something about its list, or at least `MIN_ALLOWANCE` rows. */
const ALLOWED_MULTIPLE = 10;
const MIN_ALLOWANCE = 260;
/** A response with fewer rows counts as the end of its list, because no known server cuts responses to so few rows. */
export const SMALLEST_HIDDEN_LIMIT = 20;

/** Reads rows of one list for one page. */
export class ListReader {
  readonly request: PageRequest;
  readonly #read: Read;
  #rowsRead = 0;
  #tag: string | null = null;
  /** Whether a response lacks the associations that were requested. */
  lacksIncludes = false;

  constructor(request: PageRequest, read: Read) {
    this.request = request;
    this.#read = read;
  }

  /** Fingerprint of the list. Its cursors contain it. */
  get tag(): string {
    const { list, path, filter } = this.request;
    this.#tag ??= listTag(list.action.scope, path, filter);
    return this.#tag;
  }

  /** Number of rows that the page may still read to learn something about its list. */
  get allowance(): number {
    return Math.max(MIN_ALLOWANCE, ALLOWED_MULTIPLE * (this.request.first + 1)) - this.#rowsRead;
  }

  /** Calls the action once. */
  call(range: CallRange, isCounted = false): Promise<ListResponse> {
    return this.send(range, isCounted).then((result) => this.accept(result, range));
  }

  /** Sends a call of the action. Its result goes to `accept`. */
  send(range: CallRange, isCounted: boolean): Promise<ReadResult> {
    const { path, filter, includes, list } = this.request;
    const { action } = list;
    const meta: Record<string, string | true> = {};
    if (includes.length > 0) meta['includes'] = includes.join(',');
    if (isCounted && action.metaInput.has('count')) meta['count'] = true;
    return this.#read({ action, path, input: Object.assign({}, range, filter), meta });
  }

  accept({ output, meta, lacksIncludes }: ReadResult, { limit }: CallRange): ListResponse {
    const rows = Array.isArray(output) ? output : [];
    this.request.check?.(rows);
    if (lacksIncludes) this.lacksIncludes = true;
    this.#rowsRead += rows.length;
    const total = meta['total_count'];
    return {
      rows,
      keys: keysOf(rows),
      total: typeof total === 'number' && Number.isSafeInteger(total) ? total : null,
      limit: limit ?? Number.POSITIVE_INFINITY,
    };
  }

  /**
   * Reads the start of the list: as many rows as are needed, in one call where that is possible.
   * @param start A response from the start of the list that is known already.
   * @throws PaginationUnsupportedError when it cannot be read so far.
   */
  async readStart(needed: number, isCounted: boolean, start: ListResponse | null = null): Promise<Block> {
    const { takesLimit, cap } = this.request.list;
    if (needed > MAX_EMULATED_ROWS) throw this.#createPagingError();
    if (!takesLimit) return this.readWhole(null);
    const limit = Math.min(needed, cap);
    const suffices = start !== null && (start.limit >= limit || start.rows.length < start.limit);
    const response = suffices ? start : await this.call({ limit }, isCounted);
    if (response.rows.length < needed || response.rows.length > response.limit)
      return this.readWhole(response);
    return { ...response, from: null, isEnd: false, isWhole: false };
  }

  /**
   * Reads all rows of the list in the server's order, with its total if the API offers it.
   * @param start A response from the start of the list that does not have all rows for certain; null: none.
   * @throws PaginationUnsupportedError when the list is longer than what is read for one page, or than its largest response.
   */
  async readWhole(start: ListResponse | null): Promise<Block> {
    const { hasDefaultLimit, cap } = this.request.list;
    let response = start;
    let isComplete = start !== null && (isWhole(start) || (await this.#endsWith(start)));
    if (!isComplete && (start === null || !hasDefaultLimit)) {
      // The cap bounds only the limit: most servers return the whole list when no limit is sent.
      const all = await this.#callWithoutLimit();
      const { length } = all.rows;
      if (response === null || length >= response.rows.length) response = all;
      isComplete = all.total === null ? !isLikelyLimit(length) && length !== cap : length >= all.total;
    } else if (!isComplete && start !== null) {
      if (start.rows.length === start.limit) throw this.#createPagingError();
      isComplete = start.total === null && !isLikelyLimit(start.rows.length);
    }
    if (response === null || response.rows.length > MAX_EMULATED_ROWS) throw this.#createPagingError();
    return { ...response, from: null, isEnd: true, isWhole: isComplete, isSearched: true };
  }

  #callWithoutLimit(): Promise<ListResponse> {
    return this.call({}, true).catch((error: unknown) => {
      throw error instanceof UpstreamResponseTooLargeError ? this.#createPagingError(error) : error;
    });
  }

  /** Calls the action once more to find out whether a list that is ordered by id, and that a hidden limit may have cut, ends with a response. */
  async #endsWith(response: ListResponse): Promise<boolean> {
    if (!mayBeCut(response) || this.request.list.paging !== 'keyset') return false;
    const { rows, keys } = response;
    const last = keys?.at(-1);
    const direction = keys && trendOf(keys);
    if (last === undefined || !direction || !keys?.every((key) => key >= 0) || !isOrdered(keys, direction))
      return false;
    const next = await this.call({ limit: 1, from_id: last });
    // Other rows show nothing, because the API then ignores `from_id` or filters in the other direction.
    return next.rows.length === 0 && isAfter(last, integerIdOf(rows[0]) ?? last, direction);
  }

  /** Creates the error that says how far the list can be read, and which filters shorten it. */
  #createPagingError(cause?: unknown): PaginationUnsupportedError {
    const { takesLimit, hasDefaultLimit, filterNames, action, cap } = this.request.list;
    const bound = takesLimit && hasDefaultLimit ? Math.min(cap, MAX_EMULATED_ROWS) : MAX_EMULATED_ROWS;
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
}

/** Whether people choose a number as a limit. A list that answers with another number of rows has no more of them. */
const isLikelyLimit = (count: number): boolean =>
  count >= SMALLEST_HIDDEN_LIMIT &&
  (count % 10 === 0 || count % 25 === 0 || Number.isInteger(Math.log2(count)));

/** Whether rows may follow a response. `rowsSoFar` rows of the list have been read; `total` is null if it is unknown. */
export function mayContinue(response: ListResponse, total: number | null, rowsSoFar: number): boolean {
  const { rows, limit } = response;
  if (rows.length >= limit) return rows.length === limit;
  return total === null ? mayBeCut(response) : rowsSoFar < total && rows.length > 0;
}

/** Whether a response from the list's start contains all its rows, as far as the response and the total show. */
export function isWhole(response: ListResponse): boolean {
  const { rows, total, limit } = response;
  return total === null ? rows.length !== limit && !mayBeCut(response) : rows.length >= total;
}

/** Whether a limit of the server that it does not describe may have cut a response below the limit that was sent. */
const mayBeCut = ({ rows: { length }, limit, total }: ListResponse): boolean =>
  total === null && length < limit && length >= SMALLEST_HIDDEN_LIMIT;
