// Reads pages of a list in overlapping windows of `from_id`, where it runs only approximately by id (docs/paging.md).
import type { JsonObject } from '../../../upstream/reader.ts';
import type { KeysetCursor, Window } from '../cursor.ts';
import { type Direction, directionOf, isBeyond } from '../direction.ts';
import type { Page, PageReading } from '../page.ts';
import { readPrefixPage } from '../prefix.ts';
import { integerIdOf, integerIdsOf, requireIntegerId } from '../row-ids.ts';
import { unsupportedError } from '../whole-list.ts';
import { checkCompleteness, updateTotal } from './completeness.ts';
import { cutKeysetPage, startOfWalk, type WalkPlace } from './keyset-page.ts';
import { readSecondLook, type SecondLook, updatePlace } from './second-look.ts';
import { windowsAfter } from './windows.ts';

/** Rows that were read but are not served yet, in the server's order. */
interface Unserved {
  readonly rows: readonly JsonObject[];
  readonly total: number | null;
  /** Served ids; the next windows read some of them again. */
  readonly servedIds: readonly number[];
}

/** Reads pages of a list with a default limit, which the server never answers completely when it is long. */
export class WindowReader {
  readonly #reading: PageReading;

  constructor(reading: PageReading) {
    this.#reading = reading;
  }

  /**
   * Cuts the first page; null when its rows do not even approximately run by id.
   * @param rows The rows of one answer: those of the page, or as many as the cap allows.
   */
  async readFirstPage(rows: readonly JsonObject[], total: number | null): Promise<Page | null> {
    const { first, list } = this.#reading.request;
    const direction = trendOf(rows);
    const place = { ...startOfWalk(rows, total), direction };
    if (rows.length > first || rows.length < list.cap || direction === null)
      return this.#finishPage({ rows, total, servedIds: [] }, place);
    const filled = await this.#readMissing({ rows, total, servedIds: [] }, direction, 0);
    return filled === null ? null : this.#finishPage(filled, place);
  }

  /** Reads the page after a cursor. If windows cannot serve it, the list is read from its start. */
  async readNextPage(cursor: KeysetCursor, window: Window): Promise<Page> {
    const look = await readSecondLook(this.#reading, cursor);
    if (look !== null && (look.isWhole || this.#isShort(look.total))) return this.#cutShortList(cursor, look);
    const inLook = look === null ? null : rowsAfter(look, cursor, this.#reading.request.first);
    const unserved = inLook ?? (await this.#readBeyond(cursor, window));
    const turnsOutShort = cursor.walk.total === null && this.#isShort(unserved?.total ?? null);
    const place =
      look === null || inLook === null ? cursor : updatePlace(look, cursor, inLook.servedIds.length);
    const page = unserved === null || turnsOutShort ? null : await this.#finishPage(unserved, place);
    return page ?? readPrefixPage(this.#reading, cursor);
  }

  /** Cuts a page, and checks at the end of the walk whether rows are lost. */
  async #finishPage(unserved: Unserved, place: WalkPlace): Promise<Page | null> {
    const { rows, total } = unserved;
    const walk = updateTotal(place.walk, total);
    const page = this.#cutPage(unserved, { ...place, walk });
    if (page === null || page.hasNextPage) return page;
    const served = place.served + rows.length;
    // The first page is the whole list if it has fewer rows than the cap allows.
    if (place.served === 0 && total === null && rows.length < this.#reading.request.list.cap) return page;
    const completeness = await checkCompleteness(this.#reading.source, walk, served);
    if (completeness === 'lost') throw unsupportedError(this.#reading.source);
    return completeness === 'complete' ? page : { ...page, unverified: { served, total } };
  }

  /** Whether one call can read the whole list. */
  #isShort(total: number | null): boolean {
    return total !== null && total <= this.#reading.request.list.cap;
  }

  /** Cuts a page of a list that one call can read completely: by `from_id` if the rows run by id, otherwise as a prefix. */
  #cutShortList(cursor: KeysetCursor, look: SecondLook): Promise<Page> | Page {
    const unserved = rowsAfter(look, cursor, this.#reading.request.first);
    const runsById = directionOf(integerIdsOf(look.rows) ?? [0, 0]) !== null;
    if (unserved === null || !runsById)
      return readPrefixPage(this.#reading, cursor, look.isWhole ? look : undefined);
    const place = updatePlace(look, cursor, unserved.servedIds.length);
    return cutKeysetPage(this.#reading, unserved.rows, place, look.total);
  }

  /** Reads the rows of the page and one more; null when the answers do not fit the window. */
  #readBeyond(cursor: KeysetCursor, window: Window): Promise<Unserved | null> {
    const direction = cursor.direction ?? 'ascending';
    return this.#readMissing(
      { rows: [], total: null, servedIds: window.skip },
      direction,
      cursor.served,
      window,
    );
  }

  /**
   * Reads further rows until the page has one more than it needs, in several calls where the cap requires it.
   * @param window Where the first call begins; default: after the known rows.
   */
  async #readMissing(
    unserved: Unserved,
    direction: Direction,
    served: number,
    window?: Window,
  ): Promise<Unserved | null> {
    const { source } = this.#reading;
    const { first, list } = this.#reading.request;
    const { servedIds } = unserved;
    const rows = [...unserved.rows];
    const knownIds = new Set([...servedIds, ...rows.map(requireIntegerId)]);
    let { total } = unserved;
    let place = window ?? windowAfter(rows, servedIds, direction);
    for (;;) {
      if (place === null) return null;
      const { from } = place;
      const limit = Math.min(list.cap, place.skip.length + first + 1 - rows.length);
      const answer = { ...(await source.fetch({ from_id: from, limit }, total === null)), limit };
      total ??= answer.total;
      const ids = integerIdsOf(answer.rows);
      if (ids === null || ids.length > limit || new Set(ids).size < ids.length) return null;
      if (!ids.every((id) => isBeyond(from, id, direction))) return null;
      const newRows = answer.rows.filter((row) => !knownIds.has(requireIntegerId(row)));
      for (const row of newRows) knownIds.add(requireIntegerId(row));
      rows.push(...newRows);
      if (ids.length === limit && newRows.length === 0) return null;
      const mayContinue = newRows.length > 0 && source.mayContinue(answer, total, served + rows.length);
      if (rows.length > first || !mayContinue) return { rows, total, servedIds };
      place = windowAfter(rows, servedIds, direction);
    }
  }

  /** Cuts a page whose cursors continue by windows; null when the rows do not even approximately run by id. */
  #cutPage({ rows, total, servedIds }: Unserved, place: WalkPlace): Page | null {
    const ids = integerIdsOf(rows);
    const direction = place.direction ?? trendOf(rows);
    if (ids === null || new Set(ids).size < ids.length) return null;
    if (direction === null) return cutKeysetPage(this.#reading, rows, place, total);
    const windows = windowsAfter(ids, servedIds, direction);
    if (windows.slice(0, this.#reading.request.first).includes(null)) return null;
    return cutKeysetPage(this.#reading, rows, { ...place, direction }, total, windows);
  }
}

/**
 * The rows after a cursor's row in a second look. If the cursor's row is gone, they begin with the row that followed it.
 * Null when both rows are gone, or when the rows do not fill a page.
 */
function rowsAfter(
  { rows, total, isWhole }: SecondLook,
  cursor: KeysetCursor,
  first: number,
): Unserved | null {
  const at = rows.findIndex((row) => integerIdOf(row) === cursor.id) + 1;
  const start = at > 0 ? at : rows.findIndex((row) => integerIdOf(row) === cursor.next);
  if (start === -1 || (!isWhole && rows.length <= start + first)) return null;
  const servedIds = integerIdsOf(rows.slice(0, start));
  return servedIds === null ? null : { rows: rows.slice(start), total, servedIds };
}

/** The window that continues after the last row. */
function windowAfter(
  rows: readonly JsonObject[],
  servedIds: readonly number[],
  direction: Direction,
): Window | null {
  return windowsAfter(rows.map(requireIntegerId), servedIds, direction).at(-1) ?? null;
}

/** The direction from the first row to the last; null for fewer than two rows. */
function trendOf(rows: readonly JsonObject[]): Direction | null {
  const ids = integerIdsOf(rows);
  const [first, last] = [ids?.[0], ids?.at(-1)];
  if (first === undefined || last === undefined || first === last) return null;
  return last > first ? 'ascending' : 'descending';
}
