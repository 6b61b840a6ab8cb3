// Tests which fields are null only with an error, and what happens when the API breaks that.
import { describe, expect, it } from 'vitest';
import { printSDL } from '../../../src/schema/print-schema.ts';
import { list, refersTo, resource, show } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { ok, refuse } from '../../helpers/stub-upstream.ts';

const required = (described: object) => ({ validators: {}, required: true, ...described });
const BOOK = {
  id: 'Integer',
  title: required({ type: 'String' }),
  author: required(refersTo(['author'])),
  note: 'String',
} as const;
const API = {
  author: resource({ show: show('author', 'authors', { id: 'Integer', name: 'String' }) }),
  book: resource({ index: list('book', 'books', BOOK), show: show('book', 'books', BOOK) }),
};
const GOOD = { id: 1, title: 'One', author: { id: 7, name: 'A' }, note: null };

/** Opens an API whose list has these rows. */
const openBooks = (rows: readonly object[], overrides = {}) =>
  openDescribed(API, { 'book#index': () => ok({ books: rows }) }, { overrides });

const QUERY = '{ books { nodes { id title note author { id } } } }';

describe('a required output', () => {
  it('has the directive in the printed schema, as has a field that fails rather than being null', async () => {
    await using api = await openBooks([]);
    const sdl = printSDL(api.facade.schema.schema);
    expect(sdl).toContain('title: String @semanticNonNull\n');
    expect(sdl).toContain('note: String\n');
    expect(sdl).toMatch(/books\([\s\S]*?\): BookConnection @semanticNonNull\n/);
    expect(sdl).toContain('nodes: [Book!]!');
    expect(sdl).toContain('node: Book!');
  });

  it('is an error where the API answers null, which removes nothing else', async () => {
    await using api = await openBooks([GOOD, { ...GOOD, id: 2, title: null, author: null }]);
    const { data, errors } = await api.ask(QUERY);
    expect(data).toMatchObject({
      books: { nodes: [{ title: 'One' }, { id: 'book/2', title: null, author: null }] },
    });
    expect(errors.map(({ path, extensions }) => [path?.join('.'), extensions['code']])).toEqual([
      ['books.nodes.1.title', 'UPSTREAM_INVALID_RESPONSE'],
      ['books.nodes.1.author', 'UPSTREAM_INVALID_RESPONSE'],
    ]);
    expect(errors[0]?.message).toContain('"nonNull": { "Book.title": false }');
  });

  it('may be null where the overrides say so, and others must not be', async () => {
    const nonNull = { 'Book.title': false, 'Book.author': false, 'Book.note': true };
    await using api = await openBooks([{ ...GOOD, title: null, author: null }], { nonNull });
    const { errors } = await api.ask(QUERY);
    expect(errors.map(({ path }) => path?.join('.'))).toEqual(['books.nodes.0.note']);
  });

  it('has the error of the object where it cannot be fetched', async () => {
    const { title: _title, ...row } = GOOD;
    await using api = await openDescribed(API, {
      'book#index': () => ok({ books: [row] }),
      'book#show': () => refuse('broken', null, 500),
    });
    const { errors } = await api.ask('{ books { nodes { title again: title } } }');
    expect(errors.map(({ path, extensions }) => [path?.join('.'), extensions['code']])).toEqual([
      ['books.nodes.0.title', 'UPSTREAM_ERROR'],
      ['books.nodes.0.again', 'UPSTREAM_ERROR'],
    ]);
  });
});

it('a row without an id is one error of the list', async () => {
  await using api = await openBooks([GOOD, { title: 'no id', author: GOOD.author }, { title: 'nor here' }]);
  const { data, errors } = await api.ask('{ books { nodes { id } totalCount } }');
  expect(data).toEqual({ books: null });
  expect(errors).toMatchObject([
    { path: ['books', 'nodes', 1, 'id'], extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } },
  ]);
});
