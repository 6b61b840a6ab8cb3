// Reads the rows from the place where a walk continues.
import { isMissing } from '../../upstream/errors.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { Walk } from './cursor.ts';
import { type Block, type CallStart, type ListResponse, largestLimit } from './list.ts';
import { SMALLEST_HIDDEN_LIMIT } from './list-memory.ts';
import type { PageContext } from './page.ts';
import {
  type Direction,
  fromIdBefore,
  isAfter,
  isNearlyOrdered,
  isOrdered,
  keysOf,
  trendOf,
} from './row-ids.ts';
import { findGap, mayBeRowFailure, type RowGap, readBeforeFailure } from './unreadable-rows.ts';
import { isUnserved, overlapOf, PROBE, toleranceOf } from './walk.ts';
import { fetchWholeList } from './whole-list.ts';

/** Least number of rows in a block that has served rows again, and in one from the start of a list without a count. */
const BLOCK = 1_000;
/** Each read from the start of a list that no other call can continue requests this multiple of the rows that it needs. */
const GROWTH = 4;
/** Number of rows that may be added to a short list while it is walked, without another call. */
const HEADROOM = 16;

/** Number of rows whose order by id shows that the list can be read on behind a row that it fails with. */
const MIN_ORDERED = 10;

/** Rows that were read so far, without repetitions. */
class ReadRows {
  #rows: JsonObject[] = [];
  #keys: number[] = [];
  /** The first response, which most pages need no other than: its rows are not copied. */
  #first: { readonly rows: readonly JsonObject[]; readonly keys: readonly number[] } | null = null;
  readonly #known = new Set<number>();

  get rows(): readonly JsonObject[] {
    return this.#first?.rows ?? this.#rows;
  }

  get keys(): readonly number[] {
    return this.#first?.keys ?? this.#keys;
  }

  /** Adds the rows that are not known yet, and returns their number. @param keys The keys of the rows, all different. */
  add(rows: readonly JsonObject[], keys: readonly number[]): number {
    if (this.#first === null && this.#rows.length === 0) {
      this.#first = { rows, keys };
      return rows.length;
    }
    if (this.#first !== null) {
      this.#append(this.#first.rows, this.#first.keys);
      this.#first = null;
    }
    return this.#append(rows, keys);
  }

  #append(rows: readonly JsonObject[], keys: readonly number[]): number {
    const before = this.#rows.length;
    for (const [index, row] of rows.entries()) {
      const key = keys[index] ?? 0;
      if (this.#known.has(key)) continue;
      this.#known.add(key);
      this.#rows.push(row);
      this.#keys.push(key);
    }
    return this.#rows.length - before;
  }
}

/** Reads the blocks of one walk. */
export class BlockReader {
  readonly #context: PageContext;
  readonly #walk: Walk;

  constructor(context: PageContext, walk: Walk) {
    this.#context = context;
    this.#walk = walk;
  }

  /**
   * Reads from the place of the walk until more rows are unserved than the page needs, or the list ends. The rows of a block may have
   * repeated or no ids if it begins at the start of the list.
   * @returns Null if the responses contradict what the walk relies on.
   */
  async read(): Promise<Block | null> {
    const { reader, request } = this.#context;
    const walk = this.#walk;
    if (this.#needsWhole()) return fetchWholeList(reader);
    const read = new ReadRows();
    let from = walk.from;
    let total: number | null = null;
    let firstResponse: ListResponse | null = null;
    let before: ListResponse | null = null;
    let unserved = 0;
    const gaps: RowGap[] = [];
    for (;;) {
      const isCounted = this.#isCounted(from);
      const response = await this.#call(this.#callFor(from, read.keys, unserved), isCounted, read.keys);
      if ('upTo' in response) {
        gaps.push(response);
        from = response.upTo;
        continue;
      }
      total ??= response.total;
      const keys = keysOf(response.rows);
      if (keys === null) return from === null ? startBlock(response, reader.isWhole(response)) : null;
      firstResponse ??= response;
      if (from !== null && !this.#follows(keys, from, read)) return null;
      const added = read.add(response.rows, keys);
      if (before !== null) reader.recordNextResponse(before, added);
      unserved = read.keys.filter((key) => isUnserved(walk, key)).length;
      const isEnd = this.#isEnd(
        response,
        total,
        added,
        walk.from === null ? read.rows.length : walk.served + unserved,
      );
      // After the first page, a short response from the start of the list may be cut, so the walk reads on.
      const isCut = from === null && walk.served > 0 && response.rows.length < response.limit;
      if (isEnd || (unserved > request.first && !isCut)) {
        const isWhole = isEnd && walk.from === null && this.#isWhole(read.rows, response, firstResponse);
        return {
          rows: read.rows,
          from: walk.from,
          total,
          lastTotal: response.total,
          isEnd,
          isWhole,
          ...(gaps.length > 0 ? { gaps } : {}),
        };
      }
      const next = added === 0 ? null : this.#placeAfter(read.keys, response.rows.length);
      if (next === null) return this.#readWhole(response, walk.from);
      from = next;
      before = response;
    }
  }

  /** Whether a list without order is longer than the largest response. */
  #needsWhole(): boolean {
    const { trust, total, from } = this.#walk;
    return (
      trust === 'none' && from === null && total !== null && total > largestLimit(this.#context.request.list)
    );
  }

  /** Calls the list. Where a row makes the call fail, returns the rows before it, or the gap that it leaves if it would be the first. */
  async #call(
    { limit, ...start }: CallStart & { readonly limit?: number },
    isCounted: boolean,
    keys: readonly number[],
  ): Promise<ListResponse | RowGap> {
    const { reader } = this.#context;
    try {
      return await reader.call({ ...(limit === undefined ? {} : { limit }), ...start }, isCounted);
    } catch (error) {
      if (limit === undefined || !this.#mayBeRowFailure(error)) throw error;
      const call = (smaller: number) => reader.call({ limit: smaller, ...start }, isCounted);
      const readable = limit === 1 ? null : await readBeforeFailure(call, limit);
      if (readable !== null) return readable;
      const direction = this.#directionOf(keys);
      const isOrdered = this.#walk.trust === 'ids' || (keys.length >= MIN_ORDERED && this.#isStrict(keys));
      if (start.from_id === undefined || direction === null || !isOrdered) throw error;
      const gap = await findGap((from_id) => reader.call({ limit: 1, from_id }), start.from_id, direction);
      if (gap === null) throw error;
      return gap;
    }
  }

  /** Whether one row may make the list fail. A list below an object that does not exist fails, too. */
  #mayBeRowFailure(error: unknown): boolean {
    const { path, list } = this.#context.request;
    const mayLackParent = path.length > 0 && this.#walk.served === 0 && isMissing(error);
    return list.paging === 'keyset' && !mayLackParent && mayBeRowFailure(error);
  }

  /** Reads the whole list, where there is no place from which it can be continued. */
  #readWhole(response: ListResponse, from: number | null): Promise<Block> {
    const isStart = from === null && response.rows.length < response.limit;
    return fetchWholeList(this.#context.reader, isStart ? response : undefined);
  }

  #isCounted(from: number | null): boolean {
    const { first, count } = this.#context.request;
    return count || from !== null || this.#walk.served > 0 || first + 1 > SMALLEST_HIDDEN_LIMIT;
  }

  /** Input of the call that reads on. */
  #callFor(
    from: number | null,
    keys: readonly number[],
    unserved: number,
  ): CallStart & { readonly limit?: number } {
    const { list, first } = this.#context.request;
    if (!list.takesLimit) return {};
    if (from === null) return { limit: Math.min(this.#startLimit(), largestLimit(list)) };
    const isExact = list.paging === 'keyset' && unserved <= first && this.#isStrict(keys);
    const wanted = isExact ? first + 1 - unserved : Math.max(BLOCK, overlapOf(list) + first + 1);
    const limit = Math.min(wanted, list.cap);
    return list.paging === 'offset' ? { limit, offset: from } : { limit, from_id: from };
  }

  /** Limit of a call that reads the start of the list. */
  #startLimit(): number {
    const { served, total, trust } = this.#walk;
    const { first, list } = this.#context.request;
    const needed = served + first + 1;
    if (served === 0) return needed;
    if (total !== null && total <= BLOCK) return Math.max(needed, total + HEADROOM);
    if (trust === 'none') return Math.max(GROWTH * needed, BLOCK);
    return Math.max(needed, list.action.metaInput.has('count') ? PROBE : BLOCK);
  }

  /** Whether the rows of a response follow the place that was requested. They do not if the API ignores it. */
  #follows(keys: readonly number[], from: number, { keys: inHand }: ReadRows): boolean {
    const { ids, trust } = this.#walk;
    const { list } = this.#context.request;
    if (list.paging === 'offset') {
      const [first] = keys;
      // An API that ignores the place answers from the start again.
      if (this.#walk.from === null && keys.length > 1 && first === inHand[0]) return false;
      return overlapOf(list) === 0 || (first !== undefined && (ids.has(first) || inHand.includes(first)));
    }
    const direction = this.#directionOf(inHand) ?? ((keys[0] ?? 0) > from ? 'ascending' : 'descending');
    const isStrict = trust !== 'ids' || isOrdered(keys, direction);
    return isStrict && keys.every((key) => isAfter(key, from, direction));
  }

  /** Whether the rows that were read from the start of the list are all of it. Rows that `from_id` skips are found only by the total. */
  #isWhole({ length }: readonly JsonObject[], last: ListResponse, first: ListResponse): boolean {
    const { total } = first;
    // Rows that were added between the calls may stand for others that are missing.
    if (total !== null) return length >= total && last.total === total;
    return (
      length === first.rows.length && length !== first.limit && !this.#context.reader.hasUnverifiedEnd(first)
    );
  }

  #isEnd(response: ListResponse, total: number | null, added: number, rowsSoFar: number): boolean {
    if (added === 0 && response.rows.length < response.limit) return true;
    return !this.#context.reader.mayContinue(response, total, rowsSoFar);
  }

  /**
   * Where the next call starts, given the keys of the rows in hand; null if they do not show it.
   * @param rows Number of rows in the latest response.
   */
  #placeAfter(keys: readonly number[], rows: number): number | null {
    const { list } = this.#context.request;
    const overlap = Math.min(overlapOf(list), Math.floor(rows / 2));
    if (this.#walk.trust === 'none') return null;
    if (list.paging === 'offset') return Math.max(0, (this.#walk.from ?? 0) + keys.length - overlap);
    if (list.paging !== 'keyset' || !keys.every((key) => key >= 0)) return null;
    if (this.#isStrict(keys)) return keys.at(-1) ?? null;
    const direction = this.#directionOf(keys);
    if (direction === null || !isNearlyOrdered(keys, direction, toleranceOf(list, keys.length))) return null;
    const furthest = keys.toSorted((a, b) => (direction === 'ascending' ? b - a : a - b))[overlap - 1];
    return furthest === undefined ? null : fromIdBefore(furthest, direction);
  }

  #isStrict(keys: readonly number[]): boolean {
    const { trust } = this.#walk;
    const direction = this.#directionOf(keys);
    return trust !== 'ties' && trust !== 'none' && (direction === null || isOrdered(keys, direction));
  }

  #directionOf(keys: readonly number[]): Direction | null {
    const { trust, direction } = this.#walk;
    return (trust === 'unknown' ? null : direction) ?? trendOf(keys);
  }
}

/** The block of one response to a call without a place. */
const startBlock = ({ rows, total }: ListResponse, isEnd: boolean): Block => ({
  rows,
  from: null,
  total,
  isEnd,
  isWhole: isEnd,
});
