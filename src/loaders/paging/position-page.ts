// Reads pages of a list whose rows ids do not distinguish: they have none, or repeat them.
import type { JsonObject } from '../../upstream/json.ts';
import { type Position, positionAt } from './cursor.ts';
import { isShort } from './list.ts';
import { markUnverified, type Page, type PageContext } from './page.ts';
import { type Block, readStart } from './whole-list.ts';

/**
 * Reads a page by the place of its rows in the list, which is read from its start.
 * @param position The row that the page follows; null for the first page.
 * @param known Rows from the start of the list that have been read already.
 */
export async function readPositionPage(
  context: PageContext,
  position: Position | null,
  known: Block | null = null,
): Promise<Page> {
  const { reader, request } = context;
  const needed = (position?.served ?? 0) + request.first + 1;
  const suffices = known !== null && (known.isEnd || known.rows.length >= needed);
  let block = suffices ? known : await readStart(reader, needed, true);
  for (;;) {
    const index = position === null ? 0 : indexAfter(block.rows, position);
    if (block.isEnd || (index !== null && block.rows.length > index + request.first))
      return cutPositionPage(context, block, index, position);
    // Rows were added before the cursor's row, or it was deleted.
    const { length } = block.rows;
    block = await readStart(
      reader,
      length + (index === null ? length + request.first + 1 : request.first + 1),
      true,
    );
  }
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
  const isUnverified = index === null || (!page.hasNextPage && (isShort(block) || !block.isWhole));
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
