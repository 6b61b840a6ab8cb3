// Reads pages by `from_id`, and checks every page for signs that rows are lost (docs/paging.md).
import { PaginationUnsupportedError } from '../../../upstream/errors/request-errors.ts';
import type { JsonObject } from '../../../upstream/reader.ts';
import type { KeysetCursor, RestCursor } from '../cursor.ts';
import { type Direction, directionOf, isBeyond, runs } from '../direction.ts';
import type { KnownOrder, ListOrders } from '../kept/list-orders.ts';
import type { ListStart } from '../kept/recent-rows.ts';
import { type ListAnswer, orderVariant, positionAfter } from '../list-source.ts';
import type { Page, PageReading } from '../page.ts';
import { readPrefixPage } from '../prefix.ts';
import { readRestPage } from '../rest.ts';
import { integerIdsOf, requireIntegerId } from '../row-ids.ts';
import { fetchWholeList } from '../whole-list.ts';
import { type Completeness, checkCompleteness, updateTotal } from './completeness.ts';
import { cutKeysetPage, startOfWalk, type WalkPlace } from './keyset-page.ts';
import { canReread, PROBE_SIZE, readSecondLook, type SecondLook, updatePlace } from './second-look.ts';
import { WindowReader } from './window-reader.ts';

/** A list with fewer rows may run in one direction by chance, so its order is not recorded. */
const MIN_CONCLUSIVE = 10;

/** Reads pages by `from_id` until an answer shows that this loses rows. */
export class KeysetReader {
  readonly #reading: PageReading;
  readonly #orders: ListOrders;
  readonly #variant: string;
  readonly #knownOrder: KnownOrder | undefined;

  constructor(reading: PageReading) {
    const { list, filter } = reading.request;
    this.#reading = reading;
    this.#orders = reading.orders;
    this.#variant = orderVariant(list.action, filter);
    this.#knownOrder = this.#orders.findOrder(list.action.scope, this.#variant, reading.key);
  }

  /** @param cursor The cursor before the page; null for the first page. */
  async readPage(cursor: KeysetCursor | null): Promise<Page> {
    if (this.#knownOrder?.order === 'none') {
      return cursor === null ? readPrefixPage(this.#reading, null) : this.#abandonWalk(cursor);
    }
    if (cursor === null) return this.#readFirstPage();
    if (cursor.window !== null) return new WindowReader(this.#reading).readNextPage(cursor, cursor.window);
    if (this.#needsCheck && this.#knownOrder === undefined) {
      const look = await readSecondLook(this.#reading, cursor);
      if (look !== null) return this.#readSecondPage(cursor, look);
    }
    return this.#readNextPage(cursor);
  }

  /** Whether the order must be checked, because the operator has not declared it. */
  get #needsCheck(): boolean {
    return this.#knownOrder?.isDeclared !== true;
  }

  async #readFirstPage(): Promise<Page> {
    const { first, count, list } = this.#reading.request;
    // If the second look is too expensive, later pages compare their totals with the total of the first page.
    const needsCount =
      count || (this.#needsCheck && (first + 1 > list.cap || !canReread(list, 2 * first + 1)));
    // A long list with a default limit cannot be read completely, so its cursors continue by overlapping windows.
    const mayNeedWindows = list.limitDefault && this.#needsCheck;
    const { head, rows } = await this.#reading.source.readUpTo(
      mayNeedWindows ? Math.min(first + 1, list.cap) : first + 1,
      {},
      positionAfter,
      { count: needsCount, before: 0 },
    );
    const isLimitIgnored = head.rows.length > head.limit;
    if (mayNeedWindows && !isLimitIgnored && (head.total === null || head.total > list.cap)) {
      const page = await new WindowReader(this.#reading).readFirstPage(rows, head.total);
      if (page !== null) return page;
    }
    const ids = integerIdsOf(rows);
    if (isLimitIgnored || ids === null || directionOf(ids) === null) {
      this.#recordNoOrder();
      return readPrefixPage(this.#reading, null, head);
    }
    const mayBeIncomplete = rows.length > head.rows.length || head.rows.length === head.limit;
    const mayHaveLost =
      rows.length <= first && (head.total === null ? mayBeIncomplete : head.total > rows.length);
    return mayHaveLost && this.#needsCheck
      ? this.#readLastPage(rows, null, head.total, 'unknown')
      : this.#cutPage(rows, null, head.total);
  }

  /** Reads a page after a second look. Rows that no longer exist do not count as served. */
  async #readSecondPage(cursor: KeysetCursor, look: SecondLook): Promise<Page> {
    const direction = directionOfList(look.rows, cursor);
    if (direction === null || look.rows.length > look.limit) return this.#abandonWalk(cursor);
    if (look.isWhole) return this.#cutWholeList(look, cursor, direction);
    if (look.rows.length < look.limit)
      return this.#readNextPage({ ...cursor, walk: updateTotal(cursor.walk, look.total) });
    const isServed = (row: JsonObject) => !isBeyond(cursor.id, requireIntegerId(row), direction);
    const served = look.rows.filter(isServed).length;
    const place = { ...updatePlace(look, cursor, served), direction };
    return look.rows.length > served + this.#reading.request.first
      ? this.#cutPage(look.rows.slice(served), place, look.total)
      : this.#readNextPage(place);
  }

  async #readNextPage(cursor: KeysetCursor): Promise<Page> {
    const { first, count } = this.#reading.request;
    const { head, rows } = await this.#reading.source.readUpTo(
      first + 1,
      { from_id: cursor.id },
      positionAfter,
      {
        count: count || this.#needsCheck,
        before: cursor.served,
      },
    );
    if (head.rows.length > head.limit || !(await this.#isConsistent(rows, cursor))) {
      return this.#abandonWalk(cursor, rows);
    }
    const place = { ...cursor, walk: updateTotal(cursor.walk, head.total) };
    if (rows.length > first || !this.#needsCheck) return this.#cutPage(rows, place, head.total);
    const completeness = await this.#checkCompleteness(place, cursor.served + rows.length);
    return completeness === 'complete'
      ? this.#cutPage(rows, place, head.total)
      : this.#readLastPage(rows, place, head.total, completeness);
  }

  /** Checks by the total, or by the length that the list had recently, whether a walk is complete. */
  async #checkCompleteness({ walk }: WalkPlace, served: number): Promise<Completeness> {
    if (walk.total !== null) return checkCompleteness(this.#reading.source, walk, served);
    return this.#knownOrder !== undefined && served >= this.#knownOrder.length ? 'complete' : 'unknown';
  }

  /** Whether the rows after a cursor show no sign of lost rows. */
  async #isConsistent(rows: readonly JsonObject[], cursor: KeysetCursor): Promise<boolean> {
    const ids = integerIdsOf(rows);
    if (ids === null) return false;
    const [firstId] = ids;
    const direction =
      cursor.direction ?? (firstId === undefined || firstId > cursor.id ? 'ascending' : 'descending');
    if (!runs([cursor.id, ...ids], direction)) return false;
    if (cursor.next === null || firstId === cursor.next) return true;
    // The expected next row is missing: it is deleted, or `from_id` skips it. The start of the list shows which.
    const limit = Math.min(PROBE_SIZE, this.#reading.request.list.cap);
    const { rows: probe } = await this.#reading.source.fetch({ limit });
    const probeIds = integerIdsOf(probe);
    if (probeIds === null || directionOf(probeIds) === null || probeIds.includes(cursor.next)) return false;
    const nextId = probeIds.find((id) => isBeyond(cursor.id, id, direction));
    return nextId === undefined || nextId === firstId;
  }

  /** Reads the last page of a walk that may have lost rows, by reading the whole list where that is possible. */
  async #readLastPage(
    rows: readonly JsonObject[],
    place: KeysetCursor | null,
    total: number | null,
    completeness: Completeness,
  ): Promise<Page> {
    let whole: ListStart;
    try {
      whole = await fetchWholeList(this.#reading.source);
    } catch (error) {
      if (completeness === 'lost' || !(error instanceof PaginationUnsupportedError)) throw error;
      const served = (place?.served ?? 0) + rows.length;
      return { ...this.#cutPage(rows, place, total), unverified: { served, total } };
    }
    const direction = directionOfList(whole.rows, place);
    if (direction !== null) return this.#cutWholeList(whole, place, direction);
    if (place !== null) return this.#abandonWalk(place, rows, whole);
    this.#recordNoOrder();
    return readPrefixPage(this.#reading, null, whole);
  }

  /** Cuts a page out of the whole list, which runs by id. */
  #cutWholeList(whole: ListAnswer, cursor: KeysetCursor | null, direction: Direction): Page {
    if (whole.rows.length >= MIN_CONCLUSIVE)
      this.#orders.recordDirection(this.#reading.key, direction, whole.rows.length);
    const isUnserved = (row: JsonObject) =>
      cursor === null || isBeyond(cursor.id, requireIntegerId(row), direction);
    return this.#cutPage(whole.rows.filter(isUnserved), cursor, whole.total);
  }

  /**
   * Continues after a walk that turns out to lose rows: the next pages serve the rest of the list.
   * @param answer The rows after the cursor, if they have been read.
   * @param known The whole list, if it has been read.
   */
  async #abandonWalk(
    cursor: KeysetCursor,
    answer: readonly JsonObject[] = [],
    known?: ListAnswer,
  ): Promise<Page> {
    if (cursor.window !== null) return readPrefixPage(this.#reading, cursor);
    const whole = known ?? (await fetchWholeList(this.#reading.source));
    const listIds = integerIdsOf(whole.rows);
    const answerIds = integerIdsOf(answer);
    if (listIds === null || answerIds === null || provesLoss(listIds, cursor.id, answerIds))
      this.#recordNoOrder();
    const { id, served, direction } = cursor;
    const rest: RestCursor = { kind: 'rest', until: id, direction: direction ?? 'ascending', id, served };
    return readRestPage(this.#reading, rest, whole);
  }

  #recordNoOrder(): void {
    this.#orders.recordNoOrder(this.#reading.request.list.action.scope, this.#variant);
  }

  /** Cuts a page out of the rows after a place; null stands for the start of the list. */
  #cutPage(rows: readonly JsonObject[], place: WalkPlace | null, total: number | null): Page {
    return cutKeysetPage(this.#reading, rows, place ?? startOfWalk(rows, total), total);
  }
}

/** The direction in which the rows of a list run; null when they have none or another direction than the cursor. */
function directionOfList(rows: readonly JsonObject[], cursor: KeysetCursor | null): Direction | null {
  const ids = integerIdsOf(rows);
  const direction = ids === null ? null : directionOf(ids);
  const expected = cursor?.direction ?? null;
  if (direction === 'any') return expected ?? 'ascending';
  return expected === null || direction === expected ? direction : null;
}

/**
 * Whether the server's answers prove that `from_id` loses rows: the whole list runs in no direction, or answered rows do not
 * lie beyond the id that was sent. A cursor proves nothing, because clients can edit it.
 */
function provesLoss(listIds: readonly number[], from: number, answerIds: readonly number[]): boolean {
  const direction = directionOf(listIds);
  if (direction === null || direction === 'any') return direction === null;
  return listIds.includes(from) && answerIds.some((id) => !isBeyond(from, id, direction));
}
