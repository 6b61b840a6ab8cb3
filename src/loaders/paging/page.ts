// Defines a page of a list, the request for it, and how it is cut out of the rows that were read.
import type { JsonObject } from '../../upstream/json.ts';
import type { Read } from '../read.ts';
import type { RecentRows } from './cache/recent-rows.ts';
import type { ResponseSizes } from './cache/response-sizes.ts';
import { type Cursor, encodeCursor, listTag } from './cursor.ts';
import type { ListSelection } from './list.ts';
import { ListReader } from './list-reader.ts';
import type { RowGap } from './unreadable-rows.ts';

/** What paging remembers between operations. */
export interface ListMemory {
  readonly sizes: ResponseSizes;
  readonly recent: RecentRows;
}

/** A request for one page. */
export interface PageRequest extends ListSelection {
  readonly first: number;
  readonly after: string | null;
  /** Whether the total is requested. */
  readonly count: boolean;
}

/** The end of a walk that may have missed rows, because others changed the list during the walk or the list offers no count. */
export interface UnverifiedEnd {
  /** Number of rows that the walk has served. */
  readonly served: number;
  /** The list's total; null if the API does not offer it. */
  readonly total: number | null;
}

/** A row of a page. Its cursor is written when it is read, because most clients select no cursors but the last. */
export class PageRow {
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

  constructor(request: PageRequest, read: Read, { sizes, recent }: ListMemory) {
    this.request = request;
    this.reader = new ListReader(request, read, sizes, recent);
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
