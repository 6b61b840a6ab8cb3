// Defines a page of a list, and how it is cut out of the rows that were read.
import type { JsonObject } from '../../upstream/json.ts';
import type { Read } from '../operation-calls.ts';
import { type Cursor, encodeCursor, listTag, MAX_IDS_LENGTH, positionAt, type Walk } from './cursor.ts';
import type { ResponseSizes } from './list.ts';
import { ListReader, type PageRequest } from './list.ts';
import { fromIdBefore, isAfter, overlapOf } from './row-order.ts';
import type { ServedIds } from './served-ids.ts';
import type { RowGap } from './unreadable-rows.ts';
import type { Block } from './whole-list.ts';

/** The end of a walk that may have missed rows, because others changed the list during the walk or the list offers no count. */
export interface UnverifiedEnd {
  /** Number of rows that the walk has served. */
  readonly served: number;
  /** The list's total; null if the API does not offer it. */
  readonly total: number | null;
}

/** A row of a page. Its cursor is written when it is read, because most clients select no cursors but the last. */
class PageRow {
  readonly row: JsonObject;
  readonly #writeCursor: (row: JsonObject, index: number) => string;
  readonly #index: number;

  constructor(row: JsonObject, index: number, writeCursor: (row: JsonObject, index: number) => string) {
    this.row = row;
    this.#index = index;
    this.#writeCursor = writeCursor;
  }

  get cursor(): string {
    return this.#writeCursor(this.row, this.#index);
  }
}

/** A page that was read. */
export interface Page {
  readonly rows: readonly PageRow[];
  readonly hasNextPage: boolean;
  /** Null when it was not requested, or the upstream does not offer it. */
  readonly totalCount: number | null;
  /** Whether more than the page was read, because the API cannot page this list without losing rows or ignores the limit. */
  readonly isEmulated: boolean;
  /** Set if the walk up to this page cannot be proven complete. In most cases, this is the last page. */
  readonly unverified: UnverifiedEnd | null;
  /** Rows that cannot be read, before the end of the page. */
  readonly gaps: readonly RowGap[];
}

/** Marks a page before or after which rows may be missing. */
export const markUnverified = (page: Page, servedBefore: number, total: number | null): Page => ({
  ...page,
  unverified: { served: servedBefore + page.rows.length, total },
});

/** Makes the cursor of a row. `index` is its index in the rows that were read. */
export type CursorAt = (row: JsonObject, index: number) => Cursor;

/** What is known of a page besides its rows. */
interface PageFacts {
  readonly total: number | null;
  readonly isEmulated: boolean;
  /** Default: none. */
  readonly gaps?: readonly RowGap[] | undefined;
}

/** What every way of reading a page needs: the request, and the reader of the list. */
export class PageContext {
  readonly request: PageRequest;
  readonly reader: ListReader;
  #tag: string | undefined;

  constructor(request: PageRequest, read: Read, sizes: ResponseSizes) {
    this.request = request;
    this.reader = new ListReader(request, read, sizes);
  }

  /** Fingerprint of the list. Its cursors contain it. */
  get tag(): string {
    const { list, path, filter } = this.request;
    this.#tag ??= listTag(list.action.scope, path, filter);
    return this.#tag;
  }

  /** Cuts the page that begins at index `start` out of the rows that were read. */
  cutPage(
    rows: readonly JsonObject[],
    start: number,
    cursorAt: CursorAt,
    { total, isEmulated, gaps = [] }: PageFacts,
  ): Page {
    const end = start + this.request.first;
    const hasNextPage = rows.length > end;
    const writeCursor = (row: JsonObject, index: number): string =>
      encodeCursor(this.tag, cursorAt(row, index));
    return {
      rows: rows.slice(start, end).map((row, index) => new PageRow(row, start + index, writeCursor)),
      hasNextPage,
      totalCount: this.request.count ? total : null,
      isEmulated,
      unverified: null,
      gaps,
    };
  }
}

/** Maximum number of ranges of served ids in the cursor of a list that is read by `from_id` or `offset`. */
const MAX_RANGES = 4_000;

/** The rows of a block that a walk has not served. */
export interface Unserved {
  /** The walk up to these rows, as far as the block corrects it. */
  readonly walk: Walk;
  readonly block: Block;
  /** The indexes of the rows in the block. */
  readonly indexes: readonly number[];
  /** The keys of all rows of the block. */
  readonly keys: readonly number[];
}

/** Cuts the page that begins at the first unserved row. */
export function cutPage(context: PageContext, unserved: Unserved): Page {
  const { list, first } = context.request;
  const { walk, block, indexes } = unserved;
  const rows = indexes.map((index) => block.rows[index] ?? {});
  const cursors = new WalkCursors(context, unserved, rows);
  const isReadWhole =
    walk.trust === 'none' || (walk.trust === 'ties' && list.paging === 'keyset' && block.isWhole);
  const gaps =
    indexes.length > first ? gapsBefore(block, unserved.keys[indexes[first - 1] ?? -1], walk) : block.gaps;
  return context.cutPage(rows, 0, (row, index) => cursors.cursorAt(row, index), {
    total: block.total,
    gaps,
    isEmulated:
      block.from === null && (walk.served > 0 ? isReadWhole : block.isWhole && block.rows.length > first + 1),
  });
}

/** The gaps of a block before the last row of a page. */
function gapsBefore({ gaps = [] }: Block, last: number | undefined, { direction }: Walk): readonly RowGap[] {
  return last === undefined ? [] : gaps.filter(({ after }) => isAfter(last, after, direction ?? 'ascending'));
}

/** Makes the cursors of one page. */
class WalkCursors {
  readonly #context: PageContext;
  readonly #unserved: Unserved;
  readonly #rows: readonly JsonObject[];
  /** Keys of the unserved rows. */
  readonly #keys: readonly number[];
  /** The ids that are served after a row. Most clients select the cursors of no row but the last, or of each row in turn. */
  #latest: { readonly index: number; readonly ids: ServedIds };

  constructor(context: PageContext, unserved: Unserved, rows: readonly JsonObject[]) {
    this.#context = context;
    this.#unserved = unserved;
    this.#rows = rows;
    this.#keys = unserved.indexes.map((index) => unserved.keys[index] ?? 0);
    this.#latest = { index: -1, ids: unserved.walk.ids };
  }

  cursorAt(row: JsonObject, index: number): Cursor {
    const { walk, block } = this.#unserved;
    const served = walk.served + index + 1;
    const exact = this.#idsAt(index);
    const from = this.#placeAt(index, exact);
    const isAllKnown = from === null && block.isWhole;
    const ids = isAllKnown ? exact.withoutGaps(this.#keys.slice(index + 1)) : exact;
    const bounded = from === null ? ids : ids.withAtMost(MAX_RANGES, walk.direction ?? 'ascending');
    if (bounded.toText().length > MAX_IDS_LENGTH) return { ...positionAt(row, index, this.#rows), served };
    const gaps = walk.gaps + gapsBefore(block, this.#keys[index], walk).length;
    return { kind: 'walk', ...walk, served, gaps, ids: bounded, from };
  }

  #idsAt(index: number): ServedIds {
    const { index: before, ids } = this.#latest;
    const start = before <= index ? before + 1 : 0;
    const base = before <= index ? ids : this.#unserved.walk.ids;
    this.#latest = { index, ids: base.with(this.#keys.slice(start, index + 1)) };
    return this.#latest.ids;
  }

  /** Where the walk continues after a row; null for the start of the list. */
  #placeAt(index: number, served: ServedIds): number | null {
    const { walk, block, indexes } = this.#unserved;
    const { trust, direction, from } = walk;
    const { list } = this.#context.request;
    const key = this.#keys[index] ?? 0;
    if (trust === 'ids') return key;
    if (trust !== 'ties' || block.isWhole) return null;
    if (list.paging === 'offset')
      return Math.max(0, (block.from ?? 0) + (indexes[index] ?? 0) + 1 - overlapOf(list)) || null;
    const furthest = direction && served.furthest(overlapOf(list), direction);
    if (furthest === null || direction === null) return from;
    const nearest = this.#keys
      .slice(index + 1)
      .reduce((a, b) => (isAfter(b, a, direction) ? a : b), furthest);
    const place = fromIdBefore(nearest, direction);
    return place !== null && from !== null && isAfter(from, place, direction) ? from : place;
  }
}
