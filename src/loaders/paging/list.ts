// Types of a described list, the rows that are asked of it, and its answers.
import type { Action } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/reader.ts';

/** A described list and the way it pages. */
export interface List {
  readonly action: Action;
  /** By `from_id`, by `offset`, or not at all: then its start is read up to the page. */
  readonly paging: 'keyset' | 'offset' | 'prefix';
  /** Whether it takes a limit. */
  readonly limited: boolean;
  /** The largest limit that its validator accepts. */
  readonly cap: number;
  /** Whether the server applies a limit of its own when none is sent. */
  readonly limitDefault: boolean;
  /** Names of its filters as clients write them, for messages. */
  readonly filterNames: readonly string[];
}

/** Which rows of which list, on whose behalf. */
export interface ListSelection {
  readonly list: List;
  /** Values of the path's placeholders. */
  readonly path: readonly string[];
  /** The list's other parameters. */
  readonly filter: JsonObject;
  readonly includes: readonly string[];
  /** A key of the caller, without the credential. */
  readonly caller: string;
  /** The language that the caller asks for: rows may hold texts in it. */
  readonly language: string;
  /** Throws when rows are ones that the filter should have excluded. */
  readonly check?: ((rows: readonly JsonObject[]) => void) | undefined;
}

/** The answer to one call of a list's action. */
export interface ListAnswer {
  readonly rows: readonly JsonObject[];
  /** Null where it was not asked for or is not offered. */
  readonly total: number | null;
  /** The limit that was sent; infinite when none was. */
  readonly limit: number;
}

/** Rows from the start of a list. */
export interface ListStart extends ListAnswer {
  /** Whether the list has no other rows. */
  readonly isWhole: boolean;
}

/** The most rows that are read for one page. */
export const MAX_EMULATED_ROWS = 10_000;

/** The largest limit that is sent for a list. */
export const largestLimit = ({ cap }: List): number => Math.min(cap, MAX_EMULATED_ROWS);

/** Whether rows from a list's start are fewer than its total. */
export const isShort = ({ rows, total }: ListAnswer): boolean => total !== null && total > rows.length;
