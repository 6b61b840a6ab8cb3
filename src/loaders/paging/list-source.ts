// Reads rows of one list by calls of its action.
import type { Action } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/reader.ts';
import type { Read } from '../read.ts';
import { directionOf } from './direction.ts';
import type { AnswerSizes } from './kept/answer-sizes.ts';
import type { ListStart, RecentRows } from './kept/recent-rows.ts';
import { idOf, integerIdsOf } from './row-ids.ts';

/** A described list and its way of paging. */
export interface List {
  readonly action: Action;
  /** `keyset`: by `from_id`; `offset`: by `offset`; `prefix`: not at all, so the list is read from its start up to the page. */
  readonly paging: 'keyset' | 'offset' | 'prefix';
  /** Whether the action has a parameter `limit`. */
  readonly limited: boolean;
  /** The largest limit that its validator accepts. */
  readonly cap: number;
  /** Whether the server applies a default limit. */
  readonly limitDefault: boolean;
  /** GraphQL names of the list's filters, for messages. */
  readonly filterNames: readonly string[];
}

/** A list with its filter, as one caller reads it. */
export interface ListSelection {
  readonly list: List;
  /** Values of the path's placeholders. */
  readonly path: readonly string[];
  /** Input parameters other than those of paging. */
  readonly filter: JsonObject;
  readonly includes: readonly string[];
  /** Key that identifies the caller. */
  readonly caller: string;
  /** Throws when the filter should have excluded one of the rows. */
  readonly check?: ((rows: readonly JsonObject[]) => void) | undefined;
}

/** The rows of one answer; the total is null where it was not requested or not answered. */
export interface ListAnswer {
  readonly rows: readonly JsonObject[];
  readonly total: number | null;
}

/** The answer to a call with a limit. */
export type LimitedAnswer = ListAnswer & { readonly limit: number };

/** Where a call begins in a list; empty for the start of the list. */
export interface StartPosition {
  readonly from_id?: number;
  readonly offset?: number;
}

/** Rows from one or more calls, and the answer to the first call. */
export interface CombinedRows {
  readonly rows: readonly JsonObject[];
  readonly head: LimitedAnswer;
}

/** Maximum number of rows that are read for one page. */
export const MAX_EMULATED_ROWS = 10_000;

/** Factor by which more rows than needed are read for a client that walks a list that is read from its start. */
const READ_AHEAD = 8;

/** Reads rows of one list in one operation. */
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

  /** Calls the action once. */
  async fetch(
    paging: StartPosition & { readonly limit?: number },
    count = false,
    additionalFilter: JsonObject = {},
  ): Promise<ListAnswer> {
    const { path, filter, includes, list, check } = this.selection;
    const { action } = list;
    const { output, meta } = await this.#read({
      action,
      path,
      input: { ...paging, ...filter, ...additionalFilter },
      meta: {
        ...(includes.length > 0 ? { includes: includes.join(',') } : {}),
        ...(count && action.metaInput.has('count') ? { count: true } : {}),
      },
    });
    const rows = Array.isArray(output) ? output : [];
    check?.(rows);
    this.#sizes.record(action.scope, rows.length);
    const total = meta['total_count'];
    return { rows, total: typeof total === 'number' && Number.isSafeInteger(total) ? total : null };
  }

  /**
   * Reads up to `wanted` rows, in several calls where the cap of the limit requires it. Returns fewer rows at the end of the
   * list, or when `findNext` returns null.
   * @param findNext Returns where the call after these rows begins; null when there is none.
   * @param before Number of rows before `position`. With the total it shows whether an answer was cut short.
   */
  async readUpTo(
    wanted: number,
    position: StartPosition,
    findNext: (rows: readonly JsonObject[]) => StartPosition | null,
    { count, before }: { readonly count: boolean; readonly before: number },
  ): Promise<CombinedRows> {
    const { cap } = this.selection.list;
    const limit = Math.min(wanted, cap);
    const head = { ...(await this.fetch({ limit, ...position }, count)), limit };
    const rows = [...head.rows];
    let last: LimitedAnswer = head;
    while (rows.length < wanted && this.mayContinue(last, head.total, before + rows.length)) {
      const next = findNext(rows);
      if (next === null) break;
      const nextLimit = Math.min(wanted - rows.length, cap);
      const answer = { ...(await this.fetch({ limit: nextLimit, ...next })), limit: nextLimit };
      this.#recordFollowingAnswer(last, answer, rows);
      rows.push(...answer.rows);
      last = answer;
    }
    return { rows, head };
  }

  /** Whether rows may follow an answer. @param rowsSoFar Number of rows from the start of the list to the end of the answer. */
  mayContinue(answer: LimitedAnswer, total: number | null, rowsSoFar: number): boolean {
    const { rows, limit } = answer;
    if (rows.length >= limit) return rows.length === limit;
    if (total === null) return this.mayBeCut(answer);
    const { scope } = this.selection.list.action;
    return rowsSoFar < total && this.#sizes.mayBeCut(scope, rows.length, limit, true);
  }

  /**
   * Reads the start of the list: at least `needed` rows, or all where the list has fewer.
   * @param isWalk Whether the page has a cursor. Then the rows of a recent page are reused, and the total is requested.
   */
  async readStart(needed: number, count: boolean, isWalk: boolean): Promise<ListStart> {
    const recent = isWalk ? this.#findRecent() : undefined;
    if (recent !== undefined && (recent.rows.length < recent.limit || recent.rows.length >= needed))
      return recent;
    const longest = Math.min(this.selection.list.cap, MAX_EMULATED_ROWS);
    const limit = recent === undefined ? needed : Math.min(needed * READ_AHEAD, longest);
    const keepStart = this.trackRead();
    const fetched = { ...(await this.fetch({ limit }, count || isWalk)), limit };
    const start = { ...fetched, isWhole: this.isWhole(fetched) };
    keepStart(start);
    return start;
  }

  /** Begins a read of the list's start. @returns Keeps the rows for the next page, unless the caller writes meanwhile. */
  trackRead(): (start: ListStart) => void {
    return this.#recent.beginRead(this.selection.caller, this.#key);
  }

  /** The whole list, if a recent page has read it; otherwise null. */
  findRecentWhole(): ListStart | null {
    const recent = this.#findRecent();
    return recent?.isWhole === true ? recent : null;
  }

  /** Whether an answer from the list's start holds the whole list, as far as its size and total show. */
  isWhole(fetched: LimitedAnswer): boolean {
    return fetched.rows.length !== fetched.limit && !isShort(fetched) && !this.mayBeCut(fetched);
  }

  /** Whether an undescribed limit of the server may have cut an answer. */
  mayBeCut({ rows, limit, total }: LimitedAnswer): boolean {
    return total === null && this.#sizes.mayBeCut(this.selection.list.action.scope, rows.length, limit);
  }

  /** Whether the answer to a call without a limit is as long as a known hidden limit of the server. */
  isCut({ rows }: ListAnswer): boolean {
    return this.#sizes.isCut(this.selection.list.action.scope, rows.length);
  }

  /** Records that the list ended after an answer. */
  recordEnd({ rows }: ListAnswer): void {
    this.#sizes.recordEnd(this.selection.list.action.scope, rows.length);
  }

  /** Reads one row to find out whether a list that runs by id ends after an answer. */
  async endsAfter(answer: LimitedAnswer): Promise<boolean> {
    const position = positionAfter(answer.rows);
    if (position === null) return false;
    const following = await this.fetch({ limit: 1, ...position });
    this.#recordFollowingAnswer(answer, following, answer.rows);
    return following.rows.length === 0;
  }

  /**
   * Records what the call after a short answer shows about hidden limits. Repeated rows show nothing, because the server
   * ignores `from_id` or `offset`.
   */
  #recordFollowingAnswer(answer: LimitedAnswer, following: ListAnswer, before: readonly JsonObject[]): void {
    if (answer.rows.length === answer.limit) return;
    const knownIds = new Set(before.map(idOf));
    if (following.rows.length === 0) this.recordEnd(answer);
    else if (!following.rows.some((row) => knownIds.has(idOf(row))))
      this.#sizes.recordCut(this.selection.list.action.scope, answer.rows.length);
  }

  #findRecent(): ListStart | undefined {
    const recent = this.#recent.get(this.selection.caller, this.#key);
    const { check } = this.selection;
    if (recent !== undefined) check?.(recent.rows);
    return recent;
  }

  get #key(): string {
    const { list, path, filter, includes } = this.selection;
    return JSON.stringify([list.action.scope, path, filter, includes]);
  }
}

/** Whether an answer from a list's start has fewer rows than the total. */
export const isShort = ({ rows, total }: ListAnswer): boolean => total !== null && total > rows.length;

/** Where `from_id` continues after rows; null when they do not run by id. */
export function positionAfter(rows: readonly JsonObject[]): StartPosition | null {
  const ids = integerIdsOf(rows);
  const last = ids?.at(-1);
  return last === undefined || directionOf(ids ?? []) === null ? null : { from_id: last };
}

/** Identifies the filter values that may change the order of a list, e.g. `order`: all but associations. */
export function orderVariant(action: Action, filter: JsonObject): string {
  const plain = action.input.parameters.filter(({ type, name }) => type !== 'Resource' && name in filter);
  return JSON.stringify(plain.map(({ name }) => [name, filter[name]]));
}
