// Reads pages of a list whose rows ids do not distinguish: they have none, or repeat them.
import type { JsonObject } from '../../upstream/json.ts';
import { type Position, positionAt } from './cursor.ts';
import { type Block, isShort, largestLimit } from './list.ts';
import { markUnverified, type Page, type PageContext } from './page.ts';
import { fetchWholeList } from './whole-list.ts';

/** For a client that walks the list, this multiple of the needed rows is read at once. */
const READ_AHEAD = 8;

/**
 * Reads a page by the place of its rows in the list, which is read from its start.
 * @param position The row that the page follows; null for the first page.
 * @param known Rows from the start of the list that have been read already.
 */
export async function readPositionPage(
  context: PageContext,
  position: Position | null,
  known: Block | null = context.reader.recent(),
): Promise<Page> {
  const { first } = context.request;
  const served = position?.served ?? 0;
  // In fewer rows, an earlier row with the same id would be taken for that of the cursor.
  const suffices = known?.from === null && (known.isEnd || known.rows.length >= served);
  let block = suffices ? known : await readStart(context, served + first + 1);
  for (;;) {
    const index = position === null ? 0 : indexAfter(block.rows, position);
    if (block.isEnd || (index !== null && block.rows.length > index + first))
      return cutPositionPage(context, block, index, position);
    // Rows were added before the cursor's row, or it was deleted: read more, or all.
    const needed = index === null ? Number.POSITIVE_INFINITY : index + first + 1;
    block = await readStart(context, Math.max(needed, block.rows.length + 1));
  }
}

/** Reads the start of a list, or all of it if it is needed. */
function readStart({ reader, request: { list } }: PageContext, needed: number): Promise<Block> {
  return reader.keep(async () => {
    if (!list.takesLimit || needed > largestLimit(list)) return fetchWholeList(reader);
    const start = await reader.call({ limit: Math.min(needed * READ_AHEAD, largestLimit(list)) }, true);
    if (reader.isWhole(start) || start.rows.length === start.limit)
      return { ...start, from: null, isEnd: reader.isWhole(start), isWhole: reader.isWhole(start) };
    return fetchWholeList(reader, start);
  });
}

function cutPositionPage(
  context: PageContext,
  block: Block,
  index: number | null,
  position: Position | null,
): Page {
  const { rows, total } = block;
  // If the cursor's row and the next one are gone, the walk continues at the same place.
  const start = index ?? (position?.served ?? 1) - 1;
  const page = context.cutPage(rows, start, (row, place) => positionAt(row, place, rows), {
    total,
    isEmulated: position !== null || rows.length > context.request.first + 1,
  });
  const mayBeCut = isShort(block) || context.reader.hasUnverifiedEnd(block);
  const isUnverified = index === null || (!page.hasNextPage && mayBeCut);
  return isUnverified ? markUnverified(page, start, total) : page;
}

/**
 * Returns the index of the row after a cursor's row. If the cursor's row is gone, returns the index of the row that followed
 * it. Null when neither is among the rows.
 */
function indexAfter(rows: readonly JsonObject[], { id, next, served }: Position): number | null {
  if (id === null) return served;
  const index = indexOf(rows, id, served - 1);
  return index === null ? indexOf(rows, next, served) : index + 1;
}

/** Returns the index of the row with an id. If several rows have it, the one nearest to `place`. */
function indexOf(rows: readonly JsonObject[], id: number | string | null, place: number): number | null {
  let nearest: number | null = null;
  for (const [index, row] of rows.entries()) {
    if (id === null || row['id'] !== id) continue;
    if (nearest === null || Math.abs(index - place) < Math.abs(nearest - place)) nearest = index;
  }
  return nearest;
}
