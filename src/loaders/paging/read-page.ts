// Reads one page of a list. The cursor determines how.
import { ActionFailedError } from '../../upstream/errors.ts';
import type { JsonObject } from '../../upstream/json.ts';
import { PaginationUnsupportedError } from '../errors.ts';
import type { Read } from '../operation-calls.ts';
import { BlockReader } from './block-reader.ts';
import { decodeCursor, encodeCursor, type Unserved, type Walk, WalkCursors } from './cursor.ts';
import { type Block, isWhole, type List, ListReader, type PageRequest } from './list.ts';
import {
  correctWalk,
  fromIdBefore,
  highestOf,
  isUnserved,
  orderOf,
  overlapOf,
  PROBE,
  startWalk,
} from './row-order.ts';

/** The end of a walk that may have missed rows, because others changed the list during the walk or the list offers no count. */
export interface UnverifiedEnd {
  /** Number of rows that the walk has served. */
  readonly served: number;
  /** The list's total; null if the API does not offer it. */
  readonly total: number | null;
}

/** A page that was read. */
export interface Page {
  readonly rows: readonly JsonObject[];
  /** Writes the cursor of a row, by its index. Most clients select no cursors but the last. */
  readonly cursorAt: (index: number) => string;
  readonly hasNextPage: boolean;
  /** Null when it was not requested, or the upstream does not offer it. */
  readonly totalCount: number | null;
  /** Whether more than the page was read, because the API cannot page this list without losing rows or ignores the limit. */
  readonly isEmulated: boolean;
  /** Set if the walk up to this page cannot be proven complete. In most cases, this is the last page. */
  readonly unverified: UnverifiedEnd | null;
  /** Whether a response lacks requested associations, because the API fails with them. */
  readonly lacksIncludes: boolean;
}

/**
 * Reads one page. A walk from page to page serves each row of the list exactly once, in any order of the upstream.
 * @throws InvalidInputError when the cursor belongs to another list.
 * @throws PaginationUnsupportedError when every way of reading the list would lose rows.
 */
export function readPage(request: PageRequest, read: Read): Promise<Page> {
  const reader = new ListReader(request, read);
  if (request.after !== null) return readNextPage(reader, request.after);
  const page = readWalkPage(reader, startWalk(request.list));
  return request.count ? page.then(withTotal) : page;
}

async function readNextPage(reader: ListReader, after: string): Promise<Page> {
  const cursor = decodeCursor(reader.tag, after);
  return cursor.kind === 'place' ? readPlacePage(reader, cursor.served) : readWalkPage(reader, cursor);
}

/** Adds the total to a first page that has the whole list, which the API need not count. */
function withTotal(page: Page): Page {
  const isWhole = !page.hasNextPage && page.unverified === null;
  return isWhole && page.totalCount === null ? { ...page, totalCount: page.rows.length } : page;
}

/** Reads the page that follows the rows of a walk. Where the responses contradict what the walk relies on, it relies on less. */
async function readWalkPage(reader: ListReader, walk: Walk): Promise<Page> {
  for (let relied: Walk | null = walk; relied !== null; relied = relyOnLess(reader.request.list, relied)) {
    const block = await new BlockReader(reader, relied).read();
    if (block === null) continue;
    const unserved = unservedOf(reader, relied, block);
    // Ids that are missing or repeated do not distinguish rows.
    if (unserved === null) return readPlacePage(reader, walk.served, block.from === null ? block : null);
    const isDone =
      unserved.indexes.length > reader.request.first || isVerifiedEnd(reader.request.list, unserved);
    return isDone ? cutWalkPage(reader, unserved) : endWalk(reader, unserved);
  }
  return readPlacePage(reader, walk.served);
}

/** A walk in the order of ids goes on by reading served rows again, any other one from the start of the list. Null when it has done so. */
function relyOnLess(list: List, walk: Walk): Walk | null {
  const { trust, direction, ids } = walk;
  if (trust === 'none') return null;
  const furthest = trust === 'ids' && direction ? ids.furthest(overlapOf(list), direction) : null;
  if (furthest === null || direction === null) return { ...walk, trust: 'none', from: null, head: null };
  return { ...walk, trust: 'ties', from: fromIdBefore(furthest, direction) };
}

/** Finds the rows of a block that a walk has not served; null if ids do not distinguish them. */
function unservedOf({ request: { list } }: ListReader, walk: Walk, block: Block): Unserved | null {
  const { keys } = block;
  if (keys === null) return null;
  const isEnough = block.isEnd || walk.served > 0 || keys.length >= Math.min(PROBE, list.cap);
  const corrected = correctWalk(walk, block, keys, orderOf(list, walk, keys, isEnough));
  const indexes: number[] = [];
  for (let index = 0; index < keys.length; index += 1)
    if (isUnserved(corrected, keys[index] ?? 0)) indexes.push(index);
  return { walk: corrected, block, indexes, keys };
}

/** Makes sure at the end of a walk that no row is missing. */
async function endWalk(reader: ListReader, unserved: Unserved): Promise<Page> {
  const { walk, block, indexes } = unserved;
  const whole = block.isSearched ? block : await readRest(reader, walk.served + indexes.length);
  if (whole === null) return markUnverified(cutWalkPage(reader, unserved), walk.served, walk.total);
  const last = missedOf(reader, unserved, whole);
  if (last === null) return readPlacePage(reader, walk.served, whole);
  const page = cutWalkPage(reader, last);
  const isUnverified = !page.hasNextPage && (!whole.isWhole || hasMore(unserved, whole));
  return isUnverified ? markUnverified(page, walk.served, whole.total) : page;
}

/**
 * Reads the whole list once more, because nothing else proves that a walk has reached its end. Null where that fails, or costs more rows
 * than the page may read.
 * @param known Number of rows that the walk has found.
 */
async function readRest(reader: ListReader, known: number): Promise<Block | null> {
  const { allowance } = reader;
  const { cap, hasDefaultLimit, takesLimit } = reader.request.list;
  const limit = Math.min(cap, allowance);
  if (known >= allowance || (known >= limit && hasDefaultLimit)) return null;
  try {
    if (known >= limit || !takesLimit) return await reader.readWhole(null);
    const start = await reader.call({ limit }, true);
    if (start.rows.length < allowance) return await reader.readWhole(start);
    return { ...start, from: null, isEnd: false, isWhole: isWhole(start) };
  } catch (error) {
    if (error instanceof PaginationUnsupportedError || error instanceof ActionFailedError) return null;
    throw error;
  }
}

/** Whether a whole list has more rows than the walk, which cannot find them because its cursor does not hold each id. */
function hasMore({ walk: { served, head }, indexes }: Unserved, { keys }: Block): boolean {
  const known = (keys ?? []).filter((key) => head === null || key <= head);
  return known.length > served + indexes.length;
}

/** Whether a walk that has no further rows has served all rows of its list. */
function isVerifiedEnd(list: List, { walk, block, indexes }: Unserved): boolean {
  if (!block.isEnd) return false;
  if (block.isWhole || list.declaredOrder !== null) return true;
  // An empty response may also come from an API that filters in the other direction.
  if (walk.isVerified && block.rows.length > 0) return true;
  const served = walk.served + indexes.length;
  if (walk.total === null || walk.trust === 'none') return false;
  // New rows at the head of the list are not served, so that the rows of the beginning suffice.
  if (walk.head !== null) return served >= walk.total;
  // A total that has become smaller shows a deletion, which may hide a row that was not served.
  return served === (block.lastTotal ?? block.total) && served >= walk.total;
}

/** The rows of the whole list that a walk has not served at its end; null if ids do not distinguish them. */
function missedOf(reader: ListReader, unserved: Unserved, whole: Block): Unserved | null {
  const { keys, indexes } = unserved;
  const walk = { ...unserved.walk, head: confirmHead(reader.request.list, unserved.walk, whole) };
  const left = unservedOf(reader, walk, whole);
  const inHand = new Set(indexes.map((index) => keys[index]));
  if (left === null || left.indexes.every((index) => inHand.has(left.keys[index])))
    return left && { ...unserved, walk: { ...unserved.walk, isVerified: walk.trust === 'ids' } };
  // Rows that are added from now on are no part of the walk.
  const head = walk.head ?? highestOf(left.keys);
  return unservedOf(reader, { ...left.walk, trust: 'none', from: null, head }, whole);
}

/** The highest id when a walk began, if the whole list does not contradict it: its order, and the rows up to this id. */
function confirmHead(list: List, walk: Walk, whole: Block): number | null {
  const { head, total } = walk;
  const keys = whole.keys ?? [];
  if (head === null || orderOf(list, walk, keys, true).trust === 'none') return null;
  const hidden = Math.max(0, (whole.total ?? 0) - keys.length);
  return total === null || keys.filter((key) => key <= head).length + hidden >= total ? head : null;
}

/** Cuts the page that begins at the first unserved row. */
function cutWalkPage(reader: ListReader, unserved: Unserved): Page {
  const { list, first, count } = reader.request;
  const { walk, block, indexes } = unserved;
  const isReadWhole =
    walk.trust === 'none' || (walk.trust === 'ties' && list.paging === 'keyset' && block.isWhole);
  let cursors: WalkCursors | null = null;
  const { length } = indexes;
  const rows: JsonObject[] = [];
  for (let index = 0; index < length && index < first; index += 1)
    rows.push(block.rows[indexes[index] ?? 0] ?? {});
  return {
    rows,
    cursorAt(index) {
      cursors ??= new WalkCursors(list, unserved);
      return encodeCursor(reader.tag, cursors.cursorAt(index));
    },
    hasNextPage: length > first,
    totalCount: count ? block.total : null,
    isEmulated:
      block.from === null && (walk.served > 0 ? isReadWhole : block.isWhole && block.rows.length > first + 1),
    unverified: null,
    lacksIncludes: reader.lacksIncludes,
  };
}

/** Marks a page before or after which rows may be missing. */
const markUnverified = (page: Page, servedBefore: number, total: number | null): Page => ({
  ...page,
  unverified: { served: servedBefore + page.rows.length, total },
});

/**
 * Reads a page by the place of its rows in the list, which is read from its start.
 * @param served Number of rows before the page.
 * @param known Rows from the start of the list that have been read already.
 */
async function readPlacePage(reader: ListReader, served: number, known: Block | null = null): Promise<Page> {
  const { first, count } = reader.request;
  const needed = served + first + 1;
  const suffices = known !== null && (known.isEnd || known.rows.length >= needed);
  const block = suffices ? known : await reader.readStart(needed, true);
  const { rows, total } = block;
  const page = {
    rows: rows.slice(served, served + first),
    cursorAt: (index: number): string =>
      encodeCursor(reader.tag, { kind: 'place', served: served + index + 1 }),
    hasNextPage: rows.length >= needed,
    totalCount: count ? total : null,
    isEmulated: served > 0 || rows.length > first + 1,
    unverified: null,
    lacksIncludes: reader.lacksIncludes,
  };
  const isShort = rows.length < Math.max(total ?? 0, served);
  return !page.hasNextPage && (isShort || !block.isWhole) ? markUnverified(page, served, total) : page;
}
