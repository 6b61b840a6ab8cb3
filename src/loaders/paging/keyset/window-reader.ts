// Pages of a list that runs nearly by id and cannot be read whole, read by `from_id` in windows that overlap.
import type { JsonObject } from '../../../upstream/reader.ts';
import type { KeysetCursor, PrefixCursor, Window } from '../cursor.ts';
import { type Direction, directionOf, isBeyond } from '../direction.ts';
import { MAX_EMULATED_ROWS } from '../list-source.ts';
import type { Page, PageReading } from '../page.ts';
import { readPrefixPage } from '../prefix.ts';
import { integerIdOf, integerIdsOf, requireIntegerId, resumeAfter } from '../row-ids.ts';
import { advance, isComplete } from './completeness.ts';
import { cutKeysetPage, startOfWalk, type WalkPlace } from './keyset-page.ts';
import { placeIn, readSecondLook, type SecondLook } from './second-look.ts';
import { windowsAfter } from './windows.ts';

/** Rows that are not served yet, in the server's order. */
interface Unserved {
  readonly rows: readonly JsonObject[];
  readonly total: number | null;
  /** Ids that are served, of which the next windows read some again. */
  readonly servedIds: readonly number[];
}

/** Reads pages of a list that the server never answers whole where it is long, because it applies a default limit. */
export class WindowReader {
  readonly #reading: PageReading;

  constructor(reading: PageReading) {
    this.#reading = reading;
  }

  /**
   * Cuts the first page; null where its rows do not even nearly run by id.
   * @param rows The page's rows, or those of one answer.
   * @param mayGoOn Whether the list may go on after these rows although they do not fill the page.
   */
  async firstPage(rows: readonly JsonObject[], total: number | null, mayGoOn: boolean): Promise<Page | null> {
    const direction = trendOf(rows);
    const place = { ...startOfWalk(rows, total), direction };
    if (!mayGoOn || direction === null) {
      const page = this.#cut({ rows, total, servedIds: [] }, place);
      return page === null || page.hasNextPage || total === null || total <= rows.length
        ? page
        : { ...page, unverified: { served: rows.length, total } };
    }
    const filled = await this.#fill({ rows, total, servedIds: [] }, direction, 0);
    return filled === null ? null : this.#finish(filled, place);
  }

  /** Reads the page beyond a cursor. Where windows do not serve this list, it is read from its start. */
  async page(cursor: KeysetCursor, window: Window): Promise<Page> {
    const look = await readSecondLook(this.#reading, cursor);
    if (look !== null && this.#isShort(look)) return this.#shortPage(cursor, look);
    const seen = look === null ? null : rowsAfter(look, cursor, this.#reading.request.first);
    const unserved = seen ?? (await this.#readBeyond(cursor, window));
    const isFoundShort =
      cursor.walk.total === null && this.#reading.source.isReadByOneCall(unserved?.total ?? null);
    const direction = look === null ? cursor.direction : (trendOf(look.rows) ?? cursor.direction);
    const place = {
      ...(look === null || seen === null ? cursor : placeIn(look, cursor, seen.servedIds.length)),
      direction,
    };
    const page = unserved === null || isFoundShort ? null : await this.#finish(unserved, place);
    return page ?? readPrefixPage(this.#reading, cursor);
  }

  /**
   * Goes on from a walk that has read its list from the start, up to the most rows that one answer holds. Null where the
   * rows do not even nearly run by id.
   */
  async afterPrefix(cursor: PrefixCursor): Promise<Page | null> {
    const { first, list } = this.#reading.request;
    const limit = Math.min(list.cap, MAX_EMULATED_ROWS);
    const { rows, total } = await this.#reading.source.fetch({ limit }, true);
    const { id, next, served } = cursor;
    const start = id === null ? undefined : resumeAfter(rows, { id, next, served })?.start;
    const ids = integerIdsOf(rows);
    const direction = trendOf(rows);
    if (start === undefined || start === 0 || ids === null || direction === null) return null;
    const inHand = { rows: rows.slice(start), total, servedIds: ids.slice(0, start) };
    const window = windowsAfter(ids, [], direction).at(-1);
    const unserved =
      inHand.rows.length > first ? inHand : await this.#fill(inHand, direction, start, window ?? undefined);
    const walk = { head: ids[0] ?? null, total, deleted: 0, isChecked: true };
    return unserved && this.#finish(unserved, { served: start, direction, walk });
  }

  /** Cuts a page; at the end of the walk the totals show whether rows are lost. */
  async #finish(unserved: Unserved, place: WalkPlace): Promise<Page | null> {
    const { rows, total } = unserved;
    const walk = advance(place.walk, total);
    const page = this.#cut(unserved, { ...place, walk });
    if (page === null || page.hasNextPage) return page;
    const served = place.served + rows.length;
    return (await isComplete(this.#reading.source, walk, served))
      ? page
      : { ...page, unverified: { served, total } };
  }

  /** Whether one call can read a list whole, as far as a look at its start shows. */
  #isShort(look: SecondLook): boolean {
    const { source } = this.#reading;
    if (look.isWhole || look.total !== null) return look.isWhole || source.isReadByOneCall(look.total);
    return look.rows.length < look.limit && !source.isCut(look);
  }

  /** A page of a list that one call can read whole: by id where it runs so, else from its start. */
  #shortPage(cursor: KeysetCursor, look: SecondLook): Promise<Page> | Page {
    const unserved = rowsAfter(look, cursor, this.#reading.request.first);
    const runsById = directionOf(integerIdsOf(look.rows) ?? [0, 0]) !== null;
    if (unserved === null || !runsById)
      return readPrefixPage(this.#reading, cursor, look.isWhole ? look : undefined);
    const place = placeIn(look, cursor, unserved.servedIds.length);
    return cutKeysetPage(this.#reading, unserved.rows, place, look.total);
  }

  /** Reads the page's rows and one more. Null where `from_id` does not follow. */
  #readBeyond(cursor: KeysetCursor, window: Window): Promise<Unserved | null> {
    const direction = cursor.direction ?? 'ascending';
    return this.#fill({ rows: [], total: null, servedIds: window.skip }, direction, cursor.served, window);
  }

  /**
   * Adds rows to a page until it has one more than it needs, in several calls where the cap requires it.
   * @param window Where the first call starts; default: after the rows in hand.
   */
  async #fill(
    inHand: Unserved,
    direction: Direction,
    served: number,
    window?: Window,
  ): Promise<Unserved | null> {
    const { source } = this.#reading;
    const { first, list } = this.#reading.request;
    const { servedIds } = inHand;
    const rows = [...inHand.rows];
    const known = new Set([...servedIds, ...rows.map(requireIntegerId)]);
    let { total } = inHand;
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
      // The skipped rows lie beyond `from`. Where none of them is answered, the server filters the other way.
      if (!place.skip.some((id) => ids.includes(id))) return null;
      const fresh = answer.rows.filter((row) => !known.has(requireIntegerId(row)));
      for (const row of fresh) known.add(requireIntegerId(row));
      rows.push(...fresh);
      if (ids.length === limit && fresh.length === 0) return null;
      const goesOn = fresh.length > 0 && source.goesOn(answer, total, served + rows.length);
      if (rows.length > first || !goesOn) return { rows, total, servedIds };
      place = windowAfter(rows, servedIds, direction);
    }
  }

  /** Cuts a page whose cursors go on by windows; null where the rows do not even nearly run by id. */
  #cut({ rows, total, servedIds }: Unserved, place: WalkPlace): Page | null {
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
 * The rows that follow a cursor's row in the start of its list. Where the cursor's row is gone, they begin with the row
 * that was to follow it. Null where neither is there, or the rows are too few to fill a page.
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

/** The window that goes on after the last of some rows. */
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
