// Tests associations and reverse edges of stub descriptions, and edges whose filter the API ignores.

import { assertObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { Overrides } from '../../../src/schema/model/overrides.ts';
import { action, list, type RawParameters, refersTo, resource, show } from '../../helpers/describe-api.ts';
import { type DescribedApi, openDescribed } from '../../helpers/described.ts';
import { type Handler, ok } from '../../helpers/stub-upstream.ts';

describe('an association', () => {
  const BOOK = {
    id: 'Integer',
    place: refersTo(['place'], 'name'),
    origin: refersTo(['place'], 'code'),
  } as const;
  const book = { id: 1, place: { id: 5, name: 'Brno' }, origin: { id: 6, code: 'PRG' } };

  it.each([
    ['is only referred to', {}],
    [
      'can be fetched',
      { place: resource({ show: show('place', 'places', { id: 'Integer', name: 'String' }) }) },
    ],
  ])('resolves the label that the association contains if its resource %s', async (_name, more) => {
    await using at = await openDescribed(
      { book: resource({ index: list('book', 'books', BOOK) }), ...more },
      { 'book#index': () => ok({ books: [book] }) },
    );
    const { data, errors } = await at.ask('{ books { nodes { place { id label } origin { id label } } } }');
    expect(errors).toEqual([]);
    expect(data).toMatchObject({
      books: {
        nodes: [{ place: { id: 'place/5', label: 'Brno' }, origin: { id: 'place/6', label: 'PRG' } }],
      },
    });
    expect(at.upstream.calls).toHaveLength(1);
  });

  it('to an object under the same parent takes the parent ID from the path of the row', async () => {
    const output = { id: 'Integer', sequel: refersTo(['shelf', 'book'], 'title') } as const;
    await using at = await openDescribed(
      {
        shelf: resource(
          { show: show('shelf', 'shelves', { id: 'Integer' }) },
          {
            book: resource({
              index: list('book', 'books', output, { path: '/shelves/{shelf_id}/books' }),
              show: action({ path: '/shelves/{shelf_id}/books/{book_id}', namespace: 'book', output }),
            }),
          },
        ),
      },
      {
        'shelf#show': () => ok({ shelf: { id: 7 } }),
        'shelf.book#index': () =>
          ok({
            books: [{ id: 1, sequel: { id: 2, title: 'b', _meta: { path_params: [2], resolved: false } } }],
          }),
      },
    );
    const { data, errors } = await at.ask('{ shelf(id: 7) { books { nodes { id sequel { id } } } } }');
    expect(errors).toEqual([]);
    expect(data).toEqual({
      shelf: { books: { nodes: [{ id: 'shelf/7/book/1', sequel: { id: 'shelf/7/book/2' } }] } },
    });
  });

  it.each([[[2]], [[]], [[null]], [undefined]])(
    'to an object under another parent does not take the parent ID from the row, with the path ids %j',
    async (params) => {
      const page = { id: 'Integer', quotes: refersTo(['shelf', 'book'], 'title') } as const;
      await using at = await openDescribed(
        {
          shelf: resource(
            { show: show('shelf', 'shelves', { id: 'Integer' }) },
            {
              book: resource({
                show: action({
                  path: '/shelves/{shelf_id}/books/{book_id}',
                  namespace: 'book',
                  output: page,
                }),
              }),
            },
          ),
          desk: resource(
            { show: show('desk', 'desks', { id: 'Integer' }) },
            {
              page: resource({
                index: list('page', 'pages', page, { path: '/desks/{desk_id}/pages' }),
              }),
            },
          ),
        },
        {
          'desk#show': () => ok({ desk: { id: 7 } }),
          'desk.page#index': () =>
            ok({ pages: [{ id: 1, quotes: { id: 2, title: 'b', _meta: { path_params: params } } }] }),
        },
      );
      const { data, errors } = await at.ask('{ desk(id: 7) { pages { nodes { quotes { label } } } } }');
      expect(errors).toEqual([]);
      expect(data).toEqual({ desk: { pages: { nodes: [{ quotes: { label: 'b' } }] } } });
      const { errors: lost } = await at.ask('{ desk(id: 7) { pages { nodes { quotes { id } } } } }');
      expect(lost).toMatchObject([{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }]);
    },
  );

  it('that is an integer in the list is fetched with show', async () => {
    const owner = refersTo(['user'], 'login');
    await using at = await openDescribed(
      {
        thing: resource({
          index: list('thing', 'things', { id: 'Integer', owner: 'Integer' }),
          show: show('thing', 'things', { id: 'Integer', owner }),
        }),
      },
      {
        'thing#index': () => ok({ things: [{ id: 1, owner: 5 }] }),
        'thing#show': () => ok({ thing: { id: 1, owner: { id: 5, login: 'ann' } } }),
      },
    );
    const { data, errors } = await at.ask('{ things { nodes { id owner { id label } } } }');
    expect(errors).toEqual([]);
    expect(data).toEqual({ things: { nodes: [{ id: 'thing/1', owner: { id: 'user/5', label: 'ann' } }] } });
  });
});

describe('a reverse edge whose filter is required', () => {
  const required = { ...refersTo(['author'], 'name'), required: true };
  it.each([
    ['next to other filters', { title: 'String' } as const, '(filter: { title: "x" })', 'book[title]=x'],
    ['as the only filter', {}, '', ''],
  ])('sets the filter itself, %s', async (_name, others, argument, sent) => {
    await using at = await openDescribed(
      {
        author: resource({ show: show('author', 'authors', { id: 'Integer' }) }),
        book: resource({
          index: list('book', 'books', { id: 'Integer' }, { input: { author: required, ...others } }),
        }),
      },
      { 'author#show': () => ok({ author: { id: 5 } }), 'book#index': () => ok({ books: [{ id: 1 }] }) },
    );
    const { data, errors } = await at.ask(`{ author(id: 5) { books${argument} { nodes { databaseId } } } }`);
    expect(errors).toEqual([]);
    expect(data).toEqual({ author: { books: { nodes: [{ databaseId: 1 }] } } });
    const { query } = at.upstream.calls.find(({ scope }) => scope === 'book#index') ?? {};
    expect(query?.get('book[author]')).toBe('5');
    expect(decodeURIComponent(query?.toString() ?? '')).toContain(sent);
  });
});

const AUTHOR = { id: 'Integer', name: 'String' } as const;
const BOOK = { id: 'Integer', author: refersTo(['author']) } as const;
const RESOURCES = {
  author: resource({ show: show('author', 'authors', AUTHOR) }),
  book: resource({
    index: list('book', 'books', BOOK, { input: { author: refersTo(['author']), all: 'Boolean' } }),
  }),
};

const book = (id: number, author: number) => ({ id, author: { id: author, name: `author ${author}` } });
const books =
  (...rows: readonly object[]): Handler =>
  () =>
    ok({ books: rows });
const shown: Handler = ({ path: [id] }) => ok({ author: { id: Number(id), name: `author ${id}` } });
const open = (index: Handler) => openDescribed(RESOURCES, { 'author#show': shown, 'book#index': index });

const booksOf = (id: number) => `{ author(id: ${id}) { name books { nodes { id } } } }`;
const IGNORED = {
  message:
    'The management API ignores the filter author of this list and returns rows of other objects; no rows are shown.',
  path: ['author', 'books'],
  extensions: { code: 'UPSTREAM_INVALID_RESPONSE', upstream: { action: 'book#index' } },
};
const FINDING =
  'FILTER_IGNORED: the API returns rows of other objects for this filter, so Author.books returns an error; remove the field with the overrides: "dropEdges": ["Author.books"] (book#index input.author)';

describe('a list that ignores the filter of a reverse edge', () => {
  it('gives an error of that field only, and one logged finding with the override that removes the edge', async () => {
    await using at = await open(books(book(1, 1), book(2, 2)));
    for (const id of [1, 2]) {
      const { data, errors } = await at.ask(booksOf(id));
      expect(data).toMatchObject({ author: { books: null } });
      expect(errors).toMatchObject([IGNORED]);
    }
    expect(at.log).toEqual([FINDING]);
    expect(at.facade.schema.findings).toMatchObject([
      { code: 'FILTER_IGNORED', path: 'book#index input.author' },
    ]);
    const { errors, data } = await at.ask('{ books { nodes { id } } }');
    expect(errors).toEqual([]);
    expect(data).toMatchObject({ books: { nodes: [{}, {}] } });
  });

  it('has no edge with that override', async () => {
    const overrides: Overrides = { dropEdges: ['Author.books'] };
    await using at = await openDescribed(RESOURCES, {}, { overrides });
    const { schema } = at.facade.schema;
    expect(Object.keys(assertObjectType(schema.getType('Author')).getFields())).not.toContain('books');
    expect(Object.keys(assertObjectType(schema.getType('Query')).getFields())).toContain('books');
  });

  it('gives no finding for rows that another filter of the caller may explain', async () => {
    const rows = [book(1, 1), book(2, 2)];
    await using at = await open(({ query }) =>
      ok({ books: query.get('book[all]') === 'true' ? rows : rows.slice(0, 1) }),
    );
    const widened = await at.ask('{ author(id: 1) { books(filter: { all: true }) { nodes { id } } } }');
    expect(widened.errors).toMatchObject([IGNORED]);
    expect((await at.ask(booksOf(1))).errors).toEqual([]);
    expect(at.log).toEqual([]);
  });
});

describe('a list with an integer filter', () => {
  const AUTHOR_ID = { id: 'Integer', author_id: 'Integer' } as const;
  const described = (output: RawParameters, input: RawParameters) => ({
    author: RESOURCES.author,
    book: resource({ index: list('book', 'books', output, { input }) }),
  });
  const edgesOf = (at: DescribedApi) =>
    Object.keys(assertObjectType(at.facade.schema.schema.getType('Author')).getFields()).filter((name) =>
      name.startsWith('books'),
    );

  it.each([
    ['optional', 'Integer'],
    ['required', { type: 'Integer', required: true, validators: {} }],
  ])('that is %s and the id of an object is an edge, whose rows are checked', async (_name, author_id) => {
    const rows = [{ id: 1, author_id: 5 }];
    await using at = await openDescribed(described(AUTHOR_ID, { author_id }), {
      'author#show': shown,
      'book#index': () => ok({ books: rows }),
    });
    const { data, errors } = await at.ask(booksOf(5));
    expect(errors).toEqual([]);
    expect(data).toMatchObject({ author: { books: { nodes: [{ id: 'book/1' }] } } });
    const { query } = at.upstream.calls.find(({ scope }) => scope === 'book#index') ?? {};
    expect(query?.get('book[author_id]')).toBe('5');
    rows.push({ id: 2, author_id: 6 });
    const ignored = await at.ask(`{ author(id: 5) { books(first: 9) { nodes { id } } } }`);
    expect(ignored.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }]);
  });

  it.each<[string, RawParameters, RawParameters]>([
    ['of objects of any resource', AUTHOR_ID, { object_id: 'Integer' }],
    ['of no resource', AUTHOR_ID, { editor_id: 'Integer' }],
    ['that is no reference in the rows', { id: 'Integer', author_id: 'Boolean' }, { author_id: 'Integer' }],
  ])('%s is none', async (_name, output, input) => {
    await using at = await openDescribed(described(output, input));
    expect(edgesOf(at)).toEqual([]);
  });

  it('beside a filter by the object is none', async () => {
    const input = { author: refersTo(['author']), author_id: 'Integer' } as const;
    await using at = await openDescribed(described(AUTHOR_ID, input));
    expect(edgesOf(at)).toEqual(['books']);
  });
});

describe('a filter whose rows do not refer to the object', () => {
  const PLACE = { id: 'Integer', name: 'String' } as const;
  const openPlaces = (book: RawParameters) =>
    openDescribed({
      book: resource({ show: show('book', 'books', { id: 'Integer', ...book }) }),
      place: resource({
        index: list('place', 'places', PLACE, {
          input: {
            book: refersTo(['book'], 'name', { label: 'Book', description: 'Places open to a book' }),
          },
        }),
        show: show('place', 'places', PLACE),
      }),
    });
  const MEANING =
    'The rows that the filter `book` matches for this object.\n\nThe API describes the filter as “Places open to a book”.\n\n`place#index` · `GET /places`';

  it('says what it matches', async () => {
    await using at = await openPlaces({});
    const { places } = assertObjectType(at.facade.schema.schema.getType('Book')).getFields();
    expect(places?.description).toBe(MEANING);
  });

  it('is named as a filter beside an edge to one of the rows', async () => {
    await using at = await openPlaces({ place: refersTo(['place']) });
    const fields = assertObjectType(at.facade.schema.schema.getType('Book')).getFields();
    expect(Object.keys(fields).sort()).toEqual(['databaseId', 'id', 'label', 'place', 'placesByBook']);
    expect(fields['placesByBook']?.description).toBe(MEANING);
  });
});

describe('a reverse edge to its own type', () => {
  it.each([
    [
      { label: 'Subtree', description: 'All below it' },
      'The API describes the filter as “Subtree – All below it”.',
    ],
    [{ label: 'Subtree', description: null }, 'The API describes the filter as “Subtree”.'],
    [{ label: 'Folder', description: null }, 'The API defines what the filter matches.'],
    [{ label: null, description: null }, 'The API defines what the filter matches.'],
  ])('describes its filter with %j', async (more, meaning) => {
    const folder = refersTo(['folder'], 'name', more);
    const output = { id: 'Integer', folder: refersTo(['folder']) } as const;
    await using at = await openDescribed({
      folder: resource({
        index: list('folder', 'folders', output, { input: { folder } }),
        show: show('folder', 'folders', output),
      }),
    });
    const { relatedFolders } = assertObjectType(at.facade.schema.schema.getType('Folder')).getFields();
    expect(relatedFolders?.description).toBe(
      `The rows that the filter \`folder\` matches for this object.\n\n${meaning}\n\n\`folder#index\` · \`GET /folders\``,
    );
  });
});
