// Tests associations, missing keys and reverse edges.

import { describe, expect, test } from 'vitest';
import { openLibrary, UNAUTHORIZED, unresolved } from '../../helpers/library.ts';
import { ok, refuse } from '../../helpers/stub-upstream.ts';

type Row = Readonly<Record<string, unknown>>;
const shelves = (...rows: readonly Row[]) => ({ 'shelf#index': () => ok({ shelves: rows }) });
const books = (...rows: readonly Row[]) => ({ 'shelf.book#index': () => ok({ books: rows }) });
const scopes = (calls: readonly { readonly scope: string }[]) => calls.map(({ scope }) => scope);
const BOOKS = (selection: string) => `{ shelf(id: 1) { books { nodes { id ${selection} } } } }`;

describe('an association', () => {
  test('resolves ID, label and type from the row without a call', async () => {
    await using library = await openLibrary();
    const { data, errors, extensions } = await library.ask(
      BOOKS('author { __typename id databaseId label name }'),
    );
    expect(errors).toEqual([]);
    expect(data?.['shelf']?.['books']?.['nodes']).toHaveLength(3);
    expect(data?.['shelf']?.['books']).toMatchObject({
      nodes: [
        {
          id: 'shelf/1/book/1',
          author: {
            __typename: 'Author',
            id: 'author/1',
            databaseId: 1,
            label: 'author 1',
            name: 'author 1',
          },
        },
        {},
        {},
      ],
    });
    expect(scopes(library.upstream.calls)).toEqual(['shelf#show', 'shelf.book#index']);
    expect(library.upstream.calls.some(({ query }) => query.has('_meta[includes]'))).toBe(false);
    expect(extensions).toMatchObject({ upstream: { calls: 2, coalesced: 0 } });
  });

  test('is requested with includes, and fetched once for all rows if the response contains it unresolved', async () => {
    await using library = await openLibrary();
    const { data, errors } = await library.ask(BOOKS('author { label born }'));
    expect(errors).toEqual([]);
    expect(data?.['shelf']?.['books']?.['nodes']).toEqual(
      [1, 2, 3].map((id) => ({ id: `shelf/1/book/${id}`, author: { label: 'author 1', born: 1901 } })),
    );
    expect(library.upstream.calls.map(({ scope, query }) => [scope, query.get('_meta[includes]')])).toEqual([
      ['shelf#show', null],
      ['shelf.book#index', 'author'],
      ['author#show', null],
    ]);
  });

  test('is not fetched if the response includes the whole object', async () => {
    const author = { id: 1, name: 'Ann', born: 1900, motto: null, _meta: { resolved: true } };
    await using library = await openLibrary(books({ id: 1, title: 'a', pages: 1, author }));
    const { data, errors } = await library.ask(BOOKS('author { id label born motto }'));
    expect(errors).toEqual([]);
    expect(data?.['shelf']?.['books']?.['nodes']).toEqual([
      { id: 'shelf/1/book/1', author: { id: 'author/1', label: 'Ann', born: 1900, motto: null } },
    ]);
    expect(scopes(library.upstream.calls)).toEqual(['shelf#show', 'shelf.book#index']);
  });

  test('is null without a warning if it is unset', async () => {
    await using library = await openLibrary(books({ id: 1, author: null }));
    const { data, errors, extensions } = await library.ask(BOOKS('author { born }'));
    expect(errors).toEqual([]);
    expect(data?.['shelf']?.['books']?.['nodes']).toMatchObject([{ author: null }]);
    expect(extensions).not.toHaveProperty('warnings');
  });

  test('is null with one counted warning if the caller may not see it', async () => {
    await using library = await openLibrary(
      books(
        { id: 1, author: UNAUTHORIZED },
        { id: 2, author: unresolved(1, 'a') },
        { id: 3, author: UNAUTHORIZED },
      ),
    );
    const { data, errors, extensions } = await library.ask(BOOKS('author { id }'));
    expect(errors).toEqual([]);
    expect(data?.['shelf']?.['books']?.['nodes']).toMatchObject([
      { author: null },
      { author: { id: 'author/1' } },
      { author: null },
    ]);
    expect(extensions['warnings']).toEqual([
      { code: 'ASSOCIATION_HIDDEN', coordinate: 'ShelfBook.author', count: 2 },
    ]);
  });

  test('that fails gives one error for each object, and keeps ID and label', async () => {
    await using library = await openLibrary({
      ...books({ id: 1, author: unresolved(1, 'Ann') }, { id: 2, author: unresolved(2, 'Bob') }),
      'author#show': ({ path: [id] }) =>
        id === '1' ? refuse('not for you', null, 403) : ok({ author: { id: 2, name: 'Bob', born: 2 } }),
    });
    const { data, errors } = await library.ask(BOOKS('author { id label born motto }'));
    expect(data?.['shelf']?.['books']?.['nodes']).toEqual([
      { id: 'shelf/1/book/1', author: { id: 'author/1', label: 'Ann', born: null, motto: null } },
      { id: 'shelf/1/book/2', author: { id: 'author/2', label: 'Bob', born: 2, motto: null } },
    ]);
    expect(errors).toMatchObject([
      {
        message: 'not for you',
        path: ['shelf', 'books', 'nodes', 0, 'author', 'born'],
        extensions: { code: 'FORBIDDEN', retryable: false, upstream: { action: 'author#show', status: 403 } },
      },
    ]);
    expect(errors).toHaveLength(1);
  });

  test('that is not an object is an error of that field only', async () => {
    await using library = await openLibrary(books({ id: 1, title: 'a', author: 'Ann' }));
    const { data, errors } = await library.ask(BOOKS('title author { id }'));
    expect(data?.['shelf']?.['books']?.['nodes']).toEqual([
      { id: 'shelf/1/book/1', title: 'a', author: null },
    ]);
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }]);
  });

  test('that resolves to an object with another ID keeps its own ID', async () => {
    await using library = await openLibrary({ 'author#show': () => ok({ author: { id: 99, born: 1 } }) });
    const { errors, text } = await library.ask('{ shelf(id: 1) { keeper { id born } } }');
    expect(text).not.toContain('author/99');
    expect(errors.length).toBeLessThanOrEqual(1);
  });
});

describe('a key that list rows lack', () => {
  test('is fetched with show, once for each object', async () => {
    await using library = await openLibrary(shelves({ id: 1, room: 'a' }, { id: 2, room: 'b' }));
    const { data, errors } = await library.ask(
      '{ shelves { nodes { room keeper { label } } } again: shelves { nodes { keeper { label } } } }',
    );
    expect(errors).toEqual([]);
    expect(data?.['shelves']?.['nodes']).toEqual([
      { room: 'room 1', keeper: { label: 'author 2' } },
      { room: 'room 2', keeper: { label: 'author 2' } },
    ]);
    expect(scopes(library.upstream.calls).sort()).toEqual(['shelf#index', 'shelf#show', 'shelf#show']);
  });

  test('is fetched under the parent of the list', async () => {
    await using library = await openLibrary();
    const { data, errors } = await library.ask('{ shelf(id: 7) { books(first: 2) { nodes { summary } } } }');
    expect(errors).toEqual([]);
    expect(data?.['shelf']?.['books']?.['nodes']).toEqual([
      { summary: 'summary 1' },
      { summary: 'summary 2' },
    ]);
    const shown = library.upstream.calls.filter(({ scope }) => scope === 'shelf.book#show');
    expect(shown.map(({ path }) => path)).toEqual([
      ['7', '1'],
      ['7', '2'],
    ]);
  });

  test('is null if show lacks it too', async () => {
    await using library = await openLibrary({
      'shelf.book#show': ({ path: [, id] }) => ok({ book: { id: Number(id) } }),
    });
    const { data, errors } = await library.ask(BOOKS('title summary'));
    expect(errors).toEqual([]);
    expect(data?.['shelf']?.['books']?.['nodes']).toMatchObject([
      { title: 'book 1', summary: null },
      { title: 'book 2', summary: null },
      { title: 'book 3', summary: null },
    ]);
  });

  test('gives one error for each object if show fails, and keeps the values of the row', async () => {
    await using library = await openLibrary({ 'shelf#show': () => refuse(null) });
    const { data, errors } = await library.ask('{ shelves { nodes { id room keeper { id } } } }');
    expect(data?.['shelves']?.['nodes']).toEqual([
      { id: 'shelf/1', room: 'room 1', keeper: null },
      { id: 'shelf/2', room: 'room 2', keeper: null },
    ]);
    expect(errors).toMatchObject([
      { path: ['shelves', 'nodes', 0, 'keeper'], extensions: { code: 'NOT_FOUND' } },
      { path: ['shelves', 'nodes', 1, 'keeper'], extensions: { code: 'NOT_FOUND' } },
    ]);
  });

  test('is not fetched if the row describes it and contains null', async () => {
    await using library = await openLibrary(shelves({ id: 1, room: null }));
    const { data } = await library.ask('{ shelves { nodes { room } } }');
    expect(data).toEqual({ shelves: { nodes: [{ room: null }] } });
    expect(scopes(library.upstream.calls)).toEqual(['shelf#index']);
  });
});

describe('a reverse edge', () => {
  test('is null with an error if the foreign row is the one after the page', async () => {
    const reviews = [
      { id: 1, text: 'own', author: unresolved(1, 'Ann') },
      { id: 2, text: 'foreign', author: unresolved(2, 'Bob') },
    ];
    await using library = await openLibrary({ 'review#index': () => ok({ reviews }) });
    const { data } = await library.ask(
      '{ author(id: 1) { reviews(first: 1) { nodes { id } pageInfo { hasNextPage } } } }',
    );
    expect(data).toEqual({ author: { reviews: null } });
  });

  test('accepts rows that do not contain the association', async () => {
    const reviews = [{ id: 1, author: UNAUTHORIZED }, { id: 2 }];
    await using library = await openLibrary({ 'review#index': () => ok({ reviews }) });
    const { data, errors } = await library.ask('{ author(id: 1) { reviews { nodes { id } } } }');
    expect(errors).toEqual([]);
    expect(data?.['author']?.['reviews']).toEqual({ nodes: [{ id: 'review/1' }, { id: 'review/2' }] });
  });

  test('rejects a filter that it sets itself', async () => {
    await using library = await openLibrary();
    const { errors } = await library.ask(
      '{ author(id: 1) { reviews(filter: { author: 2 }) { nodes { id } } } }',
    );
    expect(errors).toMatchObject([{ path: ['author', 'reviews'], extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});
