// Pages of a list that runs strictly by id, read by `from_id`. Every page is checked for signs that rows are lost.
import { PaginationUnsupportedError } from '../../../upstream/errors/request-errors.ts';
import type { JsonObject } from '../../../upstream/reader.ts';
import type { KeysetCursor, RestCursor } from '../cursor.ts';
import { type Direction, directionOf, isBeyond, runs } from '../direction.ts';
import type { KnownOrder, ListOrders } from '../kept/list-orders.ts';
import type { ListStart } from '../kept/recent-rows.ts';
import { type Fetched, placeAfter } from '../list-source.ts';
import { endOfWhole, type Page, type PageReading } from '../page.ts';
import { readPrefixPage } from '../prefix.ts';
import { readRestPage } from '../rest.ts';
import { integerIdsOf, requireIntegerId } from '../row-ids.ts';
import { fetchWholeList } from '../whole-list.ts';
import { advance, isComplete } from './completeness.ts';
import { cutKeysetPage, startOfWalk, type WalkPlace } from './keyset-page.ts';
import { canReread, PROBE, placeIn, readSecondLook, type SecondLook } from './second-look.ts';
import { WindowReader } from './window-reader.ts';

/** A list with fewer rows may run in one direction by chance, so nothing is learned from it. */
const MIN_CONCLUSIVE = 10;

/** Reads pages by `from_id`, as far as that loses no rows. */
export class KeysetReader {
  readonly #reading: PageReading;
  readonly #orders: ListOrders;
  readonly #known: KnownOrder | undefined;

  constructor(reading: PageReading) {
    const { list } = reading.request;
    this.#reading = reading;
    this.#orders = reading.orders;
    this.#known = this.#orders.orderOf(list.action.scope, reading.key);
  }

  async page(cursor: KeysetCursor | null): Promise<Page> {
    if (this.#known?.order === 'none') {
      return cursor === null ? readPrefixPage(this.#reading, null) : this.#giveUp(cursor);
    }
    if (cursor === null) return this.#firstPage();
    if (cursor.window !== null) return new WindowReader(this.#reading).page(cursor, cursor.window);
    if (this.#isDoubted && this.#known === undefined) {
      const look = await readSecondLook(this.#reading, cursor);
      if (look !== null) return this.#secondPage(cursor, look);
    }
    return this.#nextPage(cursor);
  }

  /** The operator has not declared the order, so it is checked. */
  get #isDoubted(): boolean {
    return this.#known?.isDeclared !== true;
  }

  async #firstPage(): Promise<Page> {
    const { source } = this.#reading;
    const { first, count, list } = this.#reading.request;
    // Where the second page cannot be read from the list's start, the total is compared with the first page's.
    const needsCount =
      count || (this.#isDoubted && (first + 1 > list.cap || !canReread(list, 2 * first + 1)));
    // A list with a default limit cannot be read whole where it is long, so its cursors go on by overlapping windows.
    const mayNeedWindows = list.limitDefault && this.#isDoubted;
    const { head, rows } = await source.upTo(
      mayNeedWindows ? Math.min(first + 1, list.cap) : first + 1,
      {},
      placeAfter,
      { count: needsCount, before: 0 },
    );
    const isLimitIgnored = head.rows.length > head.limit;
    source.recordIfCut(head);
    if (mayNeedWindows && !isLimitIgnored && !source.isReadByOneCall(head.total)) {
      const mayGoOn = rows.length <= first && source.goesOn(head, head.total, head.rows.length);
      const page = await new WindowReader(this.#reading).firstPage(rows, head.total, mayGoOn);
      if (page !== null) return page;
    }
    const ids = integerIdsOf(rows);
    if (isLimitIgnored || ids === null || directionOf(ids) === null) {
      this.#learnNone();
      return readPrefixPage(this.#reading, null, head);
    }
    const isInPieces = rows.length > head.rows.length || head.rows.length === head.limit;
    const mayHaveLost = rows.length <= first && (head.total === null ? isInPieces : head.total > rows.length);
    return mayHaveLost && this.#isDoubted
      ? this.#lastPage(rows, null, head.total)
      : this.#cut(rows, null, head.total);
  }

  /** A page whose list has been read from its start: the rows served so far are those that are still there. */
  async #secondPage(cursor: KeysetCursor, look: SecondLook): Promise<Page> {
    const direction = directionOfList(look.rows, cursor);
    if (direction === null || look.rows.length > look.limit) return this.#giveUp(cursor);
    if (!look.isWhole && look.rows.length < look.limit)
      return this.#nextPage({ ...cursor, walk: advance(cursor.walk, look.total) });
    const isServed = (row: JsonObject) => !isBeyond(cursor.id, requireIntegerId(row), direction);
    const served = look.rows.filter(isServed).length;
    const place = { ...placeIn(look, cursor, served), direction };
    if (look.isWhole) return this.#pageOfWhole(look, place, direction);
    return look.rows.length > served + this.#reading.request.first
      ? this.#cut(look.rows.slice(served), place, look.total)
      : this.#nextPage(place);
  }

  async #nextPage(cursor: KeysetCursor): Promise<Page> {
    const { first, count } = this.#reading.request;
    const { head, rows } = await this.#reading.source.upTo(first + 1, { from_id: cursor.id }, placeAfter, {
      count: count || this.#isDoubted,
      before: cursor.served,
    });
    if (head.rows.length > head.limit || !(await this.#isSound(rows, cursor))) {
      return this.#giveUp(cursor, rows);
    }
    const place = { ...cursor, walk: advance(cursor.walk, head.total) };
    if (rows.length > first || !this.#isDoubted) return this.#cut(rows, place, head.total);
    return (await this.#isComplete(place, cursor.served + rows.length))
      ? this.#cut(rows, place, head.total)
      : this.#lastPage(rows, place, head.total);
  }

  /** Whether the total, or the length that the list had recently, proves a walk complete. */
  async #isComplete({ walk }: WalkPlace, served: number): Promise<boolean> {
    if (walk.total !== null) return isComplete(this.#reading.source, walk, served);
    return this.#known !== undefined && served >= this.#known.length;
  }

  /** Whether rows beyond a cursor can be those of a list that is walked without loss. */
  async #isSound(rows: readonly JsonObject[], cursor: KeysetCursor): Promise<boolean> {
    const ids = integerIdsOf(rows);
    if (ids === null) return false;
    const [head] = ids;
    const along = cursor.direction ?? (head === undefined || head > cursor.id ? 'ascending' : 'descending');
    if (!runs([cursor.id, ...ids], along)) return false;
    if (cursor.next === null || head === cursor.next) return true;
    // The row that was to follow is gone: it is deleted, or the filter passes over it. One look shows which.
    const limit = Math.min(PROBE, this.#reading.request.list.cap);
    const { rows: probe } = await this.#reading.source.fetch({ limit });
    const seen = integerIdsOf(probe);
    if (seen === null || directionOf(seen) === null || seen.includes(cursor.next)) return false;
    const follower = seen.find((id) => isBeyond(cursor.id, id, along));
    return follower === undefined || follower === head;
  }

  /** The end of a walk that may have served fewer rows than the list has: a look at the whole list shows them. */
  async #lastPage(
    rows: readonly JsonObject[],
    place: KeysetCursor | null,
    total: number | null,
  ): Promise<Page> {
    let whole: ListStart;
    try {
      whole = await fetchWholeList(this.#reading.source);
    } catch (error) {
      if (!(error instanceof PaginationUnsupportedError)) throw error;
      const served = (place?.served ?? 0) + rows.length;
      return { ...this.#cut(rows, place, total), unverified: { served, total } };
    }
    const direction = directionOfList(whole.rows, place);
    if (direction !== null) return this.#pageOfWhole(whole, place, direction);
    if (place !== null) return this.#giveUp(place, rows, whole);
    this.#learnNone();
    return readPrefixPage(this.#reading, null, whole);
  }

  /** A page of the whole list, which runs by id. */
  #pageOfWhole(whole: Fetched, cursor: KeysetCursor | null, direction: Direction): Page {
    if (whole.rows.length >= MIN_CONCLUSIVE)
      this.#orders.learnDirection(this.#reading.key, direction, whole.rows.length);
    const isLeft = (row: JsonObject) =>
      cursor === null || isBeyond(cursor.id, requireIntegerId(row), direction);
    return endOfWhole(this.#cut(whole.rows.filter(isLeft), cursor, whole.total), whole);
  }

  /**
   * Goes on from a walk that turns out to lose rows.
   * @param answer The rows beyond the cursor, where they have been read.
   * @param inHand The whole list, where it has been read.
   */
  async #giveUp(cursor: KeysetCursor, answer: readonly JsonObject[] = [], inHand?: Fetched): Promise<Page> {
    if (cursor.window !== null) return readPrefixPage(this.#reading, cursor);
    const whole = inHand ?? (await fetchWholeList(this.#reading.source));
    const list = integerIdsOf(whole.rows);
    const ids = integerIdsOf(answer);
    if (list === null || ids === null || provesLoss(list, cursor.id, ids)) this.#learnNone();
    const { id, served, direction } = cursor;
    const rest: RestCursor = {
      kind: 'rest',
      until: id,
      direction: direction ?? 'ascending',
      id,
      next: null,
      served,
    };
    return readRestPage(this.#reading, rest, whole);
  }

  #learnNone(): void {
    this.#orders.learnNone(this.#reading.key);
  }

  /** Cuts a page out of the rows beyond a place. */
  #cut(rows: readonly JsonObject[], place: WalkPlace | null, total: number | null): Page {
    return cutKeysetPage(this.#reading, rows, place ?? startOfWalk(rows, total), total);
  }
}

/** The direction in which the rows of a list run; null when they run in none, or in another than the cursor's. */
function directionOfList(rows: readonly JsonObject[], cursor: KeysetCursor | null): Direction | null {
  const ids = integerIdsOf(rows);
  const now = ids === null ? null : directionOf(ids);
  const before = cursor?.direction ?? null;
  if (now === 'any') return before ?? 'ascending';
  return before === null || now === before ? now : null;
}

/**
 * Whether a whole list, and the rows that `from_id` answers of it, prove that `from_id` loses rows: the list runs in no
 * direction, or rows do not lie beyond the id that was sent. Only the server's rows count: anybody can edit a cursor.
 */
function provesLoss(list: readonly number[], from: number, answer: readonly number[]): boolean {
  const direction = directionOf(list);
  if (direction === null || direction === 'any') return direction === null;
  return list.includes(from) && answer.some((id) => !isBeyond(from, id, direction));
}
