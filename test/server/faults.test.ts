// Tests how failures of the upstream appear in results.
import { describe, expect, test } from 'vitest';
import { action, list, resource } from '../helpers/describe-api.ts';
import { openDescribed } from '../helpers/described.ts';
import { openLibrary } from '../helpers/library.ts';
import { shareApi } from '../helpers/shared-api.ts';
import { type Answer, hangUp, ok, raw, refuse, reply, silence, truncate } from '../helpers/stub-upstream.ts';

const library = shareApi(() => openLibrary());

const HTML = '<html><body>LEAK in a stack trace</body></html>';
const ID = '770077';
const TOKEN = 'LEAK-of-a-token';
const AUTHOR = { id: Number(ID), name: 'Ann', born: 1900, motto: 'LEAK in a value' };
const CUT = JSON.stringify({ status: true, response: { author: AUTHOR } }).slice(0, -9);

/** What the upstream answers, the status that the error then names, and the message where it is the upstream's. */
const FAULTS: Readonly<
  Record<string, readonly (readonly [what: string, Answer, status: number | null, message?: string])[]>
> = {
  UPSTREAM_INVALID_RESPONSE: [
    ['HTML and 500', raw(HTML, 500), 500],
    ['HTML and 200', raw(HTML), 200],
    ['text that calls itself JSON', raw('LEAK', 200, 'application/json'), 200],
    ['JSON that is cut short', raw(CUT), 200],
    ['an empty body', raw(''), 200],
    ['an empty body and 204', raw('', 204), 204],
    ['JSON without an envelope', reply(AUTHOR), 200],
    ['a list as envelope', reply([AUTHOR]), 200],
    ['no namespace', ok({ writer: AUTHOR }), 200],
    ['no response', ok(null), 200],
    ['a list for an object', ok({ author: [AUTHOR] }), 200],
    ['a redirect', raw('', 302), 302],
  ],
  UPSTREAM_UNAVAILABLE: [
    ['HTML of a proxy and 502', raw(HTML, 502), 502],
    ['HTML of a proxy and 503', raw(HTML, 503), 503],
    ['HTML of a proxy and 504', raw(HTML, 504), 504],
    ['half a body', truncate(CUT), 200],
    ['nothing', hangUp, null],
    ['429', refuse('slow down', null, 429), 429, 'slow down'],
  ],
  UPSTREAM_ERROR: [
    ['a fault of its own', refuse('out of order', null, 500), 500, 'out of order'],
    ['400', refuse('bad request', null, 400), 400, 'bad request'],
    ['a success that says it failed', reply({ status: true, response: { author: AUTHOR } }, 500), 500],
  ],
  UPSTREAM_TIMEOUT: [['nothing in time', silence, null]],
  UPSTREAM_RESPONSE_TOO_LARGE: [['more than can be read', raw('x'.repeat(300_000)), 200]],
  UNAUTHENTICATED: [['401', refuse('who are you?', null, 401), 401, 'who are you?']],
  FORBIDDEN: [['403', refuse('not for you', null, 403), 403, 'not for you']],
  NOT_FOUND: [
    ['404', refuse('no such author', null, 404), 404, 'no such author'],
    ['a refusal without a word', refuse(null), 200],
  ],
  BAD_USER_INPUT: [
    ['a refusal that names a parameter', refuse('invalid', { name: ['is odd'] }), 200, 'invalid'],
  ],
};
const CASES = Object.entries(FAULTS).flatMap(([code, faults]) =>
  faults.map(([what, answer, status, message]) => [code, what, answer, status, message] as const),
);
const RETRYABLE = new Set(['UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT']);

const QUERY = `{ broken: author(id: ${ID}) { id name born } shelves { nodes { id room } } }`;
const shelves = {
  nodes: [1, 2].map((id) => ({ id: `shelf/${id}`, room: `room ${id}` })),
};

describe('an upstream that answers one call badly', () => {
  test.each(CASES)(
    '%s by %s: one coded error, and the rest of the answer',
    async (code, _what, answer, status, message) => {
      const retryable = RETRYABLE.has(code);
      const options = { timeout: 1_000, maxResponseBytes: 100_000 };
      await using library = await openLibrary({ 'author#show': () => answer }, { transport: options });
      const headers = { 'x-library-token': TOKEN, 'x-request-id': 'request-1' };
      const failed = await library.ask(QUERY, { headers });
      // An unknown credential fails the whole request.
      const isWhole = code === 'UNAUTHENTICATED';
      expect(failed.status).toBe(isWhole ? 401 : 200);
      expect(failed.data).toEqual(isWhole ? null : { broken: null, shelves });
      expect(failed.errors).toHaveLength(1);
      expect(failed.errors[0]).toMatchObject({
        ...(message === undefined ? {} : { message }),
        path: ['broken'],
        extensions: { code, retryable, requestId: 'request-1', upstream: { action: 'author#show', status } },
      });
      expect(failed.text + library.log.join('')).not.toMatch(/LEAK|770077|<html/);

      library.upstream.handlers.set('author#show', () => ok({ author: AUTHOR }));
      const next = await library.ask(QUERY, { headers });
      expect(next.errors).toEqual([]);
      expect(next.data).toEqual({ broken: { id: `author/${ID}`, name: 'Ann', born: 1900 }, shelves });
    },
  );

  test('an integer that JavaScript would round gives an error for that field alone', async () => {
    const body = '{"status":true,"response":{"author":{"id":7,"name":"Ann","born":9007199254740993}}}';
    library.answer({ 'author#show': () => raw(body) });
    const { data, errors } = await library.ask('{ author(id: 7) { id name born } }');
    expect(data).toEqual({ author: { id: 'author/7', name: 'Ann', born: null } });
    expect(errors).toMatchObject([
      { path: ['author', 'born'], extensions: { code: 'UPSTREAM_INVALID_RESPONSE', retryable: false } },
    ]);
  });

  test('an id that JavaScript would round never gives the id of another object', async () => {
    const body = '{"status":true,"response":{"authors":[{"id":9007199254740993,"name":"Ann"}]}}';
    library.answer({ 'author#index': () => raw(body) });
    const { errors, text } = await library.ask('{ authors { nodes { id databaseId name } } }');
    expect(errors.length).toBeGreaterThan(0);
    for (const { extensions } of errors)
      expect(extensions).toMatchObject({ code: 'UPSTREAM_INVALID_RESPONSE' });
    expect(text).not.toContain('900719925474099');
  });

  test('an id that is not well-formed text is an error of the response', async () => {
    const body = '{"status":true,"response":{"authors":[{"id":"\\ud800","name":"Ann"}]}}';
    library.answer({ 'author#index': () => raw(body) });
    const { errors } = await library.ask('{ authors { nodes { id name } } }');
    expect(errors).toMatchObject([
      { path: ['authors', 'nodes', 0, 'id'], extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } },
    ]);
  });
});

describe('a list that fails', () => {
  test.each([
    ['an object for a list', ok({ shelves: { id: 1 } }), 'UPSTREAM_INVALID_RESPONSE'],
    ['rows that are no objects', ok({ shelves: [1, null] }), 'UPSTREAM_INVALID_RESPONSE'],
    ['a refusal without a word', refuse(null), 'UPSTREAM_ERROR'],
    ['no rights', refuse('no', null, 403), 'FORBIDDEN'],
    ['a path that the server does not have', refuse('not found', null, 404), 'UPSTREAM_ERROR'],
  ])('is null with one error: %s', async (_name, answer, code) => {
    library.answer({ 'shelf#index': () => answer });
    const { data, errors } = await library.ask(
      '{ shelves { nodes { id } pageInfo { hasNextPage } } a: author(id: 1) { name } }',
    );
    expect(data).toEqual({ shelves: null, a: { name: 'author 1' } });
    expect(errors).toMatchObject([
      { path: ['shelves'], extensions: { code, upstream: { action: 'shelf#index' } } },
    ]);
  });

  test('is NOT_FOUND below an object that does not exist', async () => {
    library.answer({ 'shelf.book#index': () => refuse('no such shelf', null, 404) });
    const { data, errors } = await library.ask('{ shelves { nodes { id books { nodes { id } } } } }');
    const shelf = (id: number) => ({ id: `shelf/${id}`, books: null });
    expect(data).toEqual({ shelves: { nodes: [shelf(1), shelf(2)] } });
    expect(errors.map(({ extensions }) => extensions?.['code'])).toEqual(['NOT_FOUND', 'NOT_FOUND']);
  });

  test('reports errors about its filter with GraphQL names', async () => {
    const errors = { room: ['is full', 'is dark'], limit: 'is too large', keeper_id: ['is no column'] };
    library.answer({ 'shelf#index': () => refuse('invalid', errors, 400) });
    const failed = await library.ask('{ shelves(filter: { room: "x" }) { nodes { id } } }');
    expect(failed.data).toEqual({ shelves: null });
    expect(failed.errors).toMatchObject([
      {
        message: 'invalid',
        extensions: {
          code: 'BAD_USER_INPUT',
          userErrors: [
            { message: 'is full', code: 'INVALID', path: ['filter', 'room'], parameter: 'room' },
            { message: 'is dark', code: 'INVALID', path: ['filter', 'room'], parameter: 'room' },
            { message: 'is too large', code: 'INVALID', path: ['first'], parameter: 'limit' },
            { message: 'is no column', code: 'INVALID', parameter: 'keeper_id' },
          ],
        },
      },
    ]);
  });
});

describe('an error about a parameter whose GraphQL name is not its own', () => {
  const failed = () => refuse('invalid', { book_format: ['is odd'], from_id: ['is far'] }, 400);
  const input = { book_format: 'String', bookFormat: 'String', from_id: 'Integer', limit: 'Integer' };
  const described = {
    book: resource({
      index: list('book', 'books', { id: 'Integer' }, { input }),
      find: action({ path: '/books/find', output: { size: 'Integer' }, input }),
    }),
  };

  test.each([
    ['a filter', '{ books { nodes { id } } }', ['filter', 'bookFormatValue'], ['after']],
    ['an argument', '{ bookFind { size } }', ['bookFormatValue'], ['fromId']],
  ])('has the path of the input: %s', async (_name, query, renamed, from) => {
    await using api = await openDescribed(described, { 'book#index': failed, 'book#find': failed });
    const { errors } = await api.ask(query);
    expect(errors).toMatchObject([
      {
        extensions: {
          userErrors: [
            { parameter: 'book_format', path: renamed },
            { parameter: 'from_id', path: from },
          ],
        },
      },
    ]);
  });
});

test('an object that the upstream refuses with 403 is FORBIDDEN wherever it is read, and other data stays', async () => {
  library.answer({ 'author#show': () => refuse('access denied', null, 403) });
  const { data, errors } = await library.ask(`{
    author(id: 1) { name }
    node(id: "author/1") { id }
    nodes(ids: ["author/1"]) { id }
    shelf(id: 1) { id keeper { label born } }
  }`);
  const shelf = { id: 'shelf/1', keeper: { label: 'author 2', born: null } };
  expect(data).toEqual({ author: null, node: null, nodes: [null], shelf });
  const extensions = { code: 'FORBIDDEN', upstream: { action: 'author#show', status: 403 } };
  expect(errors).toMatchObject(Array(4).fill({ message: 'access denied', extensions }));
});
