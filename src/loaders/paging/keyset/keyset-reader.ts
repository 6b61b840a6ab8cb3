// Reads pages of a list that is strictly ordered by id, and checks each for signs that rows are lost.
import { PaginationUnsupportedError } from '../../../upstream/errors/request-errors.ts';
import type { JsonObject } from '../../../upstream/reader.ts';
import type { KnownOrder, ListOrder } from '../cache/list-orders.ts';
import type { KeysetCursor } from '../cursor.ts';
import { isShort, type ListStart } from '../list.ts';
import { keysetStartAfter } from '../list-reader.ts';
import { markUnverified, type Page, type PageContext } from '../page.ts';
import { readPrefixPage } from '../prefix-page.ts';
import { type Direction, directionOf, integerIdOf, isBeyond, keysetIdsOf, runsIn } from '../row-ids.ts';
import { fetchWholeList } from '../whole-list.ts';
import { canReadAgain, checkOrder, UNCOUNTED_CHECK } from './order-check.ts';
import { cutKeysetPage, isComplete, restartWalk, startWalk, updateTotal } from './walk.ts';
import { WindowReader } from './window-reader.ts';

/** A list with fewer rows may be ordered by chance, so its order is not remembered. */
const MIN_CONCLUSIVE = 10;

/** Reads pages by `from_id` while this loses no rows. */
export class KeysetReader {
  readonly #context: PageContext;
  readonly #known: KnownOrder | undefined;
  /** The operator has not declared the order, so it is checked. */
  readonly #isOrderUnconfirmed: boolean;

  constructor(context: PageContext) {
    this.#context = context;
    this.#known = context.orders.orderOf(context.request.list.action.scope, context.key);
    this.#isOrderUnconfirmed = this.#known?.isDeclared !== true;
  }

  readPage(cursor: KeysetCursor | null): Promise<Page> {
    const losesRows = this.#known?.order === 'none';
    if (cursor === null) return losesRows ? readPrefixPage(this.#context, null) : this.#readFirstPage();
    return losesRows ? this.#readLostRows(cursor) : this.#readPageAfter(cursor);
  }

  async #readPageAfter(cursor: KeysetCursor): Promise<Page> {
    const { window } = cursor;
    const isKnown = window === null && this.#known !== undefined;
    const start = isKnown ? null : await checkOrder(this.#context, cursor);
    if (window === null)
      return start === null ? this.#readNextPage(cursor) : this.#readSecondPage(cursor, start);
    return start !== null && this.#isReadByOneCall(start)
      ? this.#readSecondPage(cursor, start)
      : new WindowReader(this.#context).readPage(cursor, window, start);
  }

  async #readFirstPage(): Promise<Page> {
    const { reader } = this.#context;
    const { first, count, list } = this.#context.request;
    // If the second page cannot be read from the list's start, its total is compared with that of the first page.
    const needsCount =
      this.#isOrderUnconfirmed && (first + 1 > list.cap || !canReadAgain(list, 2 * first + 1));
    // A long list with a default limit cannot be read whole, so its cursors continue by overlapping windows.
    const mayNeedWindows = list.hasDefaultLimit && this.#isOrderUnconfirmed;
    const wanted = mayNeedWindows ? Math.min(first + 1, list.cap) : first + 1;
    const { firstResponse, rows } = await reader.readRows(wanted, {}, keysetStartAfter, {
      count: count || needsCount,
      before: 0,
    });
    const { total, limit } = firstResponse;
    const isLimitIgnored = firstResponse.rows.length > limit;
    reader.recordIfCut(firstResponse);
    if (mayNeedWindows && !isLimitIgnored && !reader.isReadByOneCall(total)) {
      const mayContinue =
        rows.length <= first && reader.mayContinue(firstResponse, total, firstResponse.rows.length);
      const page = await new WindowReader(this.#context).readFirstPage(rows, total, mayContinue);
      if (page !== null) return page;
    }
    if (isLimitIgnored || directionOf(rows) === null) {
      this.#recordOrder('none');
      return readPrefixPage(this.#context, null, firstResponse);
    }
    const isInPieces = rows.length > firstResponse.rows.length || firstResponse.rows.length === limit;
    const mayHaveLost = rows.length <= first && (total === null ? isInPieces : total > rows.length);
    return mayHaveLost && this.#isOrderUnconfirmed
      ? this.#readLastPage(rows, null, total)
      : this.#cutPage(rows, null, total);
  }

  /** Whether one call can read a list, as far as its start shows. */
  #isReadByOneCall(start: ListStart): boolean {
    const { reader } = this.#context;
    if (start.isWhole || start.total !== null) return start.isWhole || reader.isReadByOneCall(start.total);
    return start.rows.length < start.limit && !reader.isCut(start);
  }

  /** Reads the page after a cursor in a list that was read from its start again. Only rows that still exist count as served. */
  async #readSecondPage(cursor: KeysetCursor, start: ListStart): Promise<Page> {
    const { rows, total, limit, isWhole } = start;
    const direction = directionOfList(rows, cursor);
    const isCut = !isWhole && rows.length < limit;
    if (direction === null || rows.length > limit || (isCut && cursor.window !== null))
      return this.#readLostRows(cursor, [], isWhole ? start : undefined);
    if (isCut)
      return this.#readNextPage({ ...cursor, walk: { ...updateTotal(cursor.walk, total), isChecked: true } });
    const left = rowsBeyond(rows, cursor, direction);
    const served = rows.length - left.length;
    const walked = { ...restartWalk(cursor, start, served), direction };
    if (isWhole) return this.#cutWholeList(start, walked, direction);
    return left.length > this.#context.request.first
      ? this.#cutPage(left, walked, total)
      : this.#readNextPage(walked);
  }

  async #readNextPage(cursor: KeysetCursor): Promise<Page> {
    const { reader } = this.#context;
    const { first, count } = this.#context.request;
    const { firstResponse, rows } = await reader.readRows(
      first + 1,
      { from_id: cursor.id },
      keysetStartAfter,
      {
        count: count || this.#isOrderUnconfirmed,
        before: cursor.served,
      },
    );
    const { total, limit } = firstResponse;
    if (firstResponse.rows.length > limit || !(await this.#follows(rows, cursor)))
      return this.#readLostRows(cursor, rows);
    const walk = updateTotal(cursor.walk, total);
    const walked = { ...cursor, walk };
    const served = cursor.served + rows.length;
    const isDone =
      rows.length > first ||
      !this.#isOrderUnconfirmed ||
      (walk.total === null
        ? served >= (this.#known?.length ?? Number.POSITIVE_INFINITY)
        : await isComplete(reader, walk, served));
    return isDone ? this.#cutPage(rows, walked, total) : this.#readLastPage(rows, walked, total);
  }

  /** Whether rows beyond a cursor show no sign that `from_id` loses rows. */
  async #follows(rows: readonly JsonObject[], cursor: KeysetCursor): Promise<boolean> {
    const ids = keysetIdsOf(rows);
    if (ids === null) return false;
    const [head] = ids;
    const direction =
      cursor.direction ?? (head === undefined || head > cursor.id ? 'ascending' : 'descending');
    if (!runsIn([cursor.id, ...ids], direction)) return false;
    if (cursor.next === null || head === cursor.next) return true;
    // The row that was to follow is gone: it is deleted, or the filter passes over it. The list's start shows which.
    const limit = Math.min(UNCOUNTED_CHECK, this.#context.request.list.cap);
    const start = await this.#context.reader.call({ limit });
    const seen = directionOf(start.rows) && keysetIdsOf(start.rows);
    if (seen === null || seen.includes(cursor.next)) return false;
    const follower = seen.find((id) => isBeyond(cursor.id, id, direction));
    return follower === undefined || follower === head;
  }

  /** The end of a walk that may have served fewer rows than the list has: the whole list shows them. */
  async #readLastPage(
    rows: readonly JsonObject[],
    cursor: KeysetCursor | null,
    total: number | null,
  ): Promise<Page> {
    let whole: ListStart;
    try {
      whole = await fetchWholeList(this.#context.reader);
    } catch (error) {
      if (!(error instanceof PaginationUnsupportedError)) throw error;
      return markUnverified(this.#cutPage(rows, cursor, total), cursor?.served ?? 0, total);
    }
    const direction = directionOfList(whole.rows, cursor);
    if (direction !== null) return this.#cutWholeList(whole, cursor, direction);
    if (cursor !== null) return this.#readLostRows(cursor, rows, whole);
    this.#recordOrder('none');
    return readPrefixPage(this.#context, null, whole);
  }

  /** Cuts a page out of the whole list, which is ordered by id. */
  #cutWholeList(whole: ListStart, cursor: KeysetCursor | null, direction: Direction): Page {
    const { rows, total } = whole;
    if (rows.length >= MIN_CONCLUSIVE) this.#recordOrder(direction, rows.length);
    const page = this.#cutPage(rowsBeyond(rows, cursor, direction), cursor, total);
    const isUnverified = !page.hasNextPage && isShort(whole);
    return isUnverified ? markUnverified(page, rows.length - page.rows.length, total) : page;
  }

  /**
   * Continues a walk that turns out to lose rows.
   * @param response The rows beyond the cursor, if they have been read.
   * @param known The whole list, if it has been read.
   */
  async #readLostRows(
    cursor: KeysetCursor,
    response: readonly JsonObject[] = [],
    known?: ListStart,
  ): Promise<Page> {
    if (cursor.window !== null) return readPrefixPage(this.#context, cursor, known);
    const whole = known ?? (await fetchWholeList(this.#context.reader));
    const { id, served, direction } = cursor;
    if (provesLoss(whole.rows, id, response)) this.#recordOrder('none');
    const walked = { until: id, direction: direction ?? 'ascending' };
    return readPrefixPage(this.#context, { id, next: null, served, walked }, whole);
  }

  #recordOrder(order: ListOrder, length = 0): void {
    this.#context.orders.record(this.#context.key, order, length);
  }

  #cutPage(rows: readonly JsonObject[], cursor: KeysetCursor | null, total: number | null): Page {
    return cutKeysetPage(this.#context, rows, cursor ?? startWalk(rows, total), total);
  }
}

/** Returns the direction of a list; null when it has none, or another than the cursor. */
function directionOfList(rows: readonly JsonObject[], cursor: KeysetCursor | null): Direction | null {
  const now = directionOf(rows);
  const before = cursor?.direction ?? null;
  if (now === 'any') return before ?? 'ascending';
  return before === null || now === before ? now : null;
}

/**
 * Whether a whole list, and the response to a call with `from_id`, prove that `from_id` loses rows: the list has no direction,
 * or rows do not lie beyond the id that was sent. The cursor proves nothing, because clients can edit it.
 */
function provesLoss(list: readonly JsonObject[], from: number, response: readonly JsonObject[]): boolean {
  const direction = directionOf(list);
  if (direction === null || direction === 'any') return direction === null;
  const isBeyondFrom = (row: JsonObject) => isBeyond(from, integerIdOf(row) ?? from, direction);
  return list.some((row) => row['id'] === from) && !response.every(isBeyondFrom);
}

/** Rows that lie beyond a cursor in a list that is ordered by id. */
const rowsBeyond = (rows: readonly JsonObject[], cursor: KeysetCursor | null, direction: Direction) =>
  rows.filter((row) => cursor === null || isBeyond(cursor.id, integerIdOf(row) ?? 0, direction));
