// Tests what one operation may cost upstream, and the trace of its calls with their reasons.

import { describe, expect, it } from 'vitest';
import type { LimitOptions } from '../../src/server/limits.ts';
import { action, list, resource } from '../helpers/describe-api.ts';
import { openDescribed } from '../helpers/described.ts';
import { ask } from '../helpers/facade.ts';
import { holdAnswers } from '../helpers/held-answers.ts';
import { openLibrary, unresolved } from '../helpers/library.ts';
import { type Handler, ok, refuse } from '../helpers/stub-upstream.ts';
import { openWorkshop } from '../helpers/workshop.ts';

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

const open = (handlers: Readonly<Record<string, Handler>>, limits: LimitOptions) =>
  openDescribed(RESOURCES, { ...HANDLERS, ...handlers }, { limits });

it('a write is reported as sent if its response exceeds the bytes', async () => {
  const large = ok({ book: book(9, 'x'.repeat(20_000)) });
  await using at = await open({ 'book#create': () => large }, { responseBytes: 10_000 });
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
  await using at = await open({ 'book.page#index': () => large }, { responseBytes: 50_000 });
  const { errors } = await at.ask(PAGES);
  expect(errors).toHaveLength(6);
  for (const error of errors) expect(error.extensions['code']).toBe('UPSTREAM_BUDGET_EXCEEDED');
});

const traced = { 'x-library-token': 'reader', 'x-trace': '1' };

interface Traced {
  readonly action: string;
  readonly start: number;
  readonly ms: number;
  readonly [key: string]: unknown;
}

const traceOf = ({ extensions }: { readonly extensions: unknown }) =>
  (extensions as { upstream: { trace: readonly Traced[] } }).upstream.trace;

/** The trace without places and times. */
const reasonsOf = (answer: { readonly extensions: unknown }) =>
  traceOf(answer).map(({ path: _path, status: _status, start: _start, ms: _ms, ...why }) => why);

describe('the trace', () => {
  it('shows why each call is needed, and what an include supplies', async () => {
    await using library = await openLibrary({
      'shelf#show': () => ok({ shelf: { id: 1, room: 'cellar', keeper: unresolved(2, 'author 2') } }),
    });
    const answer = await library.ask(
      '{ shelf(id: 1) { room keeper { born } books(first: 2) { nodes { title author { motto born } summary } } } }',
      { headers: traced },
    );
    const reasons = reasonsOf(answer);
    expect(reasons).toHaveLength(6);
    expect(reasons).toEqual(
      expect.arrayContaining([
        {
          action: 'shelf#show',
          reason: 'OBJECT',
          fields: ['Query.shelf'],
          values: ['room', 'keeper'],
          includes: { keeper: ['born'] },
        },
        {
          action: 'shelf.book#index',
          reason: 'PAGE',
          fields: ['Shelf.books'],
          includes: { author: ['motto', 'born'] },
        },
        ...[1, 2].map(() => ({
          action: 'shelf.book#show',
          reason: 'VALUES',
          fields: ['Shelf.books'],
          values: ['title', 'author', 'summary'],
          includes: { author: ['motto', 'born'] },
        })),
        { action: 'author#show', reason: 'VALUES', fields: ['Shelf.keeper'], values: ['born'] },
        { action: 'author#show', reason: 'VALUES', fields: ['ShelfBook.author'], values: ['motto', 'born'] },
      ]),
    );
  });

  it('has the times of each call from the start of the operation', async () => {
    const shelf = holdAnswers(ok({ shelf: { id: 1, room: 'cellar', keeper: null } }));
    await using library = await openLibrary({ 'shelf#show': shelf.handler });
    const answer = library.ask('{ shelf(id: 1) { room books { nodes { title } } } }', { headers: traced });
    const held = await shelf.take(0);
    held.release();
    const trace = traceOf(await answer);
    expect(trace).toHaveLength(2);
    for (const { start, ms, status } of trace) {
      expect([start, ms].every((time) => Number.isInteger(time) && time >= 0)).toBe(true);
      expect(status).toBe(200);
    }
  });

  it('names the fields that share a call, and the reads that other operations served', async () => {
    const authors = holdAnswers(ok({ authors: [] }));
    await using library = await openLibrary({ 'author#index': authors.handler });
    const query = '{ authors { nodes { name } } more: authors { nodes { name } } shelves { nodes { id } } }';
    const first = library.ask(query, { headers: traced });
    const held = await authors.take(0);
    const second = library.ask(query, { headers: traced });
    await library.ask('{ shelves { nodes { id } } }');
    held.release();
    const page = {
      action: 'author#index',
      reason: 'PAGE',
      fields: ['Query.authors'],
      joined: ['Query.authors'],
    };
    const shelves = { action: 'shelf#index', reason: 'PAGE', fields: ['Query.shelves'] };
    expect(reasonsOf(await first)).toEqual(expect.arrayContaining([page, shelves]));
    expect(reasonsOf(await second)).toEqual(
      expect.arrayContaining([{ ...page, from: 'OTHER_OPERATION' }, expect.objectContaining(shelves)]),
    );
  });

  it('shows that a call is repeated after it has failed with includes', async () => {
    await using library = await openLibrary({
      'shelf.book#index': ({ query }) =>
        query.has('_meta[includes]')
          ? refuse('crash', null, 500)
          : ok({ books: [{ id: 1, title: 'x', pages: 1, author: unresolved(1, 'Ann') }] }),
    });
    const answer = await library.ask('{ shelf(id: 1) { books { nodes { author { born } } } } }', {
      headers: traced,
    });
    const page = { action: 'shelf.book#index', reason: 'PAGE', fields: ['Shelf.books'] };
    expect(reasonsOf(answer)).toEqual(
      expect.arrayContaining([
        { ...page, includes: { author: ['born'] } },
        { ...page, repeated: true },
      ]),
    );
  });

  it('shows writes, and the calls that follow them', async () => {
    await using shop = await openWorkshop();
    const answer = await ask(
      shop.facade,
      'mutation { toolUpdate(id: 5, input: { weight: 6 }) { tool { weight } } }',
      {
        headers: { 'x-library-token': 'one', 'x-trace': '1' },
      },
    );
    expect(reasonsOf(answer)).toEqual([
      { action: 'tool#update', reason: 'WRITE', fields: ['Mutation.toolUpdate'] },
      {
        action: 'tool#show',
        reason: 'OBJECT',
        fields: ['ToolUpdatePayload.tool'],
        values: ['weight'],
      },
    ]);
  });

  it('contains no value: neither ids, inputs, cursors nor filters', async () => {
    await using library = await openLibrary();
    const secret = 'canary-4711';
    const answer = await library.ask(
      `{ shelf(id: 815) { room } shelves(filter: { room: "${secret}" }, first: 816) { nodes { room } } }`,
      { headers: traced },
    );
    expect(answer.errors).toEqual([]);
    const text = JSON.stringify(reasonsOf(answer));
    expect(text).toContain('shelf#show');
    for (const value of [secret, '815', '816', 'cellar', 'reader']) expect(text).not.toContain(value);
  });
});
