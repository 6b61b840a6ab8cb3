// Reads pages of a list that runs strictly by id, by `from_id`. Every page is checked for signs that rows are lost.
import { PaginationUnsupportedError } from '../../../upstream/errors/request-errors.ts';
import type { JsonObject } from '../../../upstream/reader.ts';
import type { KeysetCursor } from '../cursor.ts';
import type { ListOrder } from '../kept/list-orders.ts';
import { isShort, type ListStart } from '../list.ts';
import { keysetStartAfter } from '../list-reader.ts';
import { markUnverified, type Page, type PageContext } from '../page.ts';
import { readPrefixPage } from '../prefix-page.ts';
import { type Direction, directionOf, integerIdOf, isBeyond, keysetIdsOf, runsIn } from '../row-ids.ts';
import { fetchWholeList } from '../whole-list.ts';
import { isComplete, updateTotal } from './completeness.ts';
import { cutKeysetPage, restartWalk, startWalk } from './keyset-page.ts';
import { canReadAgain, checkOrder, UNCOUNTED_CHECK } from './order-check.ts';
import { WindowReader } from './window-reader.ts';

/** A list with fewer rows may run in one direction by chance, so nothing is learned from it. */
const MIN_CONCLUSIVE = 10;

/** Reads pages by `from_id`, as far as that loses no rows. */
export class KeysetReader {
  readonly #context: PageContext;
  readonly #declared: ListOrder | undefined;
  /** The length of the list when it was last seen to run by id. */
  readonly #orderedLength: number | undefined;

  constructor(context: PageContext) {
    this.#context = context;
    this.#declared = context.orders.declaredOrder(context.request.list.action.scope);
    this.#orderedLength = context.orders.orderedLength(context.key);
  }

  async readPage(cursor: KeysetCursor | null): Promise<Page> {
    if (this.#declared === 'none')
      return cursor === null ? readPrefixPage(this.#context, null) : this.#readLostRows(cursor);
    if (cursor === null) return this.#readFirstPage();
    const { window } = cursor;
    const isKnown = window === null && (this.#declared ?? this.#orderedLength) !== undefined;
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
    const isDoubted = this.#declared === undefined;
    // Where the second page cannot be read from the list's start, the total is compared with the first page's.
    const needsCount = isDoubted && (first + 1 > list.cap || !canReadAgain(list, 2 * first + 1));
    // A list with a default limit cannot be read whole where it is long, so its cursors go on by overlapping windows.
    const mayNeedWindows = list.limitDefault && isDoubted;
    const wanted = mayNeedWindows ? Math.min(first + 1, list.cap) : first + 1;
    const { firstAnswer, rows } = await reader.readRows(wanted, {}, keysetStartAfter, {
      count: count || needsCount,
      before: 0,
    });
    const { total, limit } = firstAnswer;
    const isLimitIgnored = firstAnswer.rows.length > limit;
    if (mayNeedWindows && !isLimitIgnored && !reader.isReadByOneCall(total)) {
      const mayGoOn = rows.length <= first && reader.mayGoOn(firstAnswer, total, firstAnswer.rows.length);
      const page = await new WindowReader(this.#context).readFirstPage(rows, total, mayGoOn);
      if (page !== null) return page;
    }
    const ids = keysetIdsOf(rows);
    if (isLimitIgnored || ids === null || directionOf(ids) === null)
      return readPrefixPage(this.#context, null, await reader.keep(async () => firstAnswer));
    const isInPieces = rows.length > firstAnswer.rows.length || firstAnswer.rows.length === limit;
    const mayHaveLost = rows.length <= first && (total === null ? isInPieces : total > rows.length);
    return mayHaveLost && isDoubted
      ? this.#readLastPage(rows, null, total)
      : this.#cutPage(rows, null, total);
  }

  /** Whether one call can read a list, as far as its start shows. */
  #isReadByOneCall(start: ListStart): boolean {
    const { reader } = this.#context;
    if (start.isWhole || start.total !== null) return start.isWhole || reader.isReadByOneCall(start.total);
    return start.rows.length < start.limit && !reader.isCut(start);
  }

  /** A page of a list that has been read from its start: the rows served so far are those that are still there. */
  async #readSecondPage(cursor: KeysetCursor, start: ListStart): Promise<Page> {
    const { rows, total, limit, isWhole } = start;
    const direction = directionOfList(rows, cursor);
    if (direction === null || rows.length > limit)
      return this.#readLostRows(cursor, isWhole ? start : undefined);
    if (!isWhole && rows.length < limit)
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
    const isDoubted = this.#declared === undefined;
    const { firstAnswer, rows } = await reader.readRows(first + 1, { from_id: cursor.id }, keysetStartAfter, {
      count: count || isDoubted,
      before: cursor.served,
    });
    const { total, limit } = firstAnswer;
    if (firstAnswer.rows.length > limit || !(await this.#follows(rows, cursor)))
      return this.#readLostRows(cursor);
    const walk = updateTotal(cursor.walk, total);
    const walked = { ...cursor, walk };
    const served = cursor.served + rows.length;
    const isDone =
      rows.length > first ||
      !isDoubted ||
      (walk.total === null
        ? served >= (this.#orderedLength ?? Number.POSITIVE_INFINITY)
        : await isComplete(reader, walk, served));
    return isDone ? this.#cutPage(rows, walked, total) : this.#readLastPage(rows, walked, total);
  }

  /** Whether rows beyond a cursor can be those of a list that is walked without loss. */
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
    const seen = keysetIdsOf((await this.#context.reader.call({ limit })).rows);
    if (seen === null || directionOf(seen) === null || seen.includes(cursor.next)) return false;
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
    return cursor === null ? readPrefixPage(this.#context, null, whole) : this.#readLostRows(cursor, whole);
  }

  /** Cuts a page out of the whole list, which runs by id. */
  #cutWholeList(whole: ListStart, cursor: KeysetCursor | null, direction: Direction): Page {
    const { rows, total } = whole;
    const { orders, key } = this.#context;
    if (rows.length >= MIN_CONCLUSIVE) orders.recordOrderedLength(key, rows.length);
    const page = this.#cutPage(rowsBeyond(rows, cursor, direction), cursor, total);
    const isUnverified = !page.hasNextPage && isShort(whole);
    return isUnverified ? markUnverified(page, rows.length - page.rows.length, total) : page;
  }

  /** Goes on from a walk that turns out to lose rows. @param known The whole list, where it has been read. */
  async #readLostRows(cursor: KeysetCursor, known?: ListStart): Promise<Page> {
    if (cursor.window !== null) return readPrefixPage(this.#context, cursor, known);
    const { id, served, direction } = cursor;
    const walked = { until: id, direction: direction ?? 'ascending' };
    const whole = known ?? (await fetchWholeList(this.#context.reader));
    return readPrefixPage(this.#context, { id, next: null, served, walked }, whole);
  }

  #cutPage(rows: readonly JsonObject[], cursor: KeysetCursor | null, total: number | null): Page {
    return cutKeysetPage(this.#context, rows, cursor ?? startWalk(rows, total), total);
  }
}

/** The direction in which the rows of a list run; null when they run in none, or in another than the cursor's. */
function directionOfList(rows: readonly JsonObject[], cursor: KeysetCursor | null): Direction | null {
  const ids = keysetIdsOf(rows);
  const now = ids === null ? null : directionOf(ids);
  const before = cursor?.direction ?? null;
  if (now === 'any') return before ?? 'ascending';
  return before === null || now === before ? now : null;
}

/** Rows that lie beyond a cursor in a list that runs by id. */
const rowsBeyond = (rows: readonly JsonObject[], cursor: KeysetCursor | null, direction: Direction) =>
  rows.filter((row) => cursor === null || isBeyond(cursor.id, integerIdOf(row) ?? 0, direction));
