// One page of a list: what is asked for, what is served, and how it is cut out of rows.
import type { JsonObject } from '../../upstream/reader.ts';
import type { Read } from '../read.ts';
import { type Cursor, encodeCursor, listTag } from './cursor.ts';
import type { AnswerSizes } from './kept/answer-sizes.ts';
import type { ListOrders } from './kept/list-orders.ts';
import type { RecentRows } from './kept/recent-rows.ts';
import type { ListSelection } from './list.ts';
import { ListReader } from './list-reader.ts';

/** What paging remembers between operations. */
export interface ListMemory {
  readonly orders: ListOrders;
  readonly sizes: AnswerSizes;
  readonly recent: RecentRows;
}

/** A page as asked for. */
export interface PageRequest extends ListSelection {
  readonly first: number;
  readonly after: string | null;
  /** Whether the total is wanted. */
  readonly count: boolean;
}

/** The end of a walk that may have missed rows, since others wrote to the list meanwhile or it offers no count. */
export interface UnverifiedEnd {
  /** Rows that the walk has served. */
  readonly served: number;
  /** The list's total; null where it is not offered. */
  readonly total: number | null;
}

/** A page as served. */
export interface Page {
  readonly rows: readonly { readonly row: JsonObject; readonly cursor: string }[];
  readonly hasNextPage: boolean;
  /** Null when it was not asked for, or the upstream does not offer it. */
  readonly totalCount: number | null;
  /** The upstream cannot page this list by itself; the facade reads more than the page. */
  readonly emulated: boolean;
  /** Set where the walk up to this page, the last one in most cases, cannot be proven complete. */
  readonly unverified: UnverifiedEnd | null;
}

/** Marks a page before or after which rows may be missing. */
export const markUnverified = (page: Page, servedBefore: number, total: number | null): Page => ({
  ...page,
  unverified: { served: servedBefore + page.rows.length, total },
});

/** Makes the cursor on a row: the row at `index` of the rows in hand. */
export type CursorAt = (row: JsonObject, index: number) => Cursor;

/** What each way of reading a page needs: the request, and the list with what is remembered of it. */
export class PageContext {
  readonly request: PageRequest;
  readonly reader: ListReader;
  readonly orders: ListOrders;
  /** Fingerprint of the list, which its cursors carry. */
  readonly tag: string;
  /** The list as one caller sees it. */
  readonly key: string;

  constructor(request: PageRequest, read: Read, { orders, sizes, recent }: ListMemory) {
    this.request = request;
    this.reader = new ListReader(request, read, sizes, recent);
    this.orders = orders;
    this.tag = listTag(request.list.action.scope, request.path, request.filter);
    this.key = `${request.caller} ${this.tag}`;
  }

  /** Cuts the page that begins at index `start` out of rows in hand. */
  cutPage(
    rows: readonly JsonObject[],
    start: number,
    cursorAt: CursorAt,
    { total, emulated }: { readonly total: number | null; readonly emulated?: boolean },
  ): Page {
    const end = start + this.request.first;
    const hasNextPage = rows.length > end;
    return {
      rows: rows.slice(start, end).map((row, index) => ({
        row,
        cursor: encodeCursor(this.tag, cursorAt(row, start + index)),
      })),
      hasNextPage,
      totalCount: this.request.count ? total : null,
      emulated: emulated ?? (hasNextPage || start > 0),
      unverified: null,
    };
  }
}
