import { InvalidInputError } from '../upstream/errors.ts';
import type { JsonObject } from '../upstream/reader.ts';
import { type Cursor, decodeCursor, listTag } from './cursor.ts';
import {
  contradicts,
  directionOf,
  isBeyond,
  type ListOrder,
  type ListOrders,
  runs,
  servedFirst,
} from './list-order.ts';
import { type CursorOf, cutPage, type Page, type PageRequest } from './list-page.ts';
import {
  behind,
  directionOfRows,
  type Fetched,
  idOf,
  idsOfRows,
  ListSource,
  LONGEST_EMULATED_LIST,
  requireId,
  variantOf,
} from './list-source.ts';
import type { Read } from './operation.ts';

/** Rows read to see how an unknown list is ordered. */
const PROBE = 1_000;
/** A list shorter than this may run in one direction by chance, so nothing is learnt from it. */
const TELLING = 10;

type KeysetCursor = Extract<Cursor, { kind: 'keyset' }>;
type PrefixCursor = Extract<Cursor, { kind: 'prefix' }>;
type RestCursor = Extract<Cursor, { kind: 'rest' }>;

/**
 * Reads one page. Walking a list page by page meets each of its rows exactly once, however the upstream orders it.
 * @throws InvalidInputError for a cursor that is not this list's, PaginationUnsupportedError for a list that cannot be
 *   walked without loss and is too long to be read whole.
 */
export async function readPage(request: PageRequest, read: Read, orders: ListOrders): Promise<Page> {
  return new PageReader(request, read, orders).page();
}

class PageReader {
  readonly #request: PageRequest;
  readonly #source: ListSource;
  readonly #orders: ListOrders;
  readonly #tag: string;
  readonly #variant: string;
  /** The list as this caller sees it. */
  readonly #seen: string;

  constructor(request: PageRequest, read: Read, orders: ListOrders) {
    const { action } = request.list;
    this.#request = request;
    this.#source = new ListSource(request, read);
    this.#orders = orders;
    this.#tag = listTag(action.scope, request.path, request.filter);
    this.#seen = `${request.caller} ${this.#tag}`;
    this.#variant = variantOf(action, request.filter);
  }

  async page(): Promise<Page> {
    const { after, list } = this.#request;
    const cursor = after === null ? null : decodeCursor(this.#tag, after);
    const order = this.#orders.get(list.action.scope, this.#variant, this.#seen);
    if (list.paging === 'offset' && (cursor === null || cursor.kind === 'offset'))
      return this.#offsetPage(cursor?.served ?? 0);
    switch (cursor?.kind) {
      case 'rest':
        return this.#restPage(cursor);
      case 'prefix':
        return this.#prefixPage(cursor);
      case 'keyset':
        return order === 'none' ? this.#giveUp(cursor) : this.#keysetPage(cursor, order);
      case 'offset':
        throw new InvalidInputError(
          '"after" was made when this list paged otherwise; start again without it.',
        );
      case undefined:
        return list.paging === 'keyset' && order !== 'none'
          ? this.#keysetPage(null, order)
          : this.#prefixPage(null);
    }
  }

  /** A page by `from_id`, checked for every sign that the server loses rows that way. */
  async #keysetPage(cursor: KeysetCursor | null, order: ListOrder | undefined): Promise<Page> {
    const { first, count, list } = this.#request;
    const unproven = order === undefined && (cursor !== null || first + 1 > list.cap);
    if (cursor !== null && unproven && !this.#isOrderTold) {
      const page = await this.#probedPage(cursor);
      if (page !== null) return page;
    }
    const { head, rows } = await this.#source.upTo(
      first + 1,
      cursor === null ? {} : { from_id: cursor.id },
      behind,
      count || unproven,
    );
    if (head.rows.length > head.limit || !(await this.#isSound(rows, cursor))) {
      this.#learnNone();
      return cursor === null ? this.#prefixPage(null, head) : this.#giveUp(cursor);
    }
    const served = (cursor?.served ?? 0) + rows.length;
    const mayHaveLost = unproven && rows.length <= first && (head.total === null || head.total > served);
    return {
      ...(mayHaveLost
        ? await this.#lastPage(rows, cursor, head.total !== null)
        : this.#keysetRows(rows, cursor)),
      totalCount: count ? head.total : null,
    };
  }

  /** Whether the end of a walk tells all that a look at the list's start would, or that look was had before. */
  get #isOrderTold(): boolean {
    return this.#request.list.action.metaInput.has('count') || this.#orders.seemsOrdered(this.#seen);
  }

  /** Reads the start of a list of unknown order once. Null when the list goes on and is in order so far. */
  async #probedPage(cursor: KeysetCursor): Promise<Page | null> {
    const limit = Math.min(PROBE, this.#request.list.cap);
    const { rows } = await this.#source.fetch({ limit });
    const ids = idsOfRows(rows);
    const direction = ids === null ? null : directionOf(ids);
    if (direction === null || contradicts(direction, cursor.direction)) return this.#giveUp(cursor);
    if (rows.length === limit) {
      this.#orders.learnSeeming(this.#seen);
      return null;
    }
    if (direction !== 'any' && rows.length >= TELLING) this.#orders.learnDirection(this.#seen, direction);
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
    const { rows: probe } = await this.#source.fetch({ limit: Math.min(PROBE, this.#request.list.cap) });
    const seen = idsOfRows(probe);
    if (seen === null || directionOf(seen) === null || seen.includes(cursor.next)) return false;
    const follower = seen.find((id) => isBeyond(cursor.id, id, along));
    return follower === undefined || follower === head;
  }

  /** The end of a walk that may have met fewer rows than the list has: those it lost follow. */
  async #lastPage(rows: readonly JsonObject[], cursor: KeysetCursor | null, isShort: boolean): Promise<Page> {
    const until = idOf(rows.at(-1)) ?? cursor?.id ?? 0;
    const direction = cursor?.direction ?? directionOfRows(rows) ?? 'ascending';
    const whole = isShort ? (await this.#source.whole()).rows : await this.#source.wholeIfFeasible();
    // A list too long to be looked at that ran in one direction, page after page, is taken for what it seems.
    if (whole === null) return this.#keysetRows(rows, cursor);
    const { lost } = servedFirst(whole, requireId, until, direction);
    if (runs(whole.map(requireId), direction)) {
      if (whole.length >= TELLING) this.#orders.learnDirection(this.#seen, direction);
      return this.#keysetRows([...rows, ...lost], cursor);
    }
    this.#learnNone();
    const base = cursor?.served ?? 0;
    const page = this.#window([...rows, ...lost], 0, (row, position) =>
      position < rows.length
        ? {
            kind: 'keyset',
            id: requireId(row),
            next: idOf(rows[position]) ?? null,
            served: base + position,
            direction,
          }
        : { kind: 'rest', until, direction, id: requireId(row), served: base + position },
    );
    return { ...page, emulated: true };
  }

  /** Goes on from a walk by `from_id` that turned out to lose rows. */
  #giveUp(cursor: KeysetCursor): Promise<Page> {
    this.#learnNone();
    const { id, served } = cursor;
    return this.#restPage({
      kind: 'rest',
      until: id,
      direction: cursor.direction ?? 'ascending',
      id,
      served,
    });
  }

  async #restPage(cursor: RestCursor): Promise<Page> {
    const { count } = this.#request;
    const whole = await this.#source.whole(count);
    const { served, lost } = servedFirst(whole.rows, requireId, cursor.until, cursor.direction);
    const rows = [...served, ...lost];
    const at = rows.findIndex((row) => idOf(row) === cursor.id);
    // Where the cursor's row is gone, the next one has moved into its place.
    const start = at === -1 ? Math.max(served.length, cursor.served - 1) : at + 1;
    const page = this.#window(rows, start, (row, position) => ({
      ...cursor,
      id: requireId(row),
      served: position,
    }));
    return { ...page, totalCount: count ? whole.total : null };
  }

  /** A page of a list that is read from its start up to the page wanted. `inHand`: what a first call has brought. */
  async #prefixPage(
    cursor: PrefixCursor | null,
    inHand?: Fetched & { readonly limit: number },
  ): Promise<Page> {
    const { first, count, list } = this.#request;
    const longest = Math.min(list.cap, LONGEST_EMULATED_LIST);
    const before = cursor?.served ?? 0;
    let need = before + first + 1;
    let hand = inHand;
    for (;;) {
      const isWhole = hand === undefined && (!list.limited || need > longest);
      const fetched =
        hand ??
        (isWhole ? await this.#source.whole(count) : await this.#source.fetch({ limit: need }, count));
      const { rows } = fetched;
      const isComplete = isWhole || rows.length !== (hand?.limit ?? need);
      const at = cursor === null ? -1 : positionOf(rows, cursor);
      if (isComplete || (at !== null && rows.length > at + 1 + first)) {
        const start = at === null ? before - 1 : at + 1;
        const page = this.#window(rows, start, (row, served) => ({
          kind: 'prefix',
          id: plainId(row),
          served,
        }));
        return { ...page, totalCount: count ? fetched.total : null };
      }
      // Rows were added before the cursor's, or it was deleted: read further, or all.
      need = at === null ? Number.POSITIVE_INFINITY : at + 1 + first + 1;
      hand = undefined;
    }
  }

  async #offsetPage(offset: number): Promise<Page> {
    const { first, count } = this.#request;
    const { head, rows } = await this.#source.upTo(
      first + 1,
      offset > 0 ? { offset } : {},
      (got) => ({ offset: offset + got.length }),
      count,
    );
    // Who ignores the limit may ignore the offset too.
    if (head.rows.length > head.limit) {
      return offset === 0
        ? this.#prefixPage(null, head)
        : this.#prefixPage({ kind: 'prefix', id: null, served: offset });
    }
    const page = this.#window(rows, 0, (_row, position) => ({ kind: 'offset', served: offset + position }));
    return { ...page, totalCount: count ? head.total : null, emulated: false };
  }

  #learnNone(): void {
    this.#orders.learnNone(this.#request.list.action.scope, this.#variant);
  }

  /** A page of rows that came by `from_id`, of which one more than the page may be in hand. */
  #keysetRows(rows: readonly JsonObject[], cursor: KeysetCursor | null): Page {
    const direction = cursor?.direction ?? directionOfRows(rows);
    const base = cursor?.served ?? 0;
    const page = this.#window(rows, 0, (row, position) => ({
      kind: 'keyset',
      id: requireId(row),
      next: idOf(rows[position]) ?? null,
      served: base + position,
      direction,
    }));
    return { ...page, emulated: false };
  }

  #window(rows: readonly JsonObject[], start: number, cursorOf: CursorOf): Page {
    return cutPage(rows, start, this.#request.first, this.#tag, cursorOf);
  }
}

/** Index of the cursor's row; null when it is not among the rows. Rows without ids are known by their place only. */
function positionOf(rows: readonly JsonObject[], cursor: PrefixCursor): number | null {
  if (cursor.id === null) return cursor.served - 1;
  const at = rows.findIndex((row) => row['id'] === cursor.id);
  return at === -1 ? null : at;
}

function plainId(row: JsonObject): number | string | null {
  const id = row['id'];
  return typeof id === 'number' || typeof id === 'string' ? id : null;
}
