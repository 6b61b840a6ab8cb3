// Defines a described list, the rows to read of it, and the reader that calls its action.
import { LRUCache } from 'lru-cache';
import { atMost, expireAfter } from '../../upstream/cache-bounds.ts';
import type { Action } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/json.ts';
import { PaginationUnsupportedError } from '../errors.ts';
import type { Read } from '../operation-calls.ts';
import type { Direction } from './row-order.ts';

/** The order of a list: the direction in which `from_id` walks it, or `none` if `from_id` loses rows. */
export type ListOrder = Direction | 'none';

/** A described list and the way it pages. */
export interface List {
  readonly action: Action;
  /** How the list pages: by `from_id`, by `offset`, or not at all. Then each page is read from the start of the list. */
  readonly paging: 'keyset' | 'offset' | 'prefix';
  /** The order that the operator declares, which is not proven; null if it is not declared. */
  readonly declaredOrder: ListOrder | null;
  /** Whether the action takes a limit. */
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
  /** A key of the caller, without the credential. */
  readonly caller: string;
  readonly first: number;
  readonly after: string | null;
  /** Whether the total is requested. */
  readonly count: boolean;
  /** Throws when rows are ones that the filter should have excluded. */
  readonly check?: ((rows: readonly JsonObject[]) => void) | undefined;
}

/** The response to one call of a list's action. */
export interface ListResponse {
  readonly rows: readonly JsonObject[];
  /** Null if it was not requested, or the API does not offer it. */
  readonly total: number | null;
  /** The limit that was sent; infinite when none was. */
  readonly limit: number;
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

/** Whether rows from a list's start are fewer than its total. */
export const isShort = ({ rows, total }: Pick<ListResponse, 'rows' | 'total'>): boolean =>
  total !== null && total > rows.length;

/** Reads rows of one list for one page. */
export class ListReader {
  readonly request: PageRequest;
  readonly #read: Read;
  readonly #sizes: ResponseSizes;
  /** Contains the caller, because a server may cut the responses of one caller and not those of another. */
  readonly #sizeKey: string;
  #rowsRead = 0;

  constructor(request: PageRequest, read: Read, sizes: ResponseSizes) {
    this.request = request;
    this.#read = read;
    this.#sizes = sizes;
    this.#sizeKey = `${request.caller} ${request.list.action.scope}`;
  }

  /** Number of rows that the page may still read to learn something about its list. */
  get allowance(): number {
    return Math.max(MIN_ALLOWANCE, ALLOWED_MULTIPLE * (this.request.first + 1)) - this.#rowsRead;
  }

  /** Calls the action once. */
  async call(range: CallRange, isCounted = false): Promise<ListResponse> {
    const { path, filter, includes, list, check } = this.request;
    const { action } = list;
    const { output, meta } = await this.#read({
      action,
      path,
      input: { ...range, ...filter },
      meta: {
        ...(includes.length > 0 ? { includes: includes.join(',') } : {}),
        ...(isCounted && action.metaInput.has('count') ? { count: true } : {}),
      },
    });
    const rows = Array.isArray(output) ? output : [];
    check?.(rows);
    this.#rowsRead += rows.length;
    const { limit = Number.POSITIVE_INFINITY } = range;
    if (range.limit !== undefined && rows.length <= limit) this.#sizes.record(this.#sizeKey, rows.length);
    const total = meta['total_count'];
    return { rows, total: Number.isSafeInteger(total) ? Number(total) : null, limit };
  }

  /** Whether rows may follow a response. `rowsSoFar` rows of the list have been read; `total` is null if it is unknown. */
  mayContinue(response: ListResponse, total: number | null, rowsSoFar: number): boolean {
    const { rows, limit } = response;
    if (rows.length >= limit) return rows.length === limit;
    if (total === null) return this.mayBeCut(response);
    return rowsSoFar < total && this.#sizes.mayBeCut(this.#sizeKey, rows.length, 1);
  }

  /** Whether a response from the list's start contains all its rows, as far as the response and the total show. */
  isWhole(response: ListResponse): boolean {
    const { rows, total, limit } = response;
    return total === null ? rows.length !== limit && !this.mayBeCut(response) : rows.length >= total;
  }

  /** Whether a hidden limit of the server may have cut a response below the limit that was sent. */
  mayBeCut({ rows: { length }, limit, total }: ListResponse): boolean {
    return (
      total === null && length < limit && this.#sizes.mayBeCut(this.#sizeKey, length, SMALLEST_HIDDEN_LIMIT)
    );
  }

  /** Records that the list ended after a response, so that no hidden limit had cut it. */
  recordEnd({ rows }: ListResponse): void {
    this.#sizes.record(this.#sizeKey, rows.length + 1);
  }

  /** Creates the error that says how far the list can be read, and which filters shorten it. */
  createPagingError(cause?: unknown): PaginationUnsupportedError {
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

/** Lists that are remembered, each for one caller. */
const MAX_LISTS = 1_000;
/** Time for which one is remembered, in milliseconds. */
const REMEMBERED_FOR = 10 * 60_000;

/** Sizes of the responses to calls with a limit, by caller and list action, for one process. */
export class ResponseSizes {
  readonly #largest = new LRUCache<string, number>({ ...atMost(MAX_LISTS), ...expireAfter(REMEMBERED_FOR) });

  /** Records a number of rows that a response had or could have had. A hidden limit cannot be smaller. */
  record(key: string, rows: number): void {
    if (rows > (this.#largest.get(key) ?? 0)) this.#largest.set(key, rows);
  }

  /** Whether a hidden limit may have cut a response that has fewer rows than its limit allows. @param least The least such limit. */
  mayBeCut(key: string, rows: number, least: number): boolean {
    return rows >= least && rows >= (this.#largest.get(key) ?? 0);
  }
}
