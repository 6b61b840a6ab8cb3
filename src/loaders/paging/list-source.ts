// Calls the action of a list for some of its rows.
import type { Action } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/reader.ts';
import type { Read } from '../read.ts';
import { directionOf } from './direction.ts';
import type { AnswerSizes } from './kept/answer-sizes.ts';
import type { ListStart, RecentRows } from './kept/recent-rows.ts';
import { idOf, integerIdsOf } from './row-ids.ts';

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

/** Rows of one answer, and the total where it was asked for and answered. */
export interface Fetched {
  readonly rows: readonly JsonObject[];
  readonly total: number | null;
}

/** An answer to a call with a limit. */
export type Limited = Fetched & { readonly limit: number };

/** Where a call starts in a list; empty for its start. */
export interface Place {
  readonly from_id?: number;
  readonly offset?: number;
}

/** Rows from a place on, and the first of the answers that hold them. */
export interface Piecewise {
  readonly rows: readonly JsonObject[];
  readonly head: Limited;
}

/** Rows of a list that are read for one page at most. */
export const MAX_EMULATED_ROWS = 10_000;

/** How many times the rows needed are read at once for a client that walks an emulated list page by page. */
const READ_AHEAD = 8;

/** Reads rows of one list, in one operation. */
export class ListSource {
  readonly selection: ListSelection;
  readonly #read: Read;
  readonly #sizes: AnswerSizes;
  readonly #recent: RecentRows;

  constructor(selection: ListSelection, read: Read, sizes: AnswerSizes, recent: RecentRows) {
    this.selection = selection;
    this.#read = read;
    this.#sizes = sizes;
    this.#recent = recent;
  }

  /** Calls the action once. @param extra Further filters. */
  async fetch(
    paging: Place & { readonly limit?: number },
    count = false,
    extra: JsonObject = {},
  ): Promise<Fetched> {
    const { path, filter, includes, list, check } = this.selection;
    const { action } = list;
    const { output, meta } = await this.#read({
      action,
      path,
      input: { ...paging, ...filter, ...extra },
      meta: {
        ...(includes.length > 0 ? { includes: includes.join(',') } : {}),
        ...(count && action.metaInput.has('count') ? { count: true } : {}),
      },
    });
    const rows = Array.isArray(output) ? output : [];
    check?.(rows);
    const { limit } = paging;
    if (limit !== undefined && rows.length <= limit) this.#sizes.record(this.#sizeKey, rows.length);
    const total = meta['total_count'];
    return { rows, total: typeof total === 'number' && Number.isSafeInteger(total) ? total : null };
  }

  /**
   * So many rows, in several calls where the limit's cap requires it; fewer at the list's end, or where `next` gives up.
   * @param next The place of the call that follows these rows; null when there is none.
   * @param before Rows of the list before the place: with the total they show whether an answer was cut short.
   */
  async upTo(
    wanted: number,
    place: Place,
    next: (rows: readonly JsonObject[]) => Place | null,
    { count, before }: { readonly count: boolean; readonly before: number },
  ): Promise<Piecewise> {
    const { cap } = this.selection.list;
    const limit = Math.min(wanted, cap);
    const head = { ...(await this.fetch({ limit, ...place }, count)), limit };
    const rows = [...head.rows];
    let last: Limited = head;
    while (rows.length < wanted && this.goesOn(last, head.total, before + rows.length)) {
      const start = next(rows);
      if (start === null) break;
      const piece = { limit: Math.min(wanted - rows.length, cap), ...start };
      const fetched = { ...(await this.fetch(piece)), limit: piece.limit };
      this.#recordFollower(last, fetched, rows);
      rows.push(...fetched.rows);
      last = fetched;
    }
    return { rows, head };
  }

  /** Whether rows may follow an answer: after so many rows of the list, of which it has `total` where that is known. */
  goesOn(answer: Limited, total: number | null, rowsSoFar: number): boolean {
    const { rows, limit } = answer;
    if (rows.length >= limit) return rows.length === limit;
    if (total === null) return this.mayBeCut(answer);
    return rowsSoFar < total && this.#sizes.mayBeCut(this.#sizeKey, rows.length, limit, true);
  }

  /**
   * Rows from the list's start: `needed` of them, or all where it has fewer.
   * @param isWalk A page before this one was read. Then rows read for it serve again, and the total is asked for.
   */
  async start(needed: number, count: boolean, isWalk: boolean): Promise<ListStart> {
    const known = isWalk ? this.#known() : undefined;
    if (known !== undefined && (known.rows.length < known.limit || known.rows.length >= needed)) return known;
    const longest = Math.min(this.selection.list.cap, MAX_EMULATED_ROWS);
    const limit = known === undefined ? needed : Math.min(needed * READ_AHEAD, longest);
    const keep = this.keeper();
    const fetched = { ...(await this.fetch({ limit }, count || isWalk)), limit };
    const start = { ...fetched, isWhole: this.isWhole(fetched) };
    keep(start);
    return start;
  }

  /** Begins a read from the list's start whose rows the next page may use. */
  keeper(): (start: ListStart) => void {
    return this.#recent.begin(this.selection.caller, this.#key);
  }

  /** The whole list, where a recent page has read it. */
  recentWhole(): ListStart | null {
    const known = this.#known();
    return known?.isWhole === true ? known : null;
  }

  /** Whether rows from the list's start are all that it has, as far as they and the total show. */
  isWhole(fetched: Limited): boolean {
    return fetched.rows.length !== fetched.limit && !isShort(fetched) && !this.mayBeCut(fetched);
  }

  /** Whether a hidden limit of the server may have cut an answer short of the limit that was sent. */
  mayBeCut({ rows, limit, total }: Limited): boolean {
    return total === null && this.#sizes.mayBeCut(this.#sizeKey, rows.length, limit);
  }

  /** Whether one call can read a list of so many rows. */
  isReadByOneCall(total: number | null): boolean {
    return total !== null && total <= Math.min(this.selection.list.cap, this.#sizes.limitOf(this.#sizeKey));
  }

  /** Records that rows from the list's start are cut short of both the limit and the total. */
  recordIfCut(fetched: Limited): void {
    if (fetched.rows.length > 0 && fetched.rows.length < fetched.limit && isShort(fetched))
      this.#sizes.recordCut(this.#sizeKey, fetched.rows.length);
  }

  /** Whether the answer to a call without a limit is as long as a hidden limit of the server. */
  isCut({ rows }: Fetched): boolean {
    return this.#sizes.isCut(this.#sizeKey, rows.length);
  }

  /** Records that the list ended after an answer. */
  recordEnd({ rows }: Fetched): void {
    this.#sizes.recordEnd(this.#sizeKey, rows.length);
  }

  /** Asks whether a list that runs by id goes on after an answer that a hidden limit may have cut. */
  async endsAfter(answer: Limited): Promise<boolean> {
    const place = placeAfter(answer.rows);
    if (place === null) return false;
    const follower = await this.fetch({ limit: 1, ...place });
    this.#recordFollower(answer, follower, answer.rows);
    return follower.rows.length === 0;
  }

  /**
   * Records what the rows after an answer that ended before its limit say of hidden limits. Rows that were read before
   * say nothing: the server does not follow `from_id` or `offset`.
   */
  #recordFollower(answer: Limited, follower: Fetched, before: readonly JsonObject[]): void {
    if (answer.rows.length === answer.limit) return;
    const known = new Set(before.map(idOf));
    if (follower.rows.length === 0) this.recordEnd(answer);
    else if (!follower.rows.some((row) => known.has(idOf(row))))
      this.#sizes.recordCut(this.#sizeKey, answer.rows.length);
  }

  #known() {
    const known = this.#recent.get(this.selection.caller, this.#key);
    const { check } = this.selection;
    if (known !== undefined) check?.(known.rows);
    return known;
  }

  get #key(): string {
    const { list, path, filter, includes, language } = this.selection;
    return JSON.stringify([list.action.scope, path, filter, includes, language]);
  }

  /** A server may cut the answers of one caller and not those of another. */
  get #sizeKey(): string {
    return `${this.selection.caller} ${this.selection.list.action.scope}`;
  }
}

/** Whether rows from a list's start are fewer than its total. */
export const isShort = ({ rows, total }: Fetched): boolean => total !== null && total > rows.length;

/** Where rows that run by id go on by `from_id`; null when they do not run by id. */
export function placeAfter(rows: readonly JsonObject[]): Place | null {
  const ids = integerIdsOf(rows);
  const last = ids?.at(-1);
  return last === undefined || directionOf(ids ?? []) === null ? null : { from_id: last };
}
