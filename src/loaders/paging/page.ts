import type { JsonObject } from '../../upstream/reader.ts';
import type { Read } from '../operation.ts';
import { type Cursor, encodeCursor, listTag } from './cursor.ts';
import { type ListSelection, ListSource } from './list-source.ts';

/** One page of a list, as asked for. */
export interface PageRequest extends ListSelection {
  readonly first: number;
  readonly after: string | null;
  /** Tells callers apart: what one sees of a list proves nothing of what another sees. */
  readonly caller: string;
  /** Whether the total is wanted. */
  readonly count: boolean;
}

/** One page of a list, as served. */
export interface Page {
  readonly rows: readonly { readonly row: JsonObject; readonly cursor: string }[];
  readonly hasNextPage: boolean;
  /** Null when it was not asked for, or the upstream does not tell. */
  readonly totalCount: number | null;
  /** The upstream cannot page this list by itself; the facade reads more than the page. */
  readonly emulated: boolean;
}

/** The cursor on a row; `position` counts from 1, from the first of the rows in hand; `next` is the row that follows. */
export type CursorOf = (row: JsonObject, position: number, next: JsonObject | undefined) => Cursor;

/** What reading a page takes, whichever way its list pages. */
export class PageReading {
  readonly request: PageRequest;
  readonly source: ListSource;
  /** Fingerprint of the list, which its cursors carry. */
  readonly tag: string;

  constructor(request: PageRequest, read: Read) {
    this.request = request;
    this.source = new ListSource(request, read);
    this.tag = listTag(request.list.action.scope, request.path, request.filter);
  }

  /** Cuts the page out of rows in hand. */
  cut(rows: readonly JsonObject[], start: number, cursorOf: CursorOf): Page {
    const end = start + this.request.first;
    const page = rows.slice(start, end).map((row, index) => ({
      row,
      cursor: encodeCursor(this.tag, cursorOf(row, start + index + 1, rows[start + index + 1])),
    }));
    const hasNextPage = rows.length > end;
    return { rows: page, hasNextPage, totalCount: null, emulated: hasNextPage || start > 0 };
  }
}

/** Index of the row that a cursor stands on: where several have its id, the one nearest to its place. Null when it is gone. */
export function indexOfRow(
  rows: readonly JsonObject[],
  { id, served }: { readonly id: number | string; readonly served: number },
): number | null {
  const place = served - 1;
  let nearest: number | null = null;
  for (const [index, row] of rows.entries()) {
    if (row['id'] !== id) continue;
    if (nearest === null || Math.abs(index - place) < Math.abs(nearest - place)) nearest = index;
  }
  return nearest;
}
