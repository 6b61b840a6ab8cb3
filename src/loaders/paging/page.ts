// One page of a list: the request, the result, and how the page is cut out of the rows that were read.
import type { JsonObject } from '../../upstream/reader.ts';
import type { Read } from '../read.ts';
import { type Cursor, encodeCursor, listTag } from './cursor.ts';
import type { AnswerSizes } from './kept/answer-sizes.ts';
import type { ListOrders } from './kept/list-orders.ts';
import type { RecentRows } from './kept/recent-rows.ts';
import { type ListSelection, ListSource } from './list-source.ts';

/** State that paging shares between operations. */
export interface ListMemory {
  readonly orders: ListOrders;
  readonly sizes: AnswerSizes;
  readonly recent: RecentRows;
}

/** The request of one page. */
export interface PageRequest extends ListSelection {
  readonly first: number;
  readonly after: string | null;
  /** Whether the client requests the total. */
  readonly count: boolean;
}

/** The end of a walk that may have missed rows, because the list changed during the walk or offers no count. */
export interface UnverifiedEnd {
  /** Number of rows that the walk has served. */
  readonly served: number;
  /** The list's total; null where the list offers no count. */
  readonly total: number | null;
}

/** The result of one page. */
export interface Page {
  readonly rows: readonly { readonly row: JsonObject; readonly cursor: string }[];
  readonly hasNextPage: boolean;
  /** Null when it was not requested, or the list offers no count. */
  readonly totalCount: number | null;
  /** Whether the facade reads more than the page, because the upstream cannot page this list without loss. */
  readonly emulated: boolean;
  /** Set on the last page of a walk whose completeness cannot be proven. */
  readonly unverified: UnverifiedEnd | null;
}

/** Creates the cursor of the row at `index` of the rows that were read. */
export type CursorAt = (row: JsonObject, index: number) => Cursor;

/** The context that all ways of reading a page share. */
export class PageReading {
  readonly request: PageRequest;
  readonly source: ListSource;
  readonly orders: ListOrders;
  /** Fingerprint of the list in its cursors. */
  readonly tag: string;
  /** Identifies the list as one caller sees it. */
  readonly key: string;

  constructor(request: PageRequest, read: Read, { orders, sizes, recent }: ListMemory) {
    this.request = request;
    this.source = new ListSource(request, read, sizes, recent);
    this.orders = orders;
    this.tag = listTag(request.list.action.scope, request.path, request.filter);
    this.key = `${request.caller} ${this.tag}`;
  }

  /** Cuts the page that begins at `start` out of the rows that were read. */
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
