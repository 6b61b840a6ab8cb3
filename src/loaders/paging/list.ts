// Defines the types of a described list, of the rows to read, and of responses.
import type { Action } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { Direction } from './row-ids.ts';
import type { RowGap } from './unreadable-rows.ts';

/** The order of a list: the direction in which `from_id` walks it, or `none` if `from_id` loses rows. */
export type ListOrder = Direction | 'none';

/** A described list and the way it pages. */
export interface List {
  readonly action: Action;
  /** How the list pages: by `from_id`, by `offset`, or not at all. Then each page is read from the start of the list. */
  readonly paging: 'keyset' | 'offset' | 'prefix';
  /** The order that the operator declares, which is not proven; null if it is not declared. */
  readonly declaredOrder: ListOrder | null;
  /** Whether the action takes a limit. */
  readonly takesLimit: boolean;
  /** The largest limit that its validator accepts. */
  readonly cap: number;
  /** Whether the server applies a limit of its own when none is sent. */
  readonly hasDefaultLimit: boolean;
  /** Names of its filters as clients write them, for messages. */
  readonly filterNames: readonly string[];
}

/** Selects rows of a list on behalf of a caller. */
export interface ListSelection {
  readonly list: List;
  /** Values of the path's placeholders. */
  readonly path: readonly string[];
  /** The list's other parameters. */
  readonly filter: JsonObject;
  readonly includes: readonly string[];
  /** A key of the caller, without the credential. */
  readonly caller: string;
  /** The language that the caller requests, because rows may contain texts in it. */
  readonly language: string;
  /** Throws when rows are ones that the filter should have excluded. */
  readonly check?: ((rows: readonly JsonObject[]) => void) | undefined;
}

/** The response to one call of a list's action. */
export interface ListResponse {
  readonly rows: readonly JsonObject[];
  /** Null if it was not requested, or the API does not offer it. */
  readonly total: number | null;
  /** The limit that was sent; infinite when none was. */
  readonly limit: number;
}

/** Rows of a list from one place on, in the order of the API. */
export interface Block {
  readonly rows: readonly JsonObject[];
  /** The `from_id` or the `offset` after which it begins; null for the start of the list. */
  readonly from: number | null;
  /** The list's total when its first row was read; null if it is unknown. */
  readonly total: number | null;
  /** The list's total when its last row was read. Default: the same. */
  readonly lastTotal?: number | null;
  /** Whether no rows follow. */
  readonly isEnd: boolean;
  /** Whether it has all rows of the list, as one response or the total shows. Rows that were read by `from_id` show it not. */
  readonly isWhole: boolean;
  /** Whether all ways of reading the list were tried, so that no other call shows more rows. Default: false. */
  readonly isSearched?: boolean;
  /** Rows that cannot be read, among these rows. Default: none. */
  readonly gaps?: readonly RowGap[];
}

/** Maximum number of rows that are read for one page. */
export const MAX_EMULATED_ROWS = 10_000;

/** The largest limit that is sent for a list. */
export const largestLimit = ({ cap }: List): number => Math.min(cap, MAX_EMULATED_ROWS);

/** Whether rows from a list's start are fewer than its total. */
export const isShort = ({ rows, total }: Pick<ListResponse, 'rows' | 'total'>): boolean =>
  total !== null && total > rows.length;
