// Defines the types of a described list, of the rows to read, and of responses.
import type { Action } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/reader.ts';

/** A described list and the way it pages. */
export interface List {
  readonly action: Action;
  /** How the list pages: by `from_id`, by `offset`, or not at all. Then the list is read from its start up to the page. */
  readonly paging: 'keyset' | 'offset' | 'prefix';
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

/** Rows from the start of a list. */
export interface ListStart extends ListResponse {
  /** Whether the list has no other rows. */
  readonly isWhole: boolean;
}

/** Maximum number of rows that are read for one page. */
export const MAX_EMULATED_ROWS = 10_000;

/** The largest limit that is sent for a list. */
export const largestLimit = ({ cap }: List): number => Math.min(cap, MAX_EMULATED_ROWS);

/** Whether rows from a list's start are fewer than its total. */
export const isShort = ({ rows, total }: ListResponse): boolean => total !== null && total > rows.length;
