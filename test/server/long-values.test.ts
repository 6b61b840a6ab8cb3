// Tests the maximum lengths of ids, cursors and scalars, over each transport.
import { describe, expect, it } from 'vitest';
import { action, list, refersTo, resource, show } from '../helpers/describe-api.ts';
import { openDescribed } from '../helpers/described.ts';
import { shareApi } from '../helpers/shared-api.ts';
import { ok } from '../helpers/stub-upstream.ts';
import { TRANSPORTS } from '../helpers/transports.ts';

const BOOK = { id: 'Integer', author: refersTo(['author'], 'name') } as const;
const API = {
  author: resource({ show: show('author', 'authors', { id: 'Integer', name: 'String' }) }),
  book: resource({
    index: list('book', 'books', BOOK, {
      input: {
        author: refersTo(['author'], 'name'),
        at: 'Datetime',
        tags: 'Custom',
        limit: 'Integer',
        from_id: 'Integer',
      },
    }),
    show: show('book', 'books', BOOK),
    find: action({ path: '/books/by/{title}', namespace: 'book', output: BOOK }),
  }),
};

const TOO_LONG = 'An ID or a part of a path has 480000 characters; at most 1024 are allowed.';
/** Each query with the name of what is too long, the value, and the error. */
const REFUSED: readonly (readonly [name: string, query: string, v: unknown, message: string])[] = [
  [
    'a global id in 20 fields',
    `query ($v: ID!) { ${Array.from({ length: 20 }, (_, index) => `n${index}: node(id: $v) { id }`).join(' ')} }`,
    '/'.repeat(480_000),
    TOO_LONG,
  ],
  ['one of many global ids', 'query ($v: ID!) { nodes(ids: [$v]) { id } }', '/'.repeat(480_000), TOO_LONG],
  ['the id of a field', 'query ($v: ID!) { author(id: $v) { id } }', '1'.repeat(480_000), TOO_LONG],
  [
    'a filter',
    'query ($v: ID!) { books(filter: { author: $v }) { nodes { id } } }',
    '%'.repeat(480_000),
    TOO_LONG,
  ],
  ['a part of a path', 'query ($v: String!) { bookFind(title: $v) { id } }', 'x'.repeat(480_000), TOO_LONG],
  [
    'a cursor',
    'query ($v: String!) { books(after: $v) { nodes { id } } }',
    'W'.repeat(131_073),
    '"after" has 131073 characters, more than the 131072 of a cursor; use an endCursor or a cursor.',
  ],
  [
    'a time',
    'query ($v: DateTime!) { books(filter: { at: $v }) { nodes { id } } }',
    `2020-01-31T10:20:30.${'0'.repeat(64)}Z`,
    'DateTime expects at most 64 characters; the value has 85.',
  ],
  [
    'a JSON value',
    'query ($v: JSON!) { books(filter: { tags: $v }) { nodes { id } } }',
    ['x'.repeat(262_144)],
    'JSON expects at most 262144 characters; the value has 262148.',
  ],
];

describe.each(TRANSPORTS)('over %s', (_name, send) => {
  const api = shareApi(() =>
    openDescribed(API, {
      'author#show': () => ok({ author: { id: 1, name: 'A' } }),
      'book#index': () => ok({ books: [] }),
    }),
  );
  const headers = { 'x-library-token': 'reader' };

  it.each(REFUSED)('%s that is too long is refused with its limit', async (_what, query, v, message) => {
    const { errors } = await send(api.url, { query, variables: { v } }, headers);
    for (const error of errors ?? []) {
      expect(error.extensions['code']).toBe('BAD_USER_INPUT');
      expect(error.message).toContain(message);
    }
    expect(errors?.length).toBeGreaterThan(0);
    expect(api.upstream.calls).toEqual([]);
  });

  it('an encoded id, a time of 64 characters and a long JSON value are accepted', async () => {
    const query = `query ($id: ID!, $at: DateTime!, $tags: JSON!) {
      node(id: $id) { id }
      books(filter: { at: $at, tags: $tags }) { nodes { id } }
    }`;
    const at = `2020-01-31T10:20:30.${'0'.repeat(43)}Z`;
    const tags = ['x'.repeat(10_000)];
    const variables = { id: 'author/%31', at, tags };
    const { errors, data } = await send(api.url, { query, variables }, headers);
    expect(at).toHaveLength(64);
    expect(errors).toBeUndefined();
    expect(data).toEqual({ node: { id: 'author/1' }, books: { nodes: [] } });
  });
});
