// Tests what one operation may cost upstream: its calls, and the bytes of their responses.
import { expect, it } from 'vitest';
import { action, list, resource } from '../helpers/describe-api.ts';
import { openDescribed } from '../helpers/described.ts';
import { type Handler, ok } from '../helpers/stub-upstream.ts';

const BOOK = { id: 'Integer', title: 'String' } as const;
const RESOURCES = {
  book: resource(
    {
      index: list('book', 'books', BOOK),
      create: action({
        path: '/books',
        method: 'POST',
        namespace: 'book',
        input: { title: 'String' },
        output: BOOK,
      }),
    },
    { page: resource({ index: list('page', 'pages', BOOK, { path: '/books/{book_id}/pages' }) }) },
  ),
};
const book = (id: number, title = `title ${id}`) => ({ id, title });
const HANDLERS: Readonly<Record<string, Handler>> = {
  'book#index': () => ok({ books: [1, 2, 3, 4, 5, 6, 7, 8].map((id) => book(id)) }),
  'book.page#index': () => ok({ pages: [book(1)] }),
  'book#create': () => ok({ book: book(9) }),
};
const WRITE = 'mutation { bookCreate(input: { title: "x" }) { book { title } } }';
const PAGES = '{ books { nodes { title pages { nodes { title } } } } }';

const open = (handlers: Readonly<Record<string, Handler>>, upstream: Readonly<Record<string, number>>) =>
  openDescribed(RESOURCES, { ...HANDLERS, ...handlers }, { limits: { upstream } });

it('a write is reported as sent if its response exceeds the bytes', async () => {
  const large = ok({ book: book(9, 'x'.repeat(20_000)) });
  await using at = await open({ 'book#create': () => large }, { bytes: 10_000 });
  const { errors } = await at.ask(WRITE);
  expect(errors).toMatchObject([{ extensions: { code: 'OUTCOME_UNKNOWN' } }]);
  expect(at.upstream.calls).toHaveLength(1);
});

it('fields beyond the calls have errors, and the others data', async () => {
  await using at = await open({}, { calls: 5 });
  const { data, errors } = await at.ask(PAGES);
  expect(at.upstream.calls).toHaveLength(5);
  expect(errors).toHaveLength(4);
  for (const error of errors)
    expect(error).toMatchObject({ extensions: { code: 'UPSTREAM_BUDGET_EXCEEDED', retryable: false } });
  const nodes = (data as unknown as { books: { nodes: { pages: unknown }[] } }).books.nodes;
  expect(nodes.filter(({ pages }) => pages !== null)).toHaveLength(4);
});

it('a write beyond the calls is refused without being sent', async () => {
  await using at = await open({}, { calls: 1 });
  const twice =
    'mutation { a: bookCreate(input: {}) { book { title } } b: bookCreate(input: {}) { book { title } } }';
  const { data, errors } = await at.ask(twice);
  expect(data).toEqual({ a: { book: { title: 'title 9' } }, b: null });
  expect(errors).toMatchObject([{ path: ['b'], extensions: { code: 'UPSTREAM_BUDGET_EXCEEDED' } }]);
  expect(at.upstream.calls).toHaveLength(1);
});

it('the bytes of all responses are limited together', async () => {
  const large = ok({ pages: [book(1, 'x'.repeat(20_000))] });
  await using at = await open({ 'book.page#index': () => large }, { bytes: 50_000 });
  const { errors } = await at.ask(PAGES);
  expect(errors).toHaveLength(6);
  for (const error of errors) expect(error.extensions['code']).toBe('UPSTREAM_BUDGET_EXCEEDED');
});
