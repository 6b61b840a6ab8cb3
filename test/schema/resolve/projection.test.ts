// Tests the fields of objects that a client names by id.

import { describe, expect, it } from 'vitest';
import { DEFAULT_HANDLERS, openLibrary, UNAUTHORIZED } from '../../helpers/library.ts';
import { ok, refuse } from '../../helpers/stub-upstream.ts';

describe('the lists of an object that a client names by id', () => {
  it('keep the arguments of each alias', async () => {
    const books = ({ path: [shelf], query }: { path: readonly string[]; query: URLSearchParams }) => {
      const ids = Array.from({ length: Number(query.get('books[limit]')) }, (_, index) => index + 1);
      return ok({ books: ids.map((id) => ({ id, title: `${shelf}.${id}`, pages: 1, author: null })) });
    };
    await using library = await openLibrary({ 'shelf.book#index': books });
    const { data, errors } = await library.ask(`{
      one: shelf(id: 1) { ...Books } two: shelf(id: 2) { ...Books }
    }
    fragment Books on Shelf {
      few: books(first: 1) { nodes { title } }
      more: books(first: 2) { nodes { title } }
      none: books(first: 3) @skip(if: true) { nodes { title } }
    }`);
    expect(errors).toEqual([]);
    const titles = (...names: string[]) => ({ nodes: names.map((title) => ({ title })) });
    expect(data).toEqual({
      one: { few: titles('1.1'), more: titles('1.1', '1.2') },
      two: { few: titles('2.1'), more: titles('2.1', '2.2') },
    });
    expect(library.upstream.calls).toHaveLength(6);
  });
});

describe('an object that the caller cannot see', () => {
  const QUERY =
    '{ shelf(id: 9) { room books { totalCount nodes { title author { born } } } book(id: 1) { title } } }';
  const uncounted = () =>
    ok({
      books: [
        { id: 3, title: 'secret' },
        { id: 1, title: 'secret' },
        { id: 2, title: 'secret' },
      ],
    });

  it('is null with one error, and without the rows and warnings of its lists', async () => {
    for (const [status, code] of [
      [404, 'NOT_FOUND'],
      [403, 'FORBIDDEN'],
    ] as const) {
      await using library = await openLibrary({
        'shelf#show': () => refuse('no', null, status),
        'shelf.book#index': uncounted,
        'author#show': () => ok({ author: UNAUTHORIZED }),
      });
      const { data, errors, extensions, text } = await library.ask(
        `${QUERY.slice(0, -1)} authors { nodes { id } } }`,
      );
      expect(data?.['shelf']).toBeNull();
      expect(errors).toMatchObject([{ path: ['shelf'], extensions: { code } }]);
      expect(extensions).not.toHaveProperty('warnings');
      expect(text).not.toContain('secret');
    }
  });
});

describe('an object whose id the API writes in another way', () => {
  it('has its lists read by the id that the API writes', async () => {
    const handlers = {
      ...DEFAULT_HANDLERS,
      'shelf#show': () => ok({ shelf: { id: 2, room: 'moved', keeper: null } }),
      'shelf.book#index': ({ path: [shelf] }: { path: readonly string[] }) =>
        ok({ books: [{ id: 1, title: `of ${shelf}`, pages: 1, author: null }] }),
    };
    await using library = await openLibrary(handlers);
    const { data } = await library.ask('{ shelf(id: 1) { id books { nodes { title } } } }');
    expect(data?.['shelf']).toEqual({ id: 'shelf/2', books: { nodes: [{ title: 'of 2' }] } });
    expect(library.upstream.calls).toHaveLength(2);
  });
});
