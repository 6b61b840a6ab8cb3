// Tests what the facade refuses without a call, and what it sends upstream.
import { describe, expect, test } from 'vitest';
import { openLibrary } from '../helpers/library.ts';
import { ok } from '../helpers/stub-upstream.ts';

const BAD_INPUT = { code: 'BAD_USER_INPUT', retryable: false };

describe('a request that the facade refuses without a call', () => {
  test.each([
    [
      'a page that is too large',
      '{ authors(first: 1001) { nodes { id } } }',
      '"first" must be from 0 to 1000',
    ],
    [
      'a page of less than nothing',
      '{ authors(first: -1) { nodes { id } } }',
      '"first" must be from 0 to 1000',
    ],
    [
      'a text that is not a cursor',
      '{ authors(after: "x") { nodes { id } } }',
      '"after" is not a cursor of this API',
    ],
    [
      'an id of another type',
      '{ author(id: "shelf/1") { id } }',
      '"shelf/1" is an ID of an object of another type; expected an ID of Author.',
    ],
    [
      'an id that leads elsewhere',
      '{ author(id: "..") { id } }',
      '".." is not an ID: one of its parts is empty',
    ],
    [
      'an id that leads elsewhere, encoded',
      '{ author(id: "author/%2e%2e") { id } }',
      'is not an ID: one of its parts is empty',
    ],
    ['an empty id', '{ author(id: "") { id } }', '"" is not an ID: one of its parts is empty'],
    ['a raw id for a node', '{ node(id: "1") { id } }', '"1" is not a global ID of this API'],
    [
      'a node that cannot be fetched',
      '{ node(id: "review/1") { id } }',
      'This API cannot fetch objects of type Review by ID',
    ],
    [
      'too many nodes',
      `{ nodes(ids: ${JSON.stringify(Array(101).fill('author/1'))}) { id } }`,
      '"ids" contains 101 IDs',
    ],
  ])('gets an error that names the problem: %s', async (_name, query, message) => {
    await using library = await openLibrary();
    const { status, errors, data } = await library.ask(query);
    expect([status, errors.length, Object.values(data ?? {})]).toEqual([200, 1, [null]]);
    expect(errors[0]).toMatchObject({ message: expect.stringContaining(message), extensions: BAD_INPUT });
    expect(errors[0]?.['extensions']).toHaveProperty('requestId');
    expect(library.upstream.calls).toEqual([]);
    expect(library.log).toEqual([]);
  });

  test.each([
    ['no syntax', '{ authors('],
    ['an unknown field', '{ writers { nodes { id } } }'],
    ['an argument of another type', '{ authors(first: "many") { nodes { id } } }'],
    ['a lacking argument', '{ author { id } }'],
  ])('has a query with %s', async (_name, query) => {
    await using library = await openLibrary();
    const { errors } = await library.ask(query, { headers: { 'x-request-id': 'request-2' } });
    for (const { extensions } of errors)
      expect(extensions).toMatchObject({ ...BAD_INPUT, requestId: 'request-2' });
    expect(errors.length).toBeGreaterThan(0);
    expect([library.upstream.calls, library.log]).toEqual([[], []]);
  });

  test('has two credentials', async () => {
    await using library = await openLibrary();
    const headers = { authorization: 'Basic LEAK', 'x-library-token': 'LEAK' };
    const { status, errors, text } = await library.ask('{ authors { nodes { id } } }', { headers });
    expect(status).toBe(400);
    expect(errors).toMatchObject([{ extensions: { code: 'AMBIGUOUS_CREDENTIALS', retryable: false } }]);
    expect(errors[0]?.['extensions']).toHaveProperty('requestId');
    expect(text + library.log.join('')).not.toContain('LEAK');
    expect(library.upstream.calls).toEqual([]);
  });

  test('has a credential of an unknown scheme', async () => {
    await using library = await openLibrary();
    const { status, errors, text } = await library.ask('{ authors { nodes { id } } }', {
      token: null,
      headers: { authorization: 'Digest LEAK' },
    });
    expect(status).toBe(401);
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    expect(text + library.log.join('')).not.toContain('LEAK');
  });
});

describe('a call', () => {
  test('carries only the credential, the language, the request id and the program of the caller', async () => {
    await using library = await openLibrary();
    await library.ask('{ authors { nodes { id } } }', {
      headers: {
        'x-library-token': 'a-token',
        'accept-language': 'cs',
        'x-request-id': 'request-3',
        cookie: 'session=1',
        'x-forwarded-for': '10.0.0.1',
        'x-haveapi-auth-token': 'another',
      },
    });
    const { host: _host, connection: _connection, ...headers } = library.upstream.calls[0]?.headers ?? {};
    expect(headers).toEqual({
      accept: 'application/json',
      'accept-language': 'cs',
      'user-agent': expect.stringMatching(/^optiongraph\/[\d.]+$/),
      'x-library-token': 'a-token',
      'x-request-id': 'request-3',
    });
  });
});

describe('a warning', () => {
  test('reports a list that the facade pages itself, whose rows keep the order of the upstream', async () => {
    const authors = [3, 1, 2].map((id) => ({ id, name: `author ${id}` }));
    await using library = await openLibrary({
      'author#index': ({ query }) =>
        ok({ authors: authors.slice(0, Number(query.get('authors[limit]') ?? authors.length)) }),
    });
    const page =
      '{ authors(first: 2) { nodes { databaseId } pageInfo { hasNextPage endCursor } totalCount } }';
    const { data, extensions, errors } = await library.ask(page);
    expect(errors).toEqual([]);
    expect(data?.['authors']).toMatchObject({
      nodes: [{ databaseId: 3 }, { databaseId: 1 }],
      pageInfo: { hasNextPage: true },
      totalCount: null,
    });
    expect(extensions['warnings']).toEqual([
      { code: 'COUNT_UNAVAILABLE', coordinate: 'Query.authors', count: 1 },
    ]);
    const after = data?.['authors']?.['pageInfo']?.['endCursor'];
    const next = await library.ask(
      `{ authors(first: 2, after: "${after}") { nodes { databaseId } pageInfo { hasNextPage hasPreviousPage } } }`,
    );
    expect(next.extensions['warnings']).toEqual([
      { code: 'PAGINATION_EMULATED', coordinate: 'Query.authors', count: 1 },
    ]);
    expect(next.data?.['authors']).toEqual({
      nodes: [{ databaseId: 2 }],
      pageInfo: { hasNextPage: false, hasPreviousPage: true },
    });
  });
});
