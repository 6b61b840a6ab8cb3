// Reads pages of a list that is nearly ordered by id and cannot be read whole, by overlapping windows.
import type { JsonObject } from '../../../upstream/reader.ts';
import type { KeysetCursor, PrefixCursor, Window } from '../cursor.ts';
import { type ListStart, largestLimit } from '../list.ts';
import { markUnverified, type Page, type PageContext } from '../page.ts';
import { readPrefixPage } from '../prefix-page.ts';
import { type Direction, idOf, indexAfter, isBeyond, keysetIdsOf, trendOf } from '../row-ids.ts';
import { cutKeysetPage, isComplete, restartWalk, startWalk, updateTotal, type WalkSoFar } from './walk.ts';
import { windowsAfter } from './windows.ts';

/** Rows that have not been served, in the server's order. */
interface UnservedRows {
  readonly rows: readonly JsonObject[];
  readonly total: number | null;
  /** Ids of served rows. The next windows read some of them again. */
  readonly servedIds: readonly number[];
}

/** Reads pages of a list that is too long to be read whole, because the server applies a default limit. */
export class WindowReader {
  readonly #context: PageContext;

  constructor(context: PageContext) {
    this.#context = context;
  }

  /**
   * Cuts the first page; null if its rows are not even nearly ordered by id.
   * @param rows The page's rows, or those of one response.
   * @param mayContinue Whether the list may continue after these rows although they do not fill the page.
   */
  async readFirstPage(
    rows: readonly JsonObject[],
    total: number | null,
    mayContinue: boolean,
  ): Promise<Page | null> {
    const direction = trendOf(rows);
    const walk = { ...startWalk(rows, total), direction };
    const unserved = { rows, total, servedIds: [] };
    if (mayContinue && direction !== null) {
      const filled = await this.#readBeyond(unserved, direction, 0);
      return filled && this.#finishPage(filled, walk);
    }
    const page = this.#cutPage(unserved, walk);
    const isUnverified = page?.hasNextPage === false && total !== null && total > rows.length;
    return page && isUnverified ? markUnverified(page, 0, total) : page;
  }

  /**
   * Reads the page beyond a cursor. If the list cannot be read by windows, it is read from its start.
   * @param start The start of the list, if it was read again.
   */
  async readPage(cursor: KeysetCursor, window: Window, start: ListStart | null): Promise<Page> {
    const direction = (start && trendOf(start.rows)) ?? cursor.direction;
    const seen = start && unservedOf(start, cursor, this.#context.request.first);
    const unserved =
      seen ??
      (await this.#readBeyond(
        { rows: [], total: null, servedIds: window.skip },
        cursor.direction ?? 'ascending',
        cursor.served,
        window,
      ));
    const { reader } = this.#context;
    const isReadByOneCall = cursor.walk.total === null && reader.isReadByOneCall(unserved?.total ?? null);
    // Without a total there is nothing to compare, so the number of served rows is kept.
    const walked =
      start !== null && start.total !== null && seen !== null
        ? restartWalk(cursor, start, seen.servedIds.length)
        : { ...cursor, walk: { ...cursor.walk, isChecked: true } };
    const page =
      unserved === null || isReadByOneCall
        ? null
        : await this.#finishPage(unserved, { ...walked, direction });
    return page ?? readPrefixPage(this.#context, cursor);
  }

  /**
   * Continues a walk that has read its list from the start, up to the maximum size of a response. Null if the rows are not
   * even nearly ordered by id.
   */
  async readPageAfterPrefix(cursor: PrefixCursor): Promise<Page | null> {
    const { first, list } = this.#context.request;
    const { rows, total } = await this.#context.reader.call({ limit: largestLimit(list) }, true);
    const ids = keysetIdsOf(rows);
    const direction = trendOf(rows);
    const start = cursor.id === null || cursor.walked !== null ? null : indexAfter(rows, cursor);
    if (!start || ids === null || direction === null) return null;
    const seen = { rows: rows.slice(start), total, servedIds: ids.slice(0, start) };
    const window = windowsAfter(ids, [], direction).at(-1);
    const unserved =
      seen.rows.length > first ? seen : await this.#readBeyond(seen, direction, start, window ?? undefined);
    const walk = { head: ids[0] ?? null, total, deleted: 0, isChecked: true };
    return unserved && this.#finishPage(unserved, { served: start, direction, walk });
  }

  /** Cuts a page. At the end of the walk, the totals show whether rows are lost. */
  async #finishPage(unserved: UnservedRows, walked: WalkSoFar): Promise<Page | null> {
    const { rows, total } = unserved;
    const walk = updateTotal(walked.walk, total);
    const page = this.#cutPage(unserved, { ...walked, walk });
    if (page === null || page.hasNextPage) return page;
    const isProven = await isComplete(this.#context.reader, walk, walked.served + rows.length);
    return isProven ? page : markUnverified(page, walked.served, total);
  }

  /**
   * Adds rows to a page until it has one more than it needs, in several calls if the cap requires it. Null if the server does
   * not follow `from_id`.
   * @param window Where the first call starts; default: after the given rows.
   */
  async #readBeyond(
    { rows: inHand, total: knownTotal, servedIds }: UnservedRows,
    direction: Direction,
    served: number,
    window: Window | null = windowAfter(inHand, servedIds, direction),
  ): Promise<UnservedRows | null> {
    const { reader } = this.#context;
    const { first, list } = this.#context.request;
    const rows = [...inHand];
    const known = new Set<unknown>([...servedIds, ...rows.map(idOf)]);
    let total = knownTotal;
    for (let place = window; place !== null; place = windowAfter(rows, servedIds, direction)) {
      const { from, skip } = place;
      const limit = Math.min(list.cap, skip.length + first + 1 - rows.length);
      const response = await reader.call({ from_id: from, limit }, total === null);
      total ??= response.total;
      const ids = keysetIdsOf(response.rows);
      if (ids === null || ids.length > limit || new Set(ids).size < ids.length) return null;
      if (!ids.every((id) => isBeyond(from, id, direction))) return null;
      // The skipped rows lie beyond `from`. If the response contains none of them, the server filters in the other direction.
      if (!skip.some((id) => ids.includes(id))) return null;
      const fresh = response.rows.filter((row) => !known.has(idOf(row)));
      for (const row of fresh) known.add(idOf(row));
      rows.push(...fresh);
      if (ids.length === limit && fresh.length === 0) return null;
      const continues = fresh.length > 0 && reader.mayContinue(response, total, served + rows.length);
      if (rows.length > first || !continues) return { rows, total, servedIds };
    }
    return null;
  }

  /** Cuts a page whose cursors continue by windows; null if the rows are not even nearly ordered by id. */
  #cutPage({ rows, total, servedIds }: UnservedRows, walked: WalkSoFar): Page | null {
    const ids = keysetIdsOf(rows);
    const direction = walked.direction ?? trendOf(rows);
    if (ids === null || new Set(ids).size < ids.length) return null;
    if (direction === null) return cutKeysetPage(this.#context, rows, walked, total);
    const windows = windowsAfter(ids, servedIds, direction);
    if (windows.slice(0, this.#context.request.first).includes(null)) return null;
    return cutKeysetPage(this.#context, rows, { ...walked, direction }, total, windows);
  }
}

/**
 * Returns the rows after a cursor's row in the start of its list. Null if the start does not show them, or they are too few
 * to fill a page.
 */
function unservedOf(
  { rows, total, isWhole }: ListStart,
  cursor: KeysetCursor,
  first: number,
): UnservedRows | null {
  const start = indexAfter(rows, cursor);
  if (start === null || (!isWhole && rows.length <= start + first)) return null;
  const servedIds = keysetIdsOf(rows.slice(0, start));
  return servedIds && { rows: rows.slice(start), total, servedIds };
}

/** Returns the window after the last of the rows. */
function windowAfter(
  rows: readonly JsonObject[],
  servedIds: readonly number[],
  direction: Direction,
): Window | null {
  return windowsAfter(keysetIdsOf(rows) ?? [], servedIds, direction).at(-1) ?? null;
}
