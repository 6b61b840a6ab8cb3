// Reads one page of a list. The list's description and the cursor determine how.
import { InvalidInputError, PaginationUnsupportedError } from '../../upstream/errors/request-errors.ts';
import type { Read } from '../read.ts';
import { decodeCursor, type PrefixCursor } from './cursor.ts';
import { KeysetReader } from './keyset/keyset-reader.ts';
import { WindowReader } from './keyset/window-reader.ts';
import { readOffsetPage } from './offset-page.ts';
import { type ListMemory, type Page, PageContext, type PageRequest } from './page.ts';
import { readPrefixPage } from './prefix-page.ts';

/**
 * Reads one page. A walk from page to page serves each row of the list exactly once, in any order of the upstream.
 * @throws InvalidInputError when the cursor belongs to another list.
 * @throws PaginationUnsupportedError when every way of reading the list would lose rows.
 */
export async function readPage(request: PageRequest, read: Read, listMemory: ListMemory): Promise<Page> {
  const context = new PageContext(request, read, listMemory);
  const { paging } = request.list;
  const cursor = request.after === null ? null : decodeCursor(context.tag, request.after);
  if (cursor?.kind === 'prefix')
    return paging === 'keyset' ? readKeysetPrefixPage(context, cursor) : readPrefixPage(context, cursor);
  if (cursor !== null && cursor.kind !== paging)
    throw new InvalidInputError(
      '"after" was made when this list paged in another way; start again without it.',
    );
  if (cursor?.kind === 'keyset') return new KeysetReader(context).readPage(cursor);
  if (cursor?.kind === 'offset') return readOffsetPage(context, cursor);
  if (paging === 'offset') return readOffsetPage(context, null);
  return paging === 'keyset' ? new KeysetReader(context).readPage(null) : readPrefixPage(context, null);
}

/** Reads a page from the start of its list. If one response cannot contain these rows, the page is read by overlapping windows. */
async function readKeysetPrefixPage(context: PageContext, cursor: PrefixCursor): Promise<Page> {
  try {
    return await readPrefixPage(context, cursor);
  } catch (error) {
    if (!(error instanceof PaginationUnsupportedError)) throw error;
    const page = await new WindowReader(context).readPageAfterPrefix(cursor);
    if (page === null) throw error;
    return page;
  }
}
