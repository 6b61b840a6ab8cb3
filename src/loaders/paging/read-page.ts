// Reads one page of a list. The cursor determines how.
import type { Read } from '../read.ts';
import { decodeCursor } from './cursor.ts';
import { type ListMemory, type Page, PageContext, type PageRequest } from './page.ts';
import { readPositionPage } from './position-page.ts';
import { readWalkPage, startWalk } from './walk-page.ts';

/**
 * Reads one page. A walk from page to page serves each row of the list exactly once, in any order of the upstream.
 * @throws InvalidInputError when the cursor belongs to another list.
 * @throws PaginationUnsupportedError when every way of reading the list would lose rows.
 */
export async function readPage(request: PageRequest, read: Read, listMemory: ListMemory): Promise<Page> {
  const context = new PageContext(request, read, listMemory);
  if (request.after === null) return readWalkPage(context, startWalk(context));
  const cursor = decodeCursor(context.tag, request.after);
  return cursor.kind === 'position' ? readPositionPage(context, cursor) : readWalkPage(context, cursor);
}
