// Reads the rows from the place where a walk continues.
import { isMissing } from '../../upstream/errors.ts';
import type { JsonObject } from '../../upstream/json.ts';
import type { Walk } from './cursor.ts';
import { type CallRange, type ListResponse, SMALLEST_HIDDEN_LIMIT } from './list.ts';
import type { PageContext } from './page.ts';
import {
  type Direction,
  fromIdBefore,
  isAfter,
  isNearlyOrdered,
  isOrdered,
  isUnserved,
  keysOf,
  overlapOf,
  PROBE,
  toleranceOf,
  trendOf,
} from './row-order.ts';
import { findGap, mayBeRowFailure, type RowGap, readBeforeFailure } from './unreadable-rows.ts';
import { type Block, readStart } from './whole-list.ts';

/** Number of rows that may be added to a short list while it is walked, without another call. */
const HEADROOM = 8;
/** Number of rows whose order by id shows that the list can be read on behind a row that it fails with. */
const MIN_ORDERED = 10;

/** Rows of several responses, each once. */
class ReadRows {
  rows: readonly JsonObject[] = [];
  keys: readonly number[] = [];

  /** Adds the rows that are not known yet, and returns their number. @param keys The keys of the rows, all different. */
  add(rows: readonly JsonObject[], keys: readonly number[]): number {
    const known = new Set(this.keys);
    const isNew = (_item: unknown, index: number): boolean => !known.has(keys[index] ?? 0);
    const added = rows.filter(isNew);
    this.rows = this.rows.length === 0 ? rows : [...this.rows, ...added];
    this.keys = this.keys.length === 0 ? keys : [...this.keys, ...keys.filter(isNew)];
    return added.length;
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
    const needed = walk.served + request.first + 1;
    if (walk.trust === 'none' || !request.list.takesLimit) return this.#readStart(needed);
    const read = new ReadRows();
    const gaps: RowGap[] = [];
    let from = walk.from;
    let first: ListResponse | null = null;
    let before: ListResponse | null = null;
    for (let unserved = 0; ; ) {
      const response = await this.#call(this.#rangeFrom(from, read.keys, unserved), read.keys);
      if ('upTo' in response) {
        gaps.push(response);
        from = response.upTo;
        continue;
      }
      const keys = keysOf(response.rows);
      if (keys === null) return from === null ? startBlock(response, reader.isWhole(response)) : null;
      if (from !== null && !this.#follows(keys, from, read)) return null;
      const added = read.add(response.rows, keys);
      if (before !== null && added === 0 && before.rows.length < before.limit) reader.recordEnd(before);
      first ??= response;
      before = response;
      unserved = read.keys.filter((key) => isUnserved(walk, key)).length;
      const total = first.total ?? response.total;
      const isEnd = this.#isEnd(
        response,
        total,
        added,
        walk.from === null ? read.rows.length : walk.served + unserved,
      );
      // A short response from the start may be cut. Its end shows which rows are new, and is found once.
      const isCut = from === null && walk.served > 0 && response.rows.length < response.limit;
      if (isEnd || (unserved > request.first && !isCut)) {
        const isWhole = isEnd && walk.from === null && this.#isWhole(read.rows, response, first);
        const found = { rows: read.rows, from: walk.from, total, lastTotal: response.total, isEnd, isWhole };
        return gaps.length > 0 ? { ...found, gaps } : found;
      }
      from = added === 0 ? null : this.#placeAfter(read.keys, response.rows.length);
      if (from === null) return this.#readStart(needed, walk.from === null ? first : null);
    }
  }

  /** Reads the rows that are needed from the start of the list, where there is no place from which the walk can continue. */
  async #readStart(needed: number, known: ListResponse | null = null): Promise<Block> {
    const { reader, request } = this.#context;
    const isCounted = this.#isCounted({});
    let block = await readStart(reader, needed, isCounted, known);
    for (let wanted = needed; !block.isEnd; block = await readStart(reader, wanted, isCounted)) {
      const unserved = keysOf(block.rows)?.filter((key) => isUnserved(this.#walk, key)).length;
      if (unserved === undefined || unserved > request.first) break;
      // Rows were added before the place of the walk.
      wanted += request.first + 1 - unserved + HEADROOM;
    }
    return block;
  }

  /** Calls the list. Where a row makes the call fail, returns the rows before it, or the gap that it leaves if it would be the first. */
  async #call(
    range: CallRange & { readonly limit: number },
    keys: readonly number[],
  ): Promise<ListResponse | RowGap> {
    const { reader } = this.#context;
    const isCounted = this.#isCounted(range);
    try {
      return await reader.call(range, isCounted);
    } catch (error) {
      if (!this.#mayBeRowFailure(error)) throw error;
      // The call has failed without the count, too.
      const call = (limit: number) => reader.call({ ...range, limit });
      const readable = range.limit === 1 ? null : await readBeforeFailure(call, range.limit);
      if (readable !== null)
        return isCounted ? reader.call({ ...range, limit: readable.limit }, true) : readable;
      const direction = this.#directionOf(keys);
      const isInOrder = this.#walk.trust === 'ids' || (keys.length >= MIN_ORDERED && this.#isStrict(keys));
      if (range.from_id === undefined || direction === null || !isInOrder) throw error;
      const gap = await findGap((from_id) => reader.call({ limit: 1, from_id }), range.from_id, direction);
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

  #isCounted({ from_id, offset }: CallRange): boolean {
    const { first, count } = this.#context.request;
    const isFirst = from_id === undefined && offset === undefined && this.#walk.served === 0;
    return count || !isFirst || first + 1 > SMALLEST_HIDDEN_LIMIT;
  }

  /** Input of the call that reads on. */
  #rangeFrom(
    from: number | null,
    keys: readonly number[],
    unserved: number,
  ): CallRange & { readonly limit: number } {
    const { list, first } = this.#context.request;
    if (from === null) return { limit: Math.min(this.#startLimit(), list.cap) };
    const isExact = list.paging === 'keyset' && this.#isStrict(keys);
    const wanted = Math.max(1, first + 1 - unserved) + (isExact ? 0 : overlapOf(list));
    const limit = Math.min(wanted, list.cap);
    return list.paging === 'offset' ? { limit, offset: from } : { limit, from_id: from };
  }

  /** Limit of a call that reads the start of the list. The first page needs its rows only, the second one learns the order. */
  #startLimit(): number {
    const { served, total } = this.#walk;
    const { first } = this.#context.request;
    const needed = served + first + 1;
    if (served === 0) return needed;
    const { allowance } = this.#context.reader;
    const isShort = total !== null && total + HEADROOM <= allowance;
    return Math.max(needed, isShort ? total + HEADROOM : PROBE);
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
    return length === first.rows.length && length !== first.limit;
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
    if (list.paging === 'offset') return Math.max(0, (this.#walk.from ?? 0) + keys.length - overlap);
    if (list.paging !== 'keyset' || !keys.every((key) => key >= 0)) return null;
    if (this.#isStrict(keys)) return keys.at(-1) ?? null;
    const direction = this.#directionOf(keys);
    if (direction === null || !isNearlyOrdered(keys, direction, toleranceOf(list, keys.length))) return null;
    const furthest = keys.toSorted((a, b) => (direction === 'ascending' ? b - a : a - b))[overlap - 1];
    return furthest === undefined ? null : fromIdBefore(furthest, direction);
  }

  #isStrict(keys: readonly number[]): boolean {
    const direction = this.#directionOf(keys);
    return this.#walk.trust !== 'ties' && (direction === null || isOrdered(keys, direction));
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
