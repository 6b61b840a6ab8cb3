import type { JsonObject } from '../upstream/reader.ts';
import type { KeysetCursor, RestCursor } from './cursor.ts';
import {
  contradicts,
  directionOf,
  isBeyond,
  type ListOrders,
  provesLoss,
  runs,
  servedFirst,
} from './list-order.ts';
import type { Page, PageReading } from './list-page.ts';
import { readPrefixPage } from './list-prefix.ts';
import { readRestPage } from './list-rest.ts';
import { behind, directionOfRows, idOf, idsOfRows, requireId, variantOf } from './list-source.ts';

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
    const ids = idsOfRows(rows);
    const direction = ids === null ? null : directionOf(ids);
    if (direction === null || contradicts(direction, cursor.direction)) return this.#giveUp(cursor);
    if (rows.length === limit) {
      this.#orders.learnSeeming(this.#seen);
      return null;
    }
    if (direction !== 'any' && rows.length >= TELLING)
      this.#orders.learnDirection(this.#seen, direction, rows.length);
    const along = direction === 'any' ? (cursor.direction ?? 'ascending') : direction;
    return this.#keysetRows(
      rows.filter((row) => isBeyond(cursor.id, requireId(row), along)),
      cursor,
    );
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

  /** The end of a walk that may have met fewer rows than the list has: those it lost follow. */
  async #lastPage(rows: readonly JsonObject[], cursor: KeysetCursor | null): Promise<Page> {
    const until = idOf(rows.at(-1)) ?? cursor?.id ?? 0;
    const direction = cursor?.direction ?? directionOfRows(rows) ?? 'ascending';
    const { rows: whole } = await this.#reading.source.whole();
    const { lost } = servedFirst(whole, requireId, until, direction);
    if (runs(whole.map(requireId), direction)) {
      if (whole.length >= TELLING) this.#orders.learnDirection(this.#seen, direction, whole.length);
      return this.#keysetRows([...rows, ...lost], cursor);
    }
    this.#learnFrom(whole, cursor, rows);
    const base = cursor?.served ?? 0;
    const page = this.#reading.cut([...rows, ...lost], 0, (row, position, next) =>
      position < rows.length
        ? {
            kind: 'keyset',
            id: requireId(row),
            next: idOf(next) ?? null,
            served: base + position,
            direction,
          }
        : { kind: 'rest', until, direction, id: requireId(row), served: base + position },
    );
    return { ...page, emulated: true };
  }

  /** Goes on from a walk by `from_id` that turned out to lose rows. `answer`: what came by it, if anything. */
  async #giveUp(cursor: KeysetCursor, answer: readonly JsonObject[] = []): Promise<Page> {
    const whole = await this.#reading.source.whole();
    this.#learnFrom(whole.rows, cursor, answer);
    const { id, served, direction } = cursor;
    const rest: RestCursor = { kind: 'rest', until: id, direction: direction ?? 'ascending', id, served };
    return readRestPage(this.#reading, rest, whole);
  }

  #learnFrom(whole: readonly JsonObject[], cursor: KeysetCursor | null, answer: readonly JsonObject[]): void {
    const list = idsOfRows(whole);
    const came = cursor === null ? [] : idsOfRows(answer);
    if (list === null || came === null || provesLoss(list, cursor?.id ?? 0, came)) this.#learnNone();
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
