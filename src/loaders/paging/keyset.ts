import type { JsonObject } from '../../upstream/reader.ts';
import type { KeysetCursor, RestCursor } from './cursor.ts';
import { type Direction, directionOf, isBeyond, type ListOrders, provesLoss, runs } from './list-orders.ts';
import {
  behind,
  directionOfRows,
  type Fetched,
  idOf,
  idsOfRows,
  requireId,
  variantOf,
} from './list-source.ts';
import type { Page, PageReading } from './page.ts';
import { readPrefixPage } from './prefix.ts';
import { readRestPage } from './rest.ts';

/** Rows read to see how an unknown list is ordered. */
const PROBE = 1_000;
/** A list shorter than this may run in one direction by chance, so nothing is learnt from it. */
const TELLING = 10;

/** Reads pages by `from_id`, as far as that loses no rows. */
export class KeysetReader {
  readonly #reading: PageReading;
  readonly #orders: ListOrders;
  readonly #variant: string;
  /** The list as this caller sees it. */
  readonly #seen: string;

  constructor(reading: PageReading, orders: ListOrders) {
    const { caller, list, filter } = reading.request;
    this.#reading = reading;
    this.#orders = orders;
    this.#seen = `${caller} ${reading.tag}`;
    this.#variant = variantOf(list.action, filter);
  }

  /** A page by `from_id`, checked for every sign that the server loses rows that way. */
  async page(cursor: KeysetCursor | null): Promise<Page> {
    const { first, count, list } = this.#reading.request;
    const known = this.#orders.get(list.action.scope, this.#variant, this.#seen);
    if (known?.order === 'none')
      return cursor === null ? readPrefixPage(this.#reading, null) : this.#giveUp(cursor);
    if (cursor !== null && known === undefined && !this.#isOrderTold) {
      const page = await this.#probedPage(cursor);
      if (page !== null) return page;
    }
    const isDoubted = known?.isDeclared !== true;
    const isByPlace = cursor !== null || first + 1 > list.cap;
    const { head, rows } = await this.#reading.source.upTo(
      first + 1,
      cursor === null ? {} : { from_id: cursor.id },
      behind,
      count || (isDoubted && isByPlace),
    );
    const isLimitIgnored = head.rows.length > head.limit;
    if (isLimitIgnored || !(await this.#isSound(rows, cursor))) {
      if (isLimitIgnored || cursor === null) this.#learnNone();
      return cursor === null ? readPrefixPage(this.#reading, null, head) : this.#giveUp(cursor, rows);
    }
    const served = (cursor?.served ?? 0) + rows.length;
    const length = head.total ?? (isByPlace ? (known?.length ?? Number.POSITIVE_INFINITY) : 0);
    const mayHaveLost = isDoubted && rows.length <= first && length > served;
    return {
      ...(mayHaveLost ? await this.#lastPage(rows, cursor) : this.#keysetRows(rows, cursor)),
      totalCount: count ? head.total : null,
    };
  }

  /** Whether the end of a walk tells all that a look at the list's start would, or that look was had before. */
  get #isOrderTold(): boolean {
    return this.#reading.request.list.action.metaInput.has('count') || this.#orders.seemsOrdered(this.#seen);
  }

  /** Reads the start of a list of unknown order once. Null when the list goes on and is in order so far. */
  async #probedPage(cursor: KeysetCursor): Promise<Page | null> {
    const limit = Math.min(PROBE, this.#reading.request.list.cap);
    const { rows } = await this.#reading.source.fetch({ limit });
    const direction = directionOfList(rows, cursor);
    if (direction === null) return this.#giveUp(cursor);
    if (rows.length !== limit) return this.#pageOfWhole(rows, cursor, direction);
    this.#orders.learnSeeming(this.#seen);
    return null;
  }

  /** Whether rows that came by `from_id` can be those of a list that is walked without loss. */
  async #isSound(rows: readonly JsonObject[], cursor: KeysetCursor | null): Promise<boolean> {
    const ids = idsOfRows(rows);
    if (ids === null) return false;
    if (cursor === null) return directionOf(ids) !== null;
    const [head] = ids;
    const along = cursor.direction ?? (head === undefined || head > cursor.id ? 'ascending' : 'descending');
    if (!runs([cursor.id, ...ids], along)) return false;
    if (cursor.next === null || head === cursor.next) return true;
    // The row that was to follow is gone: deleted meanwhile, or passed over by the filter. One look tells which.
    const { rows: probe } = await this.#reading.source.fetch({
      limit: Math.min(PROBE, this.#reading.request.list.cap),
    });
    const seen = idsOfRows(probe);
    if (seen === null || directionOf(seen) === null || seen.includes(cursor.next)) return false;
    const follower = seen.find((id) => isBeyond(cursor.id, id, along));
    return follower === undefined || follower === head;
  }

  /** The end of a walk that may have met fewer rows than the list has: a look at the whole list tells. */
  async #lastPage(rows: readonly JsonObject[], cursor: KeysetCursor | null): Promise<Page> {
    const whole = await this.#reading.source.whole();
    const direction = directionOfList(whole.rows, cursor);
    if (direction !== null) return this.#pageOfWhole(whole.rows, cursor, direction);
    if (cursor !== null) return this.#giveUp(cursor, rows, whole);
    this.#learnNone();
    return readPrefixPage(this.#reading, null, { ...whole, limit: Number.POSITIVE_INFINITY });
  }

  /** A page of the whole list, which is in order. */
  #pageOfWhole(whole: readonly JsonObject[], cursor: KeysetCursor | null, direction: Direction): Page {
    if (whole.length >= TELLING) this.#orders.learnDirection(this.#seen, direction, whole.length);
    const isLeft = (row: JsonObject) => cursor === null || isBeyond(cursor.id, requireId(row), direction);
    return this.#keysetRows(whole.filter(isLeft), cursor);
  }

  /**
   * Goes on from a walk by `from_id` that turned out to lose rows.
   * @param answer What came by it, if anything.
   * @param inHand The whole list where it has been read.
   */
  async #giveUp(cursor: KeysetCursor, answer: readonly JsonObject[] = [], inHand?: Fetched): Promise<Page> {
    const whole = inHand ?? (await this.#reading.source.whole());
    const list = idsOfRows(whole.rows);
    const came = idsOfRows(answer);
    if (list === null || came === null || provesLoss(list, cursor.id, came)) this.#learnNone();
    const { id, served, direction } = cursor;
    const rest: RestCursor = { kind: 'rest', until: id, direction: direction ?? 'ascending', id, served };
    return readRestPage(this.#reading, rest, whole);
  }

  #learnNone(): void {
    this.#orders.learnNone(this.#reading.request.list.action.scope, this.#variant);
  }

  /** A page of rows that came by `from_id`, of which one more than the page may be in hand. */
  #keysetRows(rows: readonly JsonObject[], cursor: KeysetCursor | null): Page {
    const direction = cursor?.direction ?? directionOfRows(rows);
    const base = cursor?.served ?? 0;
    const page = this.#reading.cut(rows, 0, (row, position, next) => ({
      kind: 'keyset',
      id: requireId(row),
      next: idOf(next) ?? null,
      served: base + position,
      direction,
    }));
    return { ...page, emulated: false };
  }
}

/** The direction in which the rows of a list run, on from a cursor; null when they run in none, or in the other. */
function directionOfList(rows: readonly JsonObject[], cursor: KeysetCursor | null): Direction | null {
  const ids = idsOfRows(rows);
  const now = ids === null ? null : directionOf(ids);
  const before = cursor?.direction ?? null;
  if (now === 'any') return before ?? 'ascending';
  return before === null || now === before ? now : null;
}
