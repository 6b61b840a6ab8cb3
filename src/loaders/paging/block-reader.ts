// Reads the rows from the place where a walk continues, and around rows that make a response fail as a whole.
import { ActionFailedError, isMissing } from '../../upstream/errors.ts';
import type { Walk } from './cursor.ts';
import {
  type Block,
  type CallRange,
  type ListReader,
  type ListResponse,
  type RowGap,
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
/** Number of rows whose order by id shows that the list can be read on behind a row that it fails with. */
const MIN_ORDERED = 10;
/** The largest number of ids that a gap may have. */
const MAX_GAP = 1 << 16;

/** Statuses that say something about the caller or the moment, not about a row. */
const OTHER_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 409, 410, 422, 423, 429]);

/** Whether one row may be the reason for the failure of a list. */
export const mayBeRowFailure = (error: unknown): boolean =>
  error instanceof ActionFailedError && error.errors.size === 0 && !OTHER_STATUSES.has(error.status ?? 0);

/** A call with a limit. */
type LimitedRange = CallRange & { readonly limit: number };

/** Reads the blocks of one walk. */
export class BlockReader {
  readonly #reader: ListReader;
  readonly #walk: Walk;
  /** The rows in hand and their keys, each once. */
  #rows: Block['rows'] = [];
  #keys: readonly number[] = [];

  constructor(reader: ListReader, walk: Walk) {
    this.#reader = reader;
    this.#walk = walk;
  }

  /**
   * Reads from the place of the walk until more rows are unserved than the page needs, or the list ends. The rows of a block may have
   * repeated or no ids if it begins at the start of the list.
   * @returns Null if the responses contradict what the walk relies on.
   */
  async read(): Promise<Block | null> {
    const reader = this.#reader;
    const { first: wanted, list } = reader.request;
    const walk = this.#walk;
    if (walk.trust === 'none' || !list.takesLimit) return this.#readStart();
    const gaps: RowGap[] = [];
    let { from } = walk;
    let first: ListResponse | null = null;
    let before: ListResponse | null = null;
    for (let unserved = 0; ; ) {
      const response = await this.#call(this.#rangeFrom(from, unserved));
      if ('upTo' in response) {
        gaps.push(response);
        from = response.upTo;
        continue;
      }
      const { keys } = response;
      if (keys === null) {
        const isEnd = reader.isWhole(response);
        return from === null ? { ...response, from, isEnd, isWhole: isEnd } : null;
      }
      if (from !== null && !this.#follows(keys, from)) return null;
      const added = this.#add(response.rows, keys);
      if (before !== null && added === 0 && before.rows.length < before.limit) reader.recordEnd(before);
      first ??= response;
      before = response;
      unserved = this.#keys.filter((key) => isUnserved(walk, key)).length;
      const total = first.total ?? response.total;
      const soFar = walk.from === null ? this.#rows.length : walk.served + unserved;
      const isEnd =
        (added === 0 && response.rows.length < response.limit) || !reader.mayContinue(response, total, soFar);
      // A short response from the start may be cut. Its end shows which rows are new, and is found once.
      const isCut = from === null && walk.served > 0 && response.rows.length < response.limit;
      if (isEnd || (unserved > wanted && !isCut)) {
        const isWhole = isEnd && walk.from === null && this.#isWhole(response, first);
        const read = { rows: this.#rows, keys: this.#keys, from: walk.from };
        const found = { ...read, total, lastTotal: response.total, isEnd, isWhole };
        return gaps.length > 0 ? { ...found, gaps } : found;
      }
      from = added === 0 ? null : this.#placeAfter(response.rows.length);
      if (from === null) return this.#readStart(walk.from === null ? first : null);
    }
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
    const isCounted = this.#isCounted({});
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

  /** Calls the list. Where a row makes the call fail, returns the rows before it, or the gap that it leaves if it would be the first. */
  #call(range: LimitedRange): Promise<ListResponse | RowGap> {
    const isCounted = this.#isCounted(range);
    return this.#reader.call(range, isCounted).catch((error: unknown) => {
      const { path, list } = this.#reader.request;
      // A list below an object that does not exist fails, too.
      const mayLackParent = path.length > 0 && this.#walk.served === 0 && isMissing(error);
      if (list.paging !== 'keyset' || mayLackParent || !mayBeRowFailure(error)) throw error;
      return this.#readAround(range, isCounted, error);
    });
  }

  async #readAround(range: LimitedRange, isCounted: boolean, error: unknown): Promise<ListResponse | RowGap> {
    // The call has failed without the count, too.
    const tryCall = (part: CallRange): Promise<ListResponse | null> =>
      this.#reader.call({ ...range, ...part }).catch((failure: unknown) => {
        if (mayBeRowFailure(failure)) return null;
        throw failure;
      });
    const readable = range.limit === 1 ? null : await readBeforeFailure(tryCall, range.limit);
    if (readable !== null)
      return isCounted ? this.#reader.call({ ...range, limit: readable.limit }, true) : readable;
    const keys = this.#keys;
    const direction = this.#direction;
    const isInOrder = this.#walk.trust === 'ids' || (keys.length >= MIN_ORDERED && this.#isStrict);
    if (range.from_id === undefined || direction === null || !isInOrder) throw error;
    const gap = await findGap(tryCall, range.from_id, direction);
    if (gap === null) throw error;
    return gap;
  }

  #isCounted({ from_id, offset }: CallRange): boolean {
    const { first, count } = this.#reader.request;
    const isFirst = from_id === undefined && offset === undefined && this.#walk.served === 0;
    return count || !isFirst || first + 1 > SMALLEST_HIDDEN_LIMIT;
  }

  /** Input of the call that reads on. */
  #rangeFrom(from: number | null, unserved: number): LimitedRange {
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

/** Calls the list; null where a row may be the reason for the failure. */
type TryCall = (part: CallRange) => Promise<ListResponse | null>;

/**
 * Reads the rows before the first one that cannot be read; null if it is the first.
 * @param limit A limit with which the call fails.
 */
async function readBeforeFailure(tryCall: TryCall, limit: number): Promise<ListResponse | null> {
  let readable = await tryCall({ limit: 1 });
  for (let [low, high] = [1, limit]; readable !== null && high - low > 1; ) {
    const middle = Math.floor((low + high) / 2);
    const response = await tryCall({ limit: middle });
    if (response === null) high = middle;
    else [low, readable] = [middle, response];
  }
  return readable;
}

/** Finds the rows that cannot be read after an id: the least place from which the list can be read again. Null if none is near. */
async function findGap(tryCall: TryCall, after: number, direction: Direction): Promise<RowGap | null> {
  const placeAt = (distance: number): number =>
    direction === 'ascending' ? after + distance : after - distance;
  const fails = async (distance: number): Promise<boolean> =>
    (await tryCall({ limit: 1, from_id: placeAt(distance) })) === null;
  let [failing, readable] = [0, 1];
  while (await fails(readable)) {
    [failing, readable] = [readable, readable * 2];
    if (readable > MAX_GAP || placeAt(readable) < 0) return null;
  }
  while (readable - failing > 1) {
    const middle = Math.floor((failing + readable) / 2);
    if (await fails(middle)) failing = middle;
    else readable = middle;
  }
  return { after, upTo: placeAt(readable) };
}
