// Reads one page of a list. The cursor determines how.
import { PaginationUnsupportedError } from '../errors.ts';
import type { Read } from '../operation-calls.ts';
import { BlockReader } from './block-reader.ts';
import { decodeCursor, type Position, type Walk } from './cursor.ts';
import type { List, PageRequest, ResponseSizes } from './list.ts';
import { cutPage, markUnverified, type Page, PageContext, type Unserved } from './page.ts';
import { readPositionPage } from './position-page.ts';
import {
  correctWalk,
  fromIdBefore,
  highestOf,
  isUnserved,
  keysOf,
  orderOf,
  overlapOf,
  PROBE,
  startWalk,
  trendOf,
} from './row-order.ts';
import { mayBeRowFailure } from './unreadable-rows.ts';
import { type Block, readWhole } from './whole-list.ts';

/**
 * Reads one page. A walk from page to page serves each row of the list exactly once, in any order of the upstream.
 * @throws InvalidInputError when the cursor belongs to another list.
 * @throws PaginationUnsupportedError when every way of reading the list would lose rows.
 */
export async function readPage(request: PageRequest, read: Read, sizes: ResponseSizes): Promise<Page> {
  const context = new PageContext(request, read, sizes);
  if (request.after === null) return withTotal(await readWalkPage(context, startWalk(request.list)), request);
  const cursor = decodeCursor(context.tag, request.after);
  return cursor.kind === 'position' ? readPositionPage(context, cursor) : readWalkPage(context, cursor);
}

/** Adds the total to a first page that has the whole list, which the API need not count. */
function withTotal(page: Page, { count }: PageRequest): Page {
  const isWhole = !page.hasNextPage && page.unverified === null && page.gaps.length === 0;
  return count && isWhole && page.totalCount === null ? { ...page, totalCount: page.rows.length } : page;
}

/** Reads the page that follows the rows of a walk. Where the responses contradict what the walk relies on, it relies on less. */
async function readWalkPage(context: PageContext, walk: Walk): Promise<Page> {
  const fromStart = { ...walk, trust: 'none', from: null, head: null } as const;
  for (const attempt of [walk, ...withTies(context.request.list, walk), fromStart]) {
    const block = await new BlockReader(context, attempt).read();
    if (block === null) continue;
    const unserved = unservedOf(context, attempt, block);
    if (unserved !== null) return finishPage(context, unserved);
    // Ids that are missing or repeated do not distinguish rows.
    return readPositionPage(context, positionOf(walk), block.from === null ? block : null);
  }
  return readPositionPage(context, positionOf(walk));
}

/** The place of a walk among rows that ids do not distinguish. */
const positionOf = ({ served }: Walk): Position | null =>
  served === 0 ? null : { id: null, next: null, served };

/** A walk in the order of ids that goes on by reading served rows again. */
function withTies(list: List, walk: Walk): readonly Walk[] {
  const { trust, direction, ids } = walk;
  const furthest = trust === 'ids' && direction ? ids.furthest(overlapOf(list), direction) : null;
  if (furthest === null || direction === null) return [];
  return [{ ...walk, trust: 'ties', from: fromIdBefore(furthest, direction) }];
}

/** Finds the rows of a block that a walk has not served; null if ids do not distinguish them. */
function unservedOf(context: PageContext, walk: Walk, block: Block): Unserved | null {
  const { list } = context.request;
  const keys = keysOf(block.rows);
  if (keys === null) return null;
  const isEnough = block.isEnd || walk.served > 0 || keys.length >= Math.min(PROBE, list.cap);
  // A gap is found by the order of ids only. To read the start again would find it again.
  const direction = walk.direction ?? trendOf(keys);
  const relied = block.gaps === undefined ? walk : { ...walk, trust: 'ids' as const, direction };
  const order = orderOf(list, relied, keys, isEnough);
  const corrected = correctWalk(walk, block, keys, order);
  const indexes: number[] = [];
  for (const [index, key] of keys.entries()) if (isUnserved(corrected, key)) indexes.push(index);
  return { walk: corrected, block, indexes, keys };
}

/** Cuts a page out of unserved rows. At the end of the walk, makes sure that no row is missing. */
async function finishPage(context: PageContext, unserved: Unserved): Promise<Page> {
  const { walk, block, indexes } = unserved;
  if (indexes.length > context.request.first || isVerifiedEnd(context, unserved))
    return cutPage(context, unserved);
  const whole = block.isSearched ? block : await readRest(context, walk.served + indexes.length);
  if (whole === null) return markUnverified(cutPage(context, unserved), walk.served, walk.total);
  const last = missedOf(context, unserved, whole);
  if (last === null) return readPositionPage(context, positionOf(walk), whole);
  const page = cutPage(context, last);
  const isUnverified = !page.hasNextPage && (!whole.isWhole || hasMore(unserved, whole));
  return isUnverified ? markUnverified(page, walk.served, whole.total) : page;
}

/**
 * Reads the whole list once more, because nothing else proves that a walk has reached its end. Null where that fails, or costs more rows
 * than the page may read.
 * @param known Number of rows that the walk has found.
 */
async function readRest({ reader, request: { list } }: PageContext, known: number): Promise<Block | null> {
  const { allowance } = reader;
  const limit = Math.min(list.cap, allowance);
  if (known >= allowance || (known >= limit && list.hasDefaultLimit)) return null;
  try {
    if (known >= limit || !list.takesLimit) return await readWhole(reader, null);
    const start = await reader.call({ limit }, true);
    if (start.rows.length < allowance) return await readWhole(reader, start);
    return { ...start, from: null, isEnd: false, isWhole: reader.isWhole(start) };
  } catch (error) {
    if (!(error instanceof PaginationUnsupportedError || mayBeRowFailure(error))) throw error;
    return null;
  }
}

/** Whether a whole list has more rows than the walk, which cannot find them because its cursor does not hold each id. */
function hasMore({ walk: { served, head }, indexes }: Unserved, { rows }: Block): boolean {
  const known = (keysOf(rows) ?? []).filter((key) => head === null || key <= head);
  return known.length > served + indexes.length;
}

/** Whether a walk that has no further rows has served all rows of its list. */
function isVerifiedEnd({ request: { list } }: PageContext, { walk, block, indexes }: Unserved): boolean {
  if (!block.isEnd) return false;
  if (block.isWhole || list.declaredOrder !== null) return true;
  // An empty response may also come from an API that filters in the other direction.
  if (walk.isVerified && block.rows.length > 0) return true;
  const served = walk.served + indexes.length + walk.gaps + (block.gaps?.length ?? 0);
  if (walk.total === null || walk.trust === 'none') return false;
  // New rows at the head of the list are not served, so that the rows of the beginning suffice.
  if (walk.head !== null) return served >= walk.total;
  // A total that has become smaller shows a deletion, which may hide a row that was not served.
  return served === (block.lastTotal ?? block.total) && served >= walk.total;
}

/** The rows of the whole list that a walk has not served at its end; null if ids do not distinguish them. */
function missedOf(context: PageContext, unserved: Unserved, whole: Block): Unserved | null {
  const { keys, indexes } = unserved;
  const walk = { ...unserved.walk, head: confirmHead(context.request.list, unserved.walk, whole) };
  const left = unservedOf(context, walk, whole);
  const inHand = new Set(indexes.map((index) => keys[index]));
  if (left === null || left.indexes.every((index) => inHand.has(left.keys[index])))
    return left && { ...unserved, walk: { ...unserved.walk, isVerified: walk.trust === 'ids' } };
  // Rows that are added from now on are no part of the walk.
  const head = walk.head ?? highestOf(left.keys);
  return unservedOf(context, { ...left.walk, trust: 'none', from: null, head }, whole);
}

/** The highest id when a walk began, if the whole list does not contradict it: its order, and the rows up to this id. */
function confirmHead(list: List, walk: Walk, whole: Block): number | null {
  const { head, total } = walk;
  const keys = keysOf(whole.rows) ?? [];
  if (head === null || orderOf(list, walk, keys, true).trust === 'none') return null;
  const hidden = Math.max(0, (whole.total ?? 0) - keys.length);
  return total === null || keys.filter((key) => key <= head).length + hidden >= total ? head : null;
}
