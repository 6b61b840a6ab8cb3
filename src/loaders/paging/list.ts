// Defines the types of a described list, of the rows to read, and of responses.
import type { Action } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { Read } from '../operation-calls.ts';
import type { RecentRows, ResponseSizes } from './list-memory.ts';
import type { Direction } from './row-ids.ts';
import type { RowGap } from './unreadable-rows.ts';

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

/** A request for rows of a list on behalf of a caller. */
export interface ListRequest {
  readonly list: List;
  /** Values of the path's placeholders. */
  readonly path: readonly string[];
  /** The list's other parameters. */
  readonly filter: JsonObject;
  readonly includes: readonly string[];
  /** A key of the caller, without the credential. */
  readonly caller: string;
  /** The language that the caller requests, because rows may contain texts in it. */
  readonly language: string;
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

/** Maximum number of rows that are read for one page. */
export const MAX_EMULATED_ROWS = 10_000;

/** The largest limit that is sent for a list. */
export const largestLimit = ({ cap }: List): number => Math.min(cap, MAX_EMULATED_ROWS);

/** Whether rows from a list's start are fewer than its total. */
export const isShort = ({ rows, total }: Pick<ListResponse, 'rows' | 'total'>): boolean =>
  total !== null && total > rows.length;

/** Where a call starts in a list; empty for the list's start. */
export interface CallStart {
  readonly from_id?: number;
  readonly offset?: number;
}

/** Reads rows of one list, in one operation. */
export class ListReader {
  readonly request: ListRequest;
  readonly #read: Read;
  readonly #sizes: ResponseSizes;
  readonly #recent: RecentRows;
  readonly #listKey: string;
  /** Contains the caller, because a server may cut the responses of one caller and not those of another. */
  readonly #sizeKey: string;

  constructor(request: ListRequest, read: Read, sizes: ResponseSizes, recent: RecentRows) {
    const { list, path, filter, includes, language, caller } = request;
    this.request = request;
    this.#read = read;
    this.#sizes = sizes;
    this.#recent = recent;
    this.#listKey = JSON.stringify([list.action.scope, path, filter, includes, language]);
    this.#sizeKey = `${caller} ${list.action.scope}`;
  }

  /** Calls the action once. @param partFilter Parameters that the client has not set. */
  async call(
    paging: CallStart & { readonly limit?: number },
    isCounted = false,
    partFilter?: JsonObject,
  ): Promise<ListResponse> {
    const { path, filter, includes, list, check } = this.request;
    const { action } = list;
    const { output, meta } = await this.#read({
      action,
      path,
      input: { ...paging, ...filter, ...partFilter },
      meta: {
        ...(includes.length > 0 ? { includes: includes.join(',') } : {}),
        ...(isCounted && action.metaInput.has('count') ? { count: true } : {}),
      },
    });
    const rows = Array.isArray(output) ? output : [];
    check?.(rows);
    const { limit = Number.POSITIVE_INFINITY } = paging;
    if (paging.limit !== undefined && rows.length <= limit) this.#sizes.record(this.#sizeKey, rows.length);
    const total = meta['total_count'];
    return { rows, total: Number.isSafeInteger(total) ? Number(total) : null, limit };
  }

  /**
   * Keeps rows for the next page, unless the caller writes while they are read.
   * @param shown Number of rows that this page needs: a block that has no more is not kept. Default: 0.
   */
  async keep<B extends Block | null>(readBlock: () => Promise<B>, shown = 0): Promise<B> {
    const keep = this.#recent.begin(this.request.caller, this.#listKey);
    const block = await readBlock();
    // The rows after a gap belong to the page that reports it.
    if (block !== null && block.gaps === undefined && block.rows.length > shown) keep(block);
    return block;
  }

  /** Returns the rows that were read for a recent page; null if there are none. */
  recent(): Block | null {
    const block = this.#recent.get(this.request.caller, this.#listKey) ?? null;
    if (block !== null) this.request.check?.(block.rows);
    return block;
  }

  /** Whether rows may follow a response. `rowsSoFar` rows of the list have been read; `total` is null if it is unknown. */
  mayContinue(response: ListResponse, total: number | null, rowsSoFar: number): boolean {
    const { rows, limit } = response;
    if (rows.length >= limit) return rows.length === limit;
    if (total === null) return this.mayBeCut(response);
    return rowsSoFar < total && this.#sizes.mayBeCut(this.#sizeKey, rows.length, limit, true);
  }

  /** Whether a response from the list's start contains all its rows, as far as the response and the total show. */
  isWhole(response: ListResponse): boolean {
    return response.rows.length !== response.limit && !isShort(response) && !this.mayBeCut(response);
  }

  /** Whether a hidden limit of the server may have cut a response below the limit that was sent. */
  mayBeCut({ rows, limit, total }: ListResponse): boolean {
    return total === null && this.#sizes.mayBeCut(this.#sizeKey, rows.length, limit);
  }

  /** Whether a response has as many rows as a known hidden limit. */
  isCut({ rows }: ListResponse): boolean {
    return rows.length >= this.#sizes.limitOf(this.#sizeKey);
  }

  /** Records that the list ended after a response, so that no hidden limit had cut it. */
  recordEnd({ rows }: ListResponse): void {
    this.#sizes.record(this.#sizeKey, rows.length + 1);
  }

  /** Records that all ways of reading the list return these rows, which a hidden limit may have cut. */
  recordUnverifiedEnd({ rows }: Pick<ListResponse, 'rows'>): void {
    this.#sizes.recordUnverifiedEnd(this.#sizeKey, rows.length);
  }

  /** Whether a hidden limit may have cut these rows, although they count as the whole list. */
  hasUnverifiedEnd({ rows, total }: Pick<ListResponse, 'rows' | 'total'>): boolean {
    return total === null && this.#sizes.isUnverifiedEnd(this.#sizeKey, rows.length);
  }

  /**
   * Records whether a hidden limit has cut a response, as the next response shows.
   * @param added Number of rows in the next response that are not in this one.
   */
  recordNextResponse(response: ListResponse, added: number): void {
    if (response.rows.length === response.limit) return;
    if (added === 0) this.recordEnd(response);
    else this.#sizes.recordCut(this.#sizeKey, response.rows.length);
  }
}
