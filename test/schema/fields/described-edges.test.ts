// Tests associations and reverse edges of stub descriptions.

import { describe, expect, it } from 'vitest';
import { action, list, refersTo, resource, show } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { ok } from '../../helpers/stub-upstream.ts';

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
