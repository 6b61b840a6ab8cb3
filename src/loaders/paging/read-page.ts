// Reads one page of a list in the way that its description or the cursor determines (docs/paging.md explains the algorithm).
import { InvalidInputError } from '../../upstream/errors/request-errors.ts';
import type { Read } from '../read.ts';
import { type Cursor, decodeCursor } from './cursor.ts';
import { KeysetReader } from './keyset/keyset.ts';
import { readOffsetPage } from './offset.ts';
import { type ListMemory, type Page, PageReading, type PageRequest } from './page.ts';
import { readPrefixPage } from './prefix.ts';
import { readRestPage } from './rest.ts';

/**
 * Reads one page. A walk, which reads page after page, serves each row of the list exactly once in any order of the upstream.
 * @throws InvalidInputError when the cursor does not belong to this list, PaginationUnsupportedError when no way of reading
 *   serves every row.
 */
export async function readPage(request: PageRequest, read: Read, sharedState: ListMemory): Promise<Page> {
  const reading = new PageReading(request, read, sharedState);
  const cursor: Cursor | null = request.after === null ? null : decodeCursor(reading.tag, request.after);
  const { paging } = request.list;
  switch (cursor?.kind) {
    case 'rest':
      return readRestPage(reading, cursor);
    case 'prefix':
      return readPrefixPage(reading, cursor);
    case 'keyset':
      return new KeysetReader(reading).readPage(cursor);
    case 'offset':
      if (paging === 'offset') return readOffsetPage(reading, cursor);
      throw new InvalidInputError(
        '"after" is a cursor from before this list changed its way of paging; start again without it.',
      );
    case undefined:
      if (paging === 'offset') return readOffsetPage(reading, null);
      return paging === 'keyset' ? new KeysetReader(reading).readPage(null) : readPrefixPage(reading, null);
  }
}
