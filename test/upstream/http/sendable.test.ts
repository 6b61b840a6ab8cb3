// Tests inputs that a call would lose or change on its way to the API: they are refused before the call.
import { describe, expect, it } from 'vitest';
import { action, list, resource } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { shareApi } from '../../helpers/shared-api.ts';
import { ok, raw } from '../../helpers/stub-upstream.ts';

const RESOURCES = {
  book: resource({
    index: list(
      'book',
      'books',
      { id: 'Integer', title: 'String', extra: 'Custom', weight: 'Float' },
      { input: { search: 'Custom', title: 'String', weight: 'Float', limit: 'Integer' } },
    ),
    create: action({
      path: '/books',
      method: 'POST',
      namespace: 'book',
      input: { title: 'String', extra: 'Custom', weight: 'Float' },
      output: { id: 'Integer' },
    }),
  }),
};
const LIST =
  'query ($search: JSON, $title: String, $weight: Float) { books(filter: { search: $search, title: $title, weight: $weight }) { nodes { id } } }';
const CREATE =
  'mutation ($input: BookCreateInput!) { bookCreate(input: $input) { userErrors { code } book { id } } }';

const api = shareApi(() =>
  openDescribed(RESOURCES, {
    'book#index': () => ok({ books: [] }),
    'book#create': () => ok({ book: { id: 1 } }),
  }),
);

describe('an input of a list', () => {
  it.each([
    ['an empty list', { search: [] }],
    ['an empty object', { search: {} }],
    ['an empty list within an object', { search: { c: [] } }],
    ['an empty object within an object', { search: { a: {}, b: 1 } }],
    ['a list within a list', { search: [[1]] }],
    ['an empty list within a list', { search: [[]] }],
    ['a list of objects', { search: [{ a: 1, b: 2 }, { a: 3 }] }],
    ['an empty key', { search: { '': 1 } }],
    ['a key with brackets', { search: { 'a[b]': 1 } }],
    ['half of a surrogate pair in a text', { title: 'a\ud800' }],
    ['half of a surrogate pair in JSON', { search: { a: ['\udc00'] } }],
    ['half of a surrogate pair in a key', { search: { 'a\ud800': 1 } }],
  ])('is refused before the call: %s', async (_name, variables) => {
    const { errors } = await api.ask(LIST, { variables });
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['BAD_USER_INPUT']);
    expect(api.upstream.calls).toEqual([]);
  });

  it.each([
    ['a list of values', { search: [1, 'a', true] }, { 'book[search][]': 'true' }],
    ['null', { search: null }, { 'book[search]': '' }],
    ['an emoji', { title: '😀' }, { 'book[title]': '😀' }],
  ])('is sent: %s', async (_name, variables, sent) => {
    expect((await api.ask(LIST, { variables })).errors).toEqual([]);
    expect(Object.fromEntries(api.upstream.calls[0]?.query ?? [])).toMatchObject(sent);
  });
});

describe('an input of a write', () => {
  it('may have empty lists and objects', async () => {
    const variables = { input: { extra: { a: [], b: {}, c: [[]] } } };
    expect((await api.ask(CREATE, { variables })).errors).toEqual([]);
    expect(api.upstream.calls[0]?.body).toEqual({ book: { extra: { a: [], b: {}, c: [[]] } } });
  });

  it('is refused with half of a surrogate pair', async () => {
    const { errors } = await api.ask(CREATE, { variables: { input: { title: '\ud83d' } } });
    expect(errors.map(({ message, extensions }) => [message, extensions['code']])).toEqual([
      ['The input "title" has half of a surrogate pair.', 'BAD_USER_INPUT'],
    ]);
    expect(api.upstream.calls).toEqual([]);
  });
});

describe('a number beyond those of double precision', () => {
  it.each([
    '{ books(filter: { search: 1e999 }) { nodes { id } } }',
    '{ books(filter: { search: [{ a: -1e999 }] }) { nodes { id } } }',
    '{ books(filter: { weight: 1e999 }) { nodes { id } } }',
    'mutation { bookCreate(input: { extra: { a: 1e999 } }) { book { id } } }',
    'mutation { bookCreate(input: { weight: 1e999 }) { book { id } } }',
  ])('is refused as a literal: %s', async (query) => {
    const { errors } = await api.ask(query);
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['BAD_USER_INPUT']);
    expect(api.upstream.calls).toEqual([]);
  });

  it('is refused in variables', async () => {
    const response = await fetch(api.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-library-token': 'one' },
      body: `{ "query": ${JSON.stringify(LIST)}, "variables": { "search": { "a": 1e999 } } }`,
    });
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
    expect(api.upstream.calls).toEqual([]);
  });

  it('is an error in a response, and not null in silence', async () => {
    const row = '{ "id": 1, "title": 1e999, "extra": { "a": 1e999 }, "weight": 1e999 }';
    const body = `{ "status": true, "response": { "books": [${row}] } }`;
    api.answer({ 'book#index': () => raw(body, 200, 'application/json') });
    const { data, errors } = await api.ask('{ books { nodes { id title extra weight } } }');
    expect(data).toEqual({ books: { nodes: [{ id: 'book/1', title: null, extra: null, weight: null }] } });
    expect(errors.map(({ path }) => path?.at(-1))).toEqual(['title', 'extra', 'weight']);
  });
});
