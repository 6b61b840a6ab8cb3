// Calls the action of a list, and keeps what its answers show.
import type { JsonObject } from '../../upstream/reader.ts';
import type { Read } from '../read.ts';
import type { AnswerSizes } from './kept/answer-sizes.ts';
import type { RecentRows } from './kept/recent-rows.ts';
import { isShort, type ListAnswer, type ListSelection, type ListStart, largestLimit } from './list.ts';
import { directionOf, idOf, integerIdOf } from './row-ids.ts';

/** Where a call starts in a list; empty for the list's start. */
export interface CallStart {
  readonly from_id?: number;
  readonly offset?: number;
}

/** How many times the rows needed are read at once for a client that walks an emulated list page by page. */
const READ_AHEAD = 8;

/** Reads rows of one list, in one operation. */
export class ListReader {
  readonly selection: ListSelection;
  readonly #read: Read;
  readonly #sizes: AnswerSizes;
  readonly #recent: RecentRows;
  readonly #listKey: string;
  /** A server may cut the answers of one caller and not those of another. */
  readonly #sizeKey: string;

  constructor(selection: ListSelection, read: Read, sizes: AnswerSizes, recent: RecentRows) {
    const { list, path, filter, includes, language, caller } = selection;
    this.selection = selection;
    this.#read = read;
    this.#sizes = sizes;
    this.#recent = recent;
    this.#listKey = JSON.stringify([list.action.scope, path, filter, includes, language]);
    this.#sizeKey = `${caller} ${list.action.scope}`;
  }

  /** Calls the action once. @param partFilter Parameters that the client has not set. */
  async call(
    paging: CallStart & { readonly limit?: number },
    isCounted = false,
    partFilter?: JsonObject,
  ): Promise<ListAnswer> {
    const { path, filter, includes, list, check } = this.selection;
    const { action } = list;
    const { output, meta } = await this.#read({
      action,
      path,
      input: { ...paging, ...filter, ...partFilter },
      meta: {
        ...(includes.length > 0 ? { includes: includes.join(',') } : {}),
        ...(isCounted && action.metaInput.has('count') ? { count: true } : {}),
      },
    });
    const rows = Array.isArray(output) ? output : [];
    check?.(rows);
    const { limit = Number.POSITIVE_INFINITY } = paging;
    if (paging.limit !== undefined && rows.length <= limit) this.#sizes.record(this.#sizeKey, rows.length);
    const total = meta['total_count'];
    return { rows, total: Number.isSafeInteger(total) ? Number(total) : null, limit };
  }

  /**
   * Reads so many rows, in several calls where the cap requires it; fewer at the list's end, or where the rows do not
   * show where they go on.
   * @param startAfter Where the call that follows some rows starts; null when they do not show it.
   * @param before Rows of the list before the first call: with the total they show whether an answer was cut.
   */
  async readRows(
    wanted: number,
    start: CallStart,
    startAfter: (rows: readonly JsonObject[]) => CallStart | null,
    { count, before }: { readonly count: boolean; readonly before: number },
  ): Promise<{ readonly rows: readonly JsonObject[]; readonly firstAnswer: ListAnswer }> {
    const { cap } = this.selection.list;
    const firstAnswer = await this.call({ limit: Math.min(wanted, cap), ...start }, count);
    const rows = [...firstAnswer.rows];
    let last = firstAnswer;
    while (rows.length < wanted && this.mayGoOn(last, firstAnswer.total, before + rows.length)) {
      const next = startAfter(rows);
      if (next === null) break;
      const answer = await this.call({ limit: Math.min(wanted - rows.length, cap), ...next });
      this.#recordFollower(last, answer, rows);
      rows.push(...answer.rows);
      last = answer;
    }
    return { rows, firstAnswer };
  }

  /**
   * Reads rows from the list's start: `needed` of them, or all where it has fewer.
   * @param isWalk A page before this one was read. Then rows read for it serve again, and the total is asked for.
   */
  async readStart(needed: number, count: boolean, isWalk: boolean): Promise<ListStart> {
    const known = isWalk ? this.#recentStart() : undefined;
    if (known !== undefined && (known.rows.length < known.limit || known.rows.length >= needed)) return known;
    const limit =
      known === undefined ? needed : Math.min(needed * READ_AHEAD, largestLimit(this.selection.list));
    return this.keep(() => this.call({ limit }, count || isWalk));
  }

  /** Keeps rows from the list's start for the next page, unless the caller writes while they are read. */
  async keep(readAnswer: () => Promise<ListAnswer & { readonly isWhole?: boolean }>): Promise<ListStart> {
    const keep = this.#recent.begin(this.selection.caller, this.#listKey);
    const answer = await readAnswer();
    const start = { ...answer, isWhole: answer.isWhole ?? this.isWhole(answer) };
    keep(start);
    return start;
  }

  /** The whole list, where a recent page has read it. */
  recentWhole(): ListStart | null {
    const known = this.#recentStart();
    return known?.isWhole === true ? known : null;
  }

  #recentStart(): ListStart | undefined {
    const known = this.#recent.get(this.selection.caller, this.#listKey);
    if (known !== undefined) this.selection.check?.(known.rows);
    return known;
  }

  /** Whether rows may follow an answer: after so many rows of the list, of which it has `total` where that is known. */
  mayGoOn(answer: ListAnswer, total: number | null, rowsSoFar: number): boolean {
    const { rows, limit } = answer;
    if (rows.length >= limit) return rows.length === limit;
    if (total === null) return this.mayBeCut(answer);
    return rowsSoFar < total && this.#sizes.mayBeCut(this.#sizeKey, rows.length, limit, true);
  }

  /** Whether rows from the list's start are all that it has, as far as they and the total show. */
  isWhole(answer: ListAnswer): boolean {
    return answer.rows.length !== answer.limit && !isShort(answer) && !this.mayBeCut(answer);
  }

  /** Whether a hidden limit of the server may have cut an answer short of the limit that was sent. */
  mayBeCut({ rows, limit, total }: ListAnswer): boolean {
    return total === null && this.#sizes.mayBeCut(this.#sizeKey, rows.length, limit);
  }

  /** Whether an answer is as long as a hidden limit that was seen to cut others. */
  isCut({ rows }: ListAnswer): boolean {
    return rows.length >= this.#sizes.limitOf(this.#sizeKey);
  }

  /** Whether one call can read a list of so many rows. */
  isReadByOneCall(total: number | null): boolean {
    return total !== null && total <= Math.min(this.selection.list.cap, this.#sizes.limitOf(this.#sizeKey));
  }

  /** Records a hidden limit where rows from the list's start are fewer than both the limit and the total. */
  recordIfCut(answer: ListAnswer): void {
    const { rows, limit } = answer;
    if (rows.length > 0 && rows.length < limit && isShort(answer))
      this.#sizes.recordCut(this.#sizeKey, rows.length);
  }

  /** Records that the list ended after an answer, so that no hidden limit had cut it. */
  recordEnd({ rows }: ListAnswer): void {
    this.#sizes.record(this.#sizeKey, rows.length + 1);
  }

  /** Asks whether a list that runs by id ends with an answer that a hidden limit may have cut. */
  async endsWith(answer: ListAnswer): Promise<boolean> {
    const start = keysetStartAfter(answer.rows);
    if (start === null) return false;
    const follower = await this.call({ limit: 1, ...start });
    this.#recordFollower(answer, follower, answer.rows);
    return follower.rows.length === 0;
  }

  /**
   * Records what the rows after an answer that ended before its limit say of hidden limits. Rows that were read before
   * say nothing: the server does not follow `from_id` or `offset`.
   */
  #recordFollower(answer: ListAnswer, follower: ListAnswer, before: readonly JsonObject[]): void {
    if (answer.rows.length === answer.limit) return;
    const known = new Set(before.map(idOf));
    if (follower.rows.length === 0) this.recordEnd(answer);
    else if (!follower.rows.some((row) => known.has(idOf(row))))
      this.#sizes.recordCut(this.#sizeKey, answer.rows.length);
  }
}

/** Where rows that run by id go on by `from_id`; null when they do not run by id. */
export function keysetStartAfter(rows: readonly JsonObject[]): CallStart | null {
  const last = integerIdOf(rows.at(-1));
  return last === null || directionOf(rows) === null ? null : { from_id: last };
}
