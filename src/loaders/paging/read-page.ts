import { InvalidInputError } from '../../upstream/errors.ts';
import type { Read } from '../operation.ts';
import { decodeCursor } from './cursor.ts';
import { KeysetReader } from './keyset.ts';
import type { ListOrders } from './list-orders.ts';
import { readOffsetPage } from './offset.ts';
import { type Page, PageReading, type PageRequest } from './page.ts';
import { readPrefixPage } from './prefix.ts';
import { readRestPage } from './rest.ts';

/**
 * Reads one page. Walking a list page by page meets each of its rows exactly once, however the upstream orders it.
 * @throws InvalidInputError for a cursor that is not this list's, PaginationUnsupportedError for a list that cannot be
 *   walked without loss and is too long to be read whole.
 */
export async function readPage(request: PageRequest, read: Read, orders: ListOrders): Promise<Page> {
  const reading = new PageReading(request, read);
  const cursor = request.after === null ? null : decodeCursor(reading.tag, request.after);
  const { paging } = request.list;
  switch (cursor?.kind) {
    case 'rest':
      return readRestPage(reading, cursor);
    case 'prefix':
      return readPrefixPage(reading, cursor);
    case 'keyset':
      return new KeysetReader(reading, orders).page(cursor);
    case 'offset':
      if (paging === 'offset') return readOffsetPage(reading, cursor);
      throw new InvalidInputError('"after" was made when this list paged otherwise; start again without it.');
    case undefined:
      if (paging === 'offset') return readOffsetPage(reading, null);
      return paging === 'keyset'
        ? new KeysetReader(reading, orders).page(null)
        : readPrefixPage(reading, null);
  }
}
