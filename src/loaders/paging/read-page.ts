// Reads one page of a list, in the way that the list's description and the cursor ask for.
import { InvalidInputError, PaginationUnsupportedError } from '../../upstream/errors/request-errors.ts';
import type { Read } from '../read.ts';
import { type Cursor, decodeCursor, type PrefixCursor } from './cursor.ts';
import { KeysetReader } from './keyset/keyset.ts';
import { WindowReader } from './keyset/window-reader.ts';
import { readOffsetPage } from './offset.ts';
import { type ListMemory, type Page, PageReading, type PageRequest } from './page.ts';
import { readPrefixPage } from './prefix.ts';
import { readRestPage } from './rest.ts';

/**
 * Reads one page. A walk page by page serves each row of the list exactly once, however the upstream orders it.
 * @throws InvalidInputError for a cursor that is not this list's.
 * @throws PaginationUnsupportedError for a list that no way of reading walks without loss.
 */
export async function readPage(request: PageRequest, read: Read, kept: ListMemory): Promise<Page> {
  const reading = new PageReading(request, read, kept);
  const cursor: Cursor | null = request.after === null ? null : decodeCursor(reading.tag, request.after);
  const { paging } = request.list;
  switch (cursor?.kind) {
    case 'rest':
      return readRestPage(reading, cursor);
    case 'prefix':
      return paging === 'keyset' ? readKeysetPrefixPage(reading, cursor) : readPrefixPage(reading, cursor);
    case 'keyset':
      return new KeysetReader(reading).page(cursor);
    case 'offset':
      if (paging === 'offset') return readOffsetPage(reading, cursor);
      throw new InvalidInputError('"after" was made when this list paged otherwise; start again without it.');
    case undefined:
      if (paging === 'offset') return readOffsetPage(reading, null);
      return paging === 'keyset' ? new KeysetReader(reading).page(null) : readPrefixPage(reading, null);
  }
}

/** Reads a page from the start of its list or, beyond the most rows that one answer holds, by overlapping windows. */
async function readKeysetPrefixPage(reading: PageReading, cursor: PrefixCursor): Promise<Page> {
  try {
    return await readPrefixPage(reading, cursor);
  } catch (error) {
    if (!(error instanceof PaginationUnsupportedError)) throw error;
    const page = await new WindowReader(reading).afterPrefix(cursor);
    if (page === null) throw error;
    return page;
  }
}
