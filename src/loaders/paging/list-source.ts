import type { Action } from '../../upstream/description.ts';
import {
  PaginationUnsupportedError,
  UpstreamProtocolError,
  UpstreamResponseTooLargeError,
} from '../../upstream/errors.ts';
import type { JsonObject } from '../../upstream/reader.ts';
import type { Read } from '../operation.ts';
import { type Direction, directionOf } from './list-orders.ts';

/** A described list and the way it pages. */
export interface List {
  readonly action: Action;
  /** By `from_id`, by `offset`, or not at all: then its start is read up to the page wanted. */
  readonly paging: 'keyset' | 'offset' | 'prefix';
  /** Whether a limit can be sent. */
  readonly limited: boolean;
  /** Largest limit that its validator accepts. */
  readonly cap: number;
  /** Whether the server has a limit of its own when none is sent. */
  readonly limitDefault: boolean;
}

/** Which rows of which list. */
export interface ListSelection {
  readonly list: List;
  /** Values of the path's placeholders. */
  readonly path: readonly string[];
  /** The list's other parameters. */
  readonly filter: JsonObject;
  readonly includes: readonly string[];
}

/** Rows as they came, and the total where it was asked for and told. */
export interface Fetched {
  readonly rows: readonly JsonObject[];
  readonly total: number | null;
}

/** Where a call starts in a list; nothing: at its start. */
export type Place = { readonly from_id?: number; readonly offset?: number };

/** Rows from a place on, and the first of the calls that brought them. */
export interface Piecewise {
  readonly rows: readonly JsonObject[];
  readonly head: Fetched & { readonly limit: number };
}

/** Rows of a list that are read for one page at the most. */
export const LONGEST_EMULATED_LIST = 10_000;

/** Calls a list's action, in pieces or whole. */
export class ListSource {
  readonly selection: ListSelection;
  readonly #read: Read;

  constructor(selection: ListSelection, read: Read) {
    this.selection = selection;
    this.#read = read;
  }

  async fetch(paging: Place & { readonly limit?: number }, count = false): Promise<Fetched> {
    const { path, filter, includes, list } = this.selection;
    const { output, meta } = await this.#read({
      action: list.action,
      path,
      input: { ...paging, ...filter },
      meta: {
        ...(includes.length > 0 ? { includes: includes.join(',') } : {}),
        ...(count && list.action.metaInput.has('count') ? { count: true } : {}),
      },
    });
    const total = meta['total_count'];
    return {
      rows: Array.isArray(output) ? output : [],
      total: typeof total === 'number' && Number.isSafeInteger(total) ? total : null,
    };
  }

  /**
   * So many rows, in more than one call where the cap demands it; fewer at the list's end, or where `next` gives up.
   * @param next Where the call after these rows starts.
   */
  async upTo(
    want: number,
    place: Place,
    next: (rows: readonly JsonObject[]) => Place | null,
    count: boolean,
  ): Promise<Piecewise> {
    const { cap } = this.selection.list;
    const limit = Math.min(want, cap);
    const head = { ...(await this.fetch({ limit, ...place }, count)), limit };
    const rows = [...head.rows];
    let isFull = rows.length === limit;
    while (isFull && rows.length < want) {
      const start = next(rows);
      if (start === null) break;
      const piece = { limit: Math.min(want - rows.length, cap), ...start };
      const fetched = await this.fetch(piece);
      rows.push(...fetched.rows);
      isFull = fetched.rows.length === piece.limit;
    }
    return { rows, head };
  }

  /**
   * The whole list, with its total where that is offered.
   * @throws PaginationUnsupportedError when it is longer than what is read for one page, or cannot be had for sure.
   */
  async whole(): Promise<Fetched> {
    const { action } = this.selection.list;
    const refuse = (cause?: unknown) =>
      new PaginationUnsupportedError(
        `Paging this list may lose rows, and it is too long to be read at once (${LONGEST_EMULATED_LIST} rows at the most); narrow it with a filter.`,
        { action: action.scope },
        { cause },
      );
    try {
      const whole = await this.#fetchWhole();
      if (whole !== null) return whole;
    } catch (error) {
      if (error instanceof UpstreamResponseTooLargeError) throw refuse(error);
      throw error;
    }
    throw refuse();
  }

  async #fetchWhole(): Promise<Fetched | null> {
    const { limited, limitDefault, cap } = this.selection.list;
    const limit = Math.min(cap, LONGEST_EMULATED_LIST + 1);
    if (limited) {
      const fetched = await this.fetch({ limit }, true);
      const { length } = fetched.rows;
      if (length !== limit && !isShort(fetched)) return fetched;
      if (limitDefault || length > LONGEST_EMULATED_LIST) return null;
    }
    // The cap bounds the limit only: most servers answer the whole list when none is sent. One that answers no more than
    // with a limit may have a limit of its own that it does not describe; then the total alone tells.
    const fetched = await this.fetch({}, true);
    const isTold = !limited || fetched.total !== null || fetched.rows.length > limit;
    return isTold && !isShort(fetched) && fetched.rows.length <= LONGEST_EMULATED_LIST ? fetched : null;
  }
}

/** Whether rows from a list's start are known to be fewer than the list has. */
export const isShort = ({ rows, total }: Fetched): boolean => total !== null && total > rows.length;

/** A row's integer id, which `from_id` walks by. */
export function idOf(row: JsonObject | undefined): number | undefined {
  const id = row?.['id'];
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
}

/** A row's id of whatever kind; null when it has none. */
export function plainIdOf(row: JsonObject | undefined): number | string | null {
  const id = row?.['id'];
  return typeof id === 'number' || typeof id === 'string' ? id : null;
}

/** @throws UpstreamProtocolError when the row has no integer id. */
export function requireId(row: JsonObject): number {
  const id = idOf(row);
  if (id === undefined) throw new UpstreamProtocolError('A row came without its integer id.');
  return id;
}

/** The rows' ids; null when one of them has none that `from_id` takes, which is never below 0. */
export function idsOfRows(rows: readonly JsonObject[]): readonly number[] | null {
  const ids = rows.map(idOf);
  return ids.every((id): id is number => id !== undefined && id >= 0) ? ids : null;
}

/** Where rows go on by `from_id`; null when they do not run by id. */
export function behind(rows: readonly JsonObject[]): Place | null {
  const ids = idsOfRows(rows);
  const last = ids?.at(-1);
  return last === undefined || directionOf(ids ?? []) === null ? null : { from_id: last };
}

/** The direction that the first two rows show; null when there are not two. */
export function directionOfRows(rows: readonly JsonObject[]): Direction | null {
  const direction = directionOf(idsOfRows(rows.slice(0, 2)) ?? []);
  return direction === 'any' ? null : direction;
}

/** Parameters other than associations may change a list's order, e.g. `order`; what is learnt holds for their values. */
export function variantOf(action: Action, filter: JsonObject): string {
  const plain = action.input.parameters.filter(({ type, name }) => type !== 'Resource' && name in filter);
  return JSON.stringify(plain.map(({ name }) => [name, filter[name]]));
}
