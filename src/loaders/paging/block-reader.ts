// Reads the rows of a list from the place where a walk continues.
import type { ReadResult } from '../additions.ts';
import type { Walk } from './cursor.ts';
import {
  type Block,
  type CallRange,
  isWhole,
  type ListReader,
  type ListResponse,
  mayContinue,
  SMALLEST_HIDDEN_LIMIT,
} from './list.ts';
import {
  type Direction,
  fromIdBefore,
  isAfter,
  isNearlyOrdered,
  isOrdered,
  isUnserved,
  overlapOf,
  PROBE,
  toleranceOf,
  trendOf,
} from './row-order.ts';

/** Number of rows that may be added to a short list while it is walked, without another call. */
const HEADROOM = 8;

/** Reads one block of a walk. */
export class BlockReader {
  readonly #reader: ListReader;
  readonly #walk: Walk;
  /** The rows in hand and their keys, each once. */
  #rows: Block['rows'] = [];
  #keys: readonly number[] = [];
  #first: ListResponse | null = null;

  constructor(reader: ListReader, walk: Walk) {
    this.#reader = reader;
    this.#walk = walk;
  }

  /**
   * Reads from the place of the walk until more rows are unserved than the page needs, or the list ends. The rows of a block may have
   * repeated or no ids if it begins at the start of the list.
   * @returns Null if the responses contradict what the walk relies on.
   */
  read(): Promise<Block | null> {
    const { trust, from } = this.#walk;
    if (trust === 'none' || !this.#reader.request.list.takesLimit) return this.#readStart();
    return this.#readFrom(from, 0);
  }

  /** @param unserved Number of rows in hand that the walk has not served. */
  #readFrom(from: number | null, unserved: number): Promise<Block | null> {
    const range = this.#rangeFrom(from, unserved);
    const isCounted = this.#isCounted(from === null);
    return this.#reader.send(range, isCounted).then((result) => this.#accept(result, range, from));
  }

  /** Adds the rows of a response, and reads on where they do not suffice. */
  #accept(result: ReadResult, range: CallRange, from: number | null): Block | null | Promise<Block | null> {
    const reader = this.#reader;
    const walk = this.#walk;
    const response = reader.accept(result, range);
    const { keys, rows, limit } = response;
    if (keys === null) {
      const isEnd = isWhole(response);
      return from === null ? { ...response, from, isEnd, isWhole: isEnd } : null;
    }
    if (from !== null && !this.#follows(keys, from)) return null;
    const added = this.#add(rows, keys);
    this.#first ??= response;
    let unserved = 0;
    for (const key of this.#keys) if (isUnserved(walk, key)) unserved += 1;
    const total = this.#first.total ?? response.total;
    const soFar = walk.from === null ? this.#rows.length : walk.served + unserved;
    const isEnd = (added === 0 && rows.length < limit) || !mayContinue(response, total, soFar);
    // A short response from the start may be cut. Its end shows which rows are new, and is found once.
    const isCut = from === null && walk.served > 0 && rows.length < limit;
    if (isEnd || (unserved > reader.request.first && !isCut))
      return {
        rows: this.#rows,
        keys: this.#keys,
        from: walk.from,
        total,
        lastTotal: response.total,
        isEnd,
        isWhole: isEnd && walk.from === null && this.#isWhole(response, this.#first),
      };
    const place = added === 0 ? null : this.#placeAfter(rows.length);
    if (place !== null) return this.#readFrom(place, unserved);
    return this.#readStart(walk.from === null ? this.#first : null);
  }

  /** Adds the rows that are not known yet, and returns their number. @param keys The keys of the rows, all different. */
  #add(rows: Block['rows'], keys: readonly number[]): number {
    if (this.#rows.length === 0) {
      this.#rows = rows;
      this.#keys = keys;
      return rows.length;
    }
    const known = new Set(this.#keys);
    const isNew = (_item: unknown, index: number): boolean => !known.has(keys[index] ?? 0);
    const added = rows.filter(isNew);
    this.#rows = [...this.#rows, ...added];
    this.#keys = [...this.#keys, ...keys.filter(isNew)];
    return added.length;
  }

  /** Reads the rows that are needed from the start of the list, where there is no place from which the walk can continue. */
  async #readStart(known: ListResponse | null = null): Promise<Block> {
    const { first } = this.#reader.request;
    const isCounted = this.#isCounted(true);
    let needed = this.#walk.served + first + 1;
    let block = await this.#reader.readStart(needed, isCounted, known);
    while (!block.isEnd) {
      const unserved = block.keys?.filter((key) => isUnserved(this.#walk, key)).length;
      if (unserved === undefined || unserved > first) break;
      // Rows were added before the place of the walk.
      needed += first + 1 - unserved + HEADROOM;
      block = await this.#reader.readStart(needed, isCounted);
    }
    return block;
  }

  #isCounted(isStart: boolean): boolean {
    const { first, count } = this.#reader.request;
    return count || !isStart || this.#walk.served > 0 || first + 1 > SMALLEST_HIDDEN_LIMIT;
  }

  /** Input of the call that reads on. */
  #rangeFrom(from: number | null, unserved: number): CallRange {
    const { list, first } = this.#reader.request;
    if (from === null) return { limit: Math.min(this.#startLimit(), list.cap) };
    const isExact = list.paging === 'keyset' && this.#isStrict;
    const wanted = Math.max(1, first + 1 - unserved) + (isExact ? 0 : overlapOf(list));
    const limit = Math.min(wanted, list.cap);
    return list.paging === 'offset' ? { limit, offset: from } : { limit, from_id: from };
  }

  /** Limit of a call that reads the start of the list. The first page needs its rows only, the second one learns the order. */
  #startLimit(): number {
    const { served, total } = this.#walk;
    const needed = served + this.#reader.request.first + 1;
    if (served === 0) return needed;
    const isShort = total !== null && total + HEADROOM <= this.#reader.allowance;
    return Math.max(needed, isShort ? total + HEADROOM : PROBE);
  }

  /** Whether the rows of a response follow the place that was requested. They do not if the API ignores it. */
  #follows(keys: readonly number[], from: number): boolean {
    const { ids, trust } = this.#walk;
    const { list } = this.#reader.request;
    const inHand = this.#keys;
    if (list.paging === 'offset') {
      const [first] = keys;
      // An API that ignores the place answers from the start again.
      if (this.#walk.from === null && keys.length > 1 && first === inHand[0]) return false;
      return overlapOf(list) === 0 || (first !== undefined && (ids.has(first) || inHand.includes(first)));
    }
    const direction = this.#direction ?? ((keys[0] ?? 0) > from ? 'ascending' : 'descending');
    const isStrict = trust !== 'ids' || isOrdered(keys, direction);
    return isStrict && keys.every((key) => isAfter(key, from, direction));
  }

  /** Whether the rows that were read from the start of the list are all of it. Rows that `from_id` skips are found only by the total. */
  #isWhole(last: ListResponse, { rows, total, limit }: ListResponse): boolean {
    const { length } = this.#rows;
    // Rows that were added between the calls may stand for others that are missing.
    if (total !== null) return length >= total && last.total === total;
    return length === rows.length && length !== limit;
  }

  /**
   * Where the next call starts; null if the rows in hand do not show it.
   * @param latest Number of rows in the latest response.
   */
  #placeAfter(latest: number): number | null {
    const { list } = this.#reader.request;
    const keys = this.#keys;
    const overlap = Math.min(overlapOf(list), Math.floor(latest / 2));
    if (list.paging === 'offset') return Math.max(0, (this.#walk.from ?? 0) + keys.length - overlap);
    if (list.paging !== 'keyset' || !keys.every((key) => key >= 0)) return null;
    if (this.#isStrict) return keys.at(-1) ?? null;
    const direction = this.#direction;
    if (direction === null || !isNearlyOrdered(keys, direction, toleranceOf(list, keys.length))) return null;
    const furthest = keys.toSorted((a, b) => (direction === 'ascending' ? b - a : a - b))[overlap - 1];
    return furthest === undefined ? null : fromIdBefore(furthest, direction);
  }

  /** Whether the rows in hand have the order of their ids. */
  get #isStrict(): boolean {
    const direction = this.#direction;
    return this.#walk.trust !== 'ties' && (direction === null || isOrdered(this.#keys, direction));
  }

  get #direction(): Direction | null {
    const { trust, direction } = this.#walk;
    return (trust === 'unknown' ? null : direction) ?? trendOf(this.#keys);
  }
}
