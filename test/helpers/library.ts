// Describes the API of a library with a response for each action, and opens a facade over it.
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { action, describeApi, refersTo, resource } from './describe-api.ts';
import { type DescribedApi, openApi } from './described.ts';
import { type Handler, ok } from './stub-upstream.ts';

const PAGING = { limit: 'Integer', from_id: 'Integer' } as const;
const AUTHOR = { id: 'Integer', name: 'String', born: 'Integer', motto: 'String' } as const;
const BOOK = { id: 'Integer', title: 'String', pages: 'Integer', author: refersTo(['author']) } as const;
const REVIEW = { id: 'Integer', text: 'String', author: refersTo(['author']) } as const;
const lists = { layout: 'object_list', meta: ['count', 'includes'] } as const;
const shows = { meta: ['includes'] } as const;

/** A library: authors, shelves with books nested under them, and reviews that can be filtered by author. */
export const LIBRARY = describeApi({
  author: resource({
    index: action({ path: '/authors', namespace: 'authors', input: PAGING, output: AUTHOR, ...lists }),
    show: action({ path: '/authors/{author_id}', namespace: 'author', output: AUTHOR, ...shows }),
  }),
  shelf: resource(
    {
      index: action({
        path: '/shelves',
        namespace: 'shelves',
        input: { ...PAGING, room: 'String' },
        output: { id: 'Integer', room: 'String' },
        ...lists,
      }),
      show: action({
        path: '/shelves/{shelf_id}',
        namespace: 'shelf',
        output: { id: 'Integer', room: 'String', keeper: refersTo(['author']) },
        ...shows,
      }),
    },
    {
      book: resource({
        index: action({
          path: '/shelves/{shelf_id}/books',
          namespace: 'books',
          input: PAGING,
          output: BOOK,
          ...lists,
        }),
        show: action({
          path: '/shelves/{shelf_id}/books/{book_id}',
          namespace: 'book',
          output: { ...BOOK, summary: 'Text' },
          ...shows,
        }),
      }),
    },
  ),
  review: resource({
    index: action({
      path: '/reviews',
      namespace: 'reviews',
      input: { ...PAGING, author: refersTo(['author']) },
      output: REVIEW,
      ...lists,
    }),
  }),
});

/** An association that was not included in its response. */
export const unresolved = (id: number, name: string) => ({
  id,
  name,
  _meta: { path_params: [id], resolved: false },
});
/** An association that the caller may not see. */
export const UNAUTHORIZED = { _meta: { resolved: false, authorized: false } };

const author = (id: number) => ({ id, name: `author ${id}`, born: 1900 + id, motto: `motto ${id}` });
const book = (id: number) => ({ id, title: `book ${id}`, pages: id * 10, author: unresolved(1, 'author 1') });

/** The response of each action. */
export const DEFAULT_HANDLERS: Readonly<Record<string, Handler>> = {
  'author#index': () => ok({ authors: [author(1), author(2)] }),
  'author#show': ({ path: [id] }) => ok({ author: author(Number(id)) }),
  'shelf#index': () => ok({ shelves: [1, 2].map((id) => ({ id, room: `room ${id}` })) }),
  'shelf#show': ({ path: [id] }) =>
    ok({ shelf: { id: Number(id), room: `room ${id}`, keeper: unresolved(2, 'author 2') } }),
  'shelf.book#index': () => ok({ books: [1, 2, 3].map(book) }),
  'shelf.book#show': ({ path: [, id] }) => ok({ book: { ...book(Number(id)), summary: `summary ${id}` } }),
  'review#index': ({ query }) => {
    const id = Number(query.get('reviews[author]') ?? 1);
    return ok({ reviews: [{ id: 1, text: 'good', author: unresolved(id, `author ${id}`) }] });
  },
};

/** Starts a library and a facade over it. `handlers` replace the responses of some actions. */
export const openLibrary = (
  handlers: Readonly<Record<string, Handler>> = {},
  options: Partial<FacadeOptions> = {},
): Promise<DescribedApi> => openApi(LIBRARY, { ...DEFAULT_HANDLERS, ...handlers }, options);
