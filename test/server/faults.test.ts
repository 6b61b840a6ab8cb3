// Tests how failures of the upstream appear in results.
import { describe, expect, test } from 'vitest';
import { action, list, resource } from '../helpers/describe-api.ts';
import { openDescribed } from '../helpers/described.ts';
import { openLibrary } from '../helpers/library.ts';
import { type Answer, hangUp, ok, raw, refuse, reply, silence, truncate } from '../helpers/stub-upstream.ts';

const HTML = '<html><body>LEAK in a stack trace</body></html>';
const ID = '770077';
const TOKEN = 'LEAK-of-a-token';
const AUTHOR = { id: Number(ID), name: 'Ann', born: 1900, motto: 'LEAK in a value' };
const CUT = JSON.stringify({ status: true, response: { author: AUTHOR } }).slice(0, -9);

interface Fault {
  readonly answer: Answer;
  readonly code: string;
  readonly status: number | null;
  readonly retryable?: boolean;
  readonly message?: string;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  'a fault of its own': {
    answer: refuse('out of order', null, 500),
    code: 'UPSTREAM_ERROR',
    status: 500,
    message: 'out of order',
  },
  'HTML and 500': { answer: raw(HTML, 500), code: 'UPSTREAM_INVALID_RESPONSE', status: 500 },
  'HTML of a proxy and 502': {
    answer: raw(HTML, 502),
    code: 'UPSTREAM_UNAVAILABLE',
    status: 502,
    retryable: true,
  },
  'HTML of a proxy and 503': {
    answer: raw(HTML, 503),
    code: 'UPSTREAM_UNAVAILABLE',
    status: 503,
    retryable: true,
  },
  'HTML of a proxy and 504': {
    answer: raw(HTML, 504),
    code: 'UPSTREAM_UNAVAILABLE',
    status: 504,
    retryable: true,
  },
  'HTML and 200': { answer: raw(HTML), code: 'UPSTREAM_INVALID_RESPONSE', status: 200 },
  'HTML and 404': { answer: raw(HTML, 404), code: 'NOT_FOUND', status: 404 },
  'HTML and 401': { answer: raw(HTML, 401), code: 'UNAUTHENTICATED', status: 401 },
  'HTML and 429': { answer: raw(HTML, 429), code: 'UPSTREAM_UNAVAILABLE', status: 429, retryable: true },
  'text that calls itself JSON': {
    answer: raw('LEAK', 200, 'application/json'),
    code: 'UPSTREAM_INVALID_RESPONSE',
    status: 200,
  },
  'half a body': { answer: truncate(CUT), code: 'UPSTREAM_UNAVAILABLE', status: 200, retryable: true },
  'JSON that is cut short': { answer: raw(CUT), code: 'UPSTREAM_INVALID_RESPONSE', status: 200 },
  nothing: { answer: hangUp, code: 'UPSTREAM_UNAVAILABLE', status: null, retryable: true },
  'an empty body': { answer: raw(''), code: 'UPSTREAM_INVALID_RESPONSE', status: 200 },
  'an empty body and 204': { answer: raw('', 204), code: 'UPSTREAM_INVALID_RESPONSE', status: 204 },
  'JSON without an envelope': { answer: reply(AUTHOR), code: 'UPSTREAM_INVALID_RESPONSE', status: 200 },
  'a list as envelope': { answer: reply([AUTHOR]), code: 'UPSTREAM_INVALID_RESPONSE', status: 200 },
  'no namespace': { answer: ok({ writer: AUTHOR }), code: 'UPSTREAM_INVALID_RESPONSE', status: 200 },
  'no response': { answer: ok(null), code: 'UPSTREAM_INVALID_RESPONSE', status: 200 },
  'a list for an object': {
    answer: ok({ author: [AUTHOR] }),
    code: 'UPSTREAM_INVALID_RESPONSE',
    status: 200,
  },
  'a refusal without a word': { answer: refuse(null), code: 'NOT_FOUND', status: 200 },
  'a refusal that names a parameter': {
    answer: refuse('invalid', { name: ['is odd'] }),
    code: 'BAD_USER_INPUT',
    status: 200,
    message: 'invalid',
  },
  'a redirect': { answer: raw('', 302), code: 'UPSTREAM_INVALID_RESPONSE', status: 302 },
  '400': {
    answer: refuse('bad request', null, 400),
    code: 'UPSTREAM_ERROR',
    status: 400,
    message: 'bad request',
  },
  '401': {
    answer: refuse('who are you?', null, 401),
    code: 'UNAUTHENTICATED',
    status: 401,
    message: 'who are you?',
  },
  '403': { answer: refuse('not for you', null, 403), code: 'FORBIDDEN', status: 403, message: 'not for you' },
  '404': {
    answer: refuse('no such author', null, 404),
    code: 'NOT_FOUND',
    status: 404,
    message: 'no such author',
  },
  '429': {
    answer: refuse('slow down', null, 429),
    code: 'UPSTREAM_UNAVAILABLE',
    status: 429,
    retryable: true,
    message: 'slow down',
  },
  'a success that calls itself a failure': {
    answer: reply({ status: true, response: { author: AUTHOR } }, 500),
    code: 'UPSTREAM_ERROR',
    status: 500,
  },
  'nothing in time': { answer: silence, code: 'UPSTREAM_TIMEOUT', status: null, retryable: true },
  'more than can be read': {
    answer: raw('x'.repeat(300_000)),
    code: 'UPSTREAM_RESPONSE_TOO_LARGE',
    status: 200,
  },
};

const QUERY = `{ broken: author(id: ${ID}) { id name born } shelves { nodes { id room } } }`;
const SHELVES = {
  nodes: [
    { id: 'shelf/1', room: 'room 1' },
    { id: 'shelf/2', room: 'room 2' },
  ],
};

describe('an upstream that answers one call with', () => {
  test.each(Object.entries(FAULTS))(
    '%s gives one coded error and the rest of the answer',
    async (_name, fault) => {
      const { answer, code, status, retryable = false, message } = fault;
      const options = { timeout: 1_000, maxResponseBytes: 100_000 };
      await using library = await openLibrary({ 'author#show': () => answer }, { transport: options });
      const headers = { 'x-library-token': TOKEN, 'x-request-id': 'request-1' };
      const failed = await library.ask(QUERY, { headers });
      // An unknown credential fails the whole request.
      const isWhole = code === 'UNAUTHENTICATED';
      expect(failed.status).toBe(isWhole ? 401 : 200);
      expect(failed.data).toEqual(isWhole ? null : { broken: null, shelves: SHELVES });
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
      expect(next.data).toEqual({
        broken: { id: `author/${ID}`, name: 'Ann', born: 1900 },
        shelves: SHELVES,
      });
    },
  );

  test('an integer that JavaScript would round gives an error for that field alone', async () => {
    const body = '{"status":true,"response":{"author":{"id":7,"name":"Ann","born":9007199254740993}}}';
    await using library = await openLibrary({ 'author#show': () => raw(body) });
    const { data, errors } = await library.ask('{ author(id: 7) { id name born } }');
    expect(data).toEqual({ author: { id: 'author/7', name: 'Ann', born: null } });
    expect(errors).toMatchObject([
      {
        path: ['author', 'born'],
        extensions: {
          code: 'UPSTREAM_INVALID_RESPONSE',
          retryable: false,
        },
      },
    ]);
  });

  test('an id that JavaScript would round never gives the id of another object', async () => {
    const body = '{"status":true,"response":{"authors":[{"id":9007199254740993,"name":"Ann"}]}}';
    await using library = await openLibrary({ 'author#index': () => raw(body) });
    const { errors, text } = await library.ask('{ authors { nodes { id databaseId name } } }');
    expect(errors.length).toBeGreaterThan(0);
    for (const { extensions } of errors)
      expect(extensions).toMatchObject({ code: 'UPSTREAM_INVALID_RESPONSE' });
    expect(text).not.toContain('900719925474099');
  });

  test('an id that is not well-formed text is an error of the response', async () => {
    const body = '{"status":true,"response":{"authors":[{"id":"\\ud800","name":"Ann"}]}}';
    await using library = await openLibrary({ 'author#index': () => raw(body) });
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
    await using library = await openLibrary({ 'shelf#index': () => answer });
    const { data, errors } = await library.ask(
      '{ shelves { nodes { id } pageInfo { hasNextPage } } a: author(id: 1) { name } }',
    );
    expect(data).toEqual({ shelves: null, a: { name: 'author 1' } });
    expect(errors).toMatchObject([
      { path: ['shelves'], extensions: { code, upstream: { action: 'shelf#index' } } },
    ]);
  });

  test('is NOT_FOUND below an object that does not exist', async () => {
    await using library = await openLibrary({
      'shelf.book#index': () => refuse('no such shelf', null, 404),
    });
    const { data, errors } = await library.ask('{ shelves { nodes { id books { nodes { id } } } } }');
    const shelf = (id: number) => ({ id: `shelf/${id}`, books: null });
    expect(data).toEqual({ shelves: { nodes: [shelf(1), shelf(2)] } });
    expect(errors.map(({ extensions }) => extensions?.['code'])).toEqual(['NOT_FOUND', 'NOT_FOUND']);
  });

  test('reports errors about its filter with GraphQL names', async () => {
    const errors = { room: ['is full', 'is dark'], limit: 'is too large', keeper_id: ['is no column'] };
    await using library = await openLibrary({ 'shelf#index': () => refuse('invalid', errors, 400) });
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
  const failed = () => refuse('invalid', { bookFormat: ['is odd'], from_id: ['is far'] }, 400);
  const input = {
    book_format: 'String',
    bookFormat: 'String',
    from_id: 'Integer',
    limit: 'Integer',
  } as const;
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
            { parameter: 'bookFormat', path: renamed },
            { parameter: 'from_id', path: from },
          ],
        },
      },
    ]);
  });
});

describe('an object that the upstream refuses with 403', () => {
  const refused = () => refuse('access denied', null, 403);
  test.each([
    ['by its id', '{ author(id: 1) { name } }', { author: null }],
    ['as a node', '{ node(id: "author/1") { id } }', { node: null }],
    ['among nodes', '{ nodes(ids: ["author/1"]) { id } }', { nodes: [null] }],
    [
      'behind an association',
      '{ shelf(id: 1) { id keeper { label born } } }',
      { shelf: { id: 'shelf/1', keeper: { label: 'author 2', born: null } } },
    ],
  ])('is FORBIDDEN, and the other data stays: %s', async (_name, query, expected) => {
    await using library = await openLibrary({ 'author#show': refused });
    const { data, errors } = await library.ask(query);
    expect(data).toEqual(expected);
    expect(errors).toMatchObject([
      {
        message: 'access denied',
        extensions: { code: 'FORBIDDEN', upstream: { action: 'author#show', status: 403 } },
      },
    ]);
  });
});
