// Calls the action of a list, and remembers what its responses show.
import type { JsonObject } from '../../upstream/reader.ts';
import type { Read } from '../read.ts';
import type { RecentRows } from './cache/recent-rows.ts';
import type { ResponseSizes } from './cache/response-sizes.ts';
import { isShort, type ListResponse, type ListSelection, type ListStart, largestLimit } from './list.ts';
import { directionOf, idOf, integerIdOf } from './row-ids.ts';

/** Where a call starts in a list; empty for the list's start. */
export interface CallStart {
  readonly from_id?: number;
  readonly offset?: number;
}

/** For a client that walks an emulated list, this multiple of the needed rows is read at once. */
const READ_AHEAD = 8;

/** Reads rows of one list, in one operation. */
export class ListReader {
  readonly selection: ListSelection;
  readonly #read: Read;
  readonly #sizes: ResponseSizes;
  readonly #recent: RecentRows;
  readonly #listKey: string;
  /** Contains the caller, because a server may cut the responses of one caller and not those of another. */
  readonly #sizeKey: string;

  constructor(selection: ListSelection, read: Read, sizes: ResponseSizes, recent: RecentRows) {
    const { list, path, filter, includes, language, caller } = selection;
    this.selection = selection;
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
    const { path, filter, includes, list, check } = this.selection;
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
   * Reads `wanted` rows, in several calls if the cap requires it. Reads fewer at the list's end, or if the rows do not
   * show where the next call starts.
   * @param startAfter Returns where the call after the given rows starts; null when they do not show it.
   * @param before Number of rows in the list before the first call. With the total, it shows whether a response was cut.
   */
  async readRows(
    wanted: number,
    start: CallStart,
    startAfter: (rows: readonly JsonObject[]) => CallStart | null,
    { count, before }: { readonly count: boolean; readonly before: number },
  ): Promise<{ readonly rows: readonly JsonObject[]; readonly firstResponse: ListResponse }> {
    const { cap } = this.selection.list;
    const firstResponse = await this.call({ limit: Math.min(wanted, cap), ...start }, count);
    const rows = [...firstResponse.rows];
    let last = firstResponse;
    while (rows.length < wanted && this.mayContinue(last, firstResponse.total, before + rows.length)) {
      const next = startAfter(rows);
      if (next === null) break;
      const response = await this.call({ limit: Math.min(wanted - rows.length, cap), ...next });
      this.#recordNextResponse(last, response, rows);
      rows.push(...response.rows);
      last = response;
    }
    return { rows, firstResponse };
  }

  /**
   * Reads `needed` rows from the list's start, or all if it has fewer.
   * @param isWalk Whether a page before this one was read. Then its rows are reused, and the total is requested.
   */
  async readStart(needed: number, count: boolean, isWalk: boolean): Promise<ListStart> {
    const known = isWalk ? this.#recentStart() : undefined;
    if (known !== undefined && (known.rows.length < known.limit || known.rows.length >= needed)) return known;
    const limit =
      known === undefined ? needed : Math.min(needed * READ_AHEAD, largestLimit(this.selection.list));
    return this.remember(() => this.call({ limit }, count || isWalk));
  }

  /** Keeps rows from the list's start for the next page, unless the caller writes while they are read. */
  async remember(
    readResponse: () => Promise<ListResponse & { readonly isWhole?: boolean }>,
  ): Promise<ListStart> {
    const keep = this.#recent.begin(this.selection.caller, this.#listKey);
    const response = await readResponse();
    const start = { ...response, isWhole: response.isWhole ?? this.isWhole(response) };
    keep(start);
    return start;
  }

  /** Returns the whole list if a recent page has read it, otherwise null. */
  recentWhole(): ListStart | null {
    const known = this.#recentStart();
    return known?.isWhole === true ? known : null;
  }

  #recentStart(): ListStart | undefined {
    const known = this.#recent.get(this.selection.caller, this.#listKey);
    if (known !== undefined) this.selection.check?.(known.rows);
    return known;
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

  /** Whether one call can read a list with this total. */
  isReadByOneCall(total: number | null): boolean {
    return total !== null && total <= Math.min(this.selection.list.cap, this.#sizes.limitOf(this.#sizeKey));
  }

  /** Records a hidden limit if a response from the list's start has fewer rows than both the limit and the total. */
  recordIfCut(response: ListResponse): void {
    const { rows, limit } = response;
    if (rows.length > 0 && rows.length < limit && isShort(response))
      this.#sizes.recordCut(this.#sizeKey, rows.length);
  }

  /** Records that the list ended after a response, so that no hidden limit had cut it. */
  recordEnd({ rows }: ListResponse): void {
    this.#sizes.record(this.#sizeKey, rows.length + 1);
  }

  /** Records that all ways of reading the list return these rows, which a hidden limit may nevertheless have cut. */
  recordUnprovenEnd({ rows }: ListResponse): void {
    this.#sizes.recordUnprovenEnd(this.#sizeKey, rows.length);
  }

  /** Whether a hidden limit may have cut these rows, although they count as the whole list. */
  hasUnprovenEnd({ rows, total }: ListResponse): boolean {
    return total === null && this.#sizes.isUnprovenEnd(this.#sizeKey, rows.length);
  }

  /** Calls the action once more to find out whether a list that is ordered by id ends with this response. */
  async endsWith(response: ListResponse): Promise<boolean> {
    const start = keysetStartAfter(response.rows);
    if (start === null) return false;
    const nextResponse = await this.call({ limit: 1, ...start });
    this.#recordNextResponse(response, nextResponse, response.rows);
    return nextResponse.rows.length === 0;
  }

  /**
   * Records whether a hidden limit cut a response, as the next response shows. Repeated rows show nothing, because then
   * the server ignores `from_id` or `offset`.
   */
  #recordNextResponse(
    response: ListResponse,
    nextResponse: ListResponse,
    before: readonly JsonObject[],
  ): void {
    if (response.rows.length === response.limit) return;
    const known = new Set(before.map(idOf));
    if (nextResponse.rows.length === 0) this.recordEnd(response);
    else if (!nextResponse.rows.some((row) => known.has(idOf(row))))
      this.#sizes.recordCut(this.#sizeKey, response.rows.length);
  }
}

/** Returns the `from_id` after rows that are ordered by id; null when they are not ordered by id. */
export function keysetStartAfter(rows: readonly JsonObject[]): CallStart | null {
  const last = integerIdOf(rows.at(-1));
  return last === null || directionOf(rows) === null ? null : { from_id: last };
}
