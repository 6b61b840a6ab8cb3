// Tests reads that the API answers only without the includes that the facade has added.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { action, list, refersTo, resource } from '../helpers/describe-api.ts';
import { openDescribed } from '../helpers/described.ts';
import { ask } from '../helpers/facade.ts';
import { openLibrary } from '../helpers/library.ts';
import {
  type Answer,
  type Handler,
  hangUp,
  ok,
  raw,
  refuse,
  type StubCall,
  type StubUpstream,
  silence,
} from '../helpers/stub-upstream.ts';

afterEach(() => void vi.useRealTimers());

const AUTHOR = { id: 'Integer', name: 'String', born: 'Integer', city: refersTo(['city']) } as const;
const CITY = { id: 'Integer', name: 'String', country: 'String' } as const;
const BOOK = { id: 'Integer', author: refersTo(['author']), city: refersTo(['city']) } as const;
const includes = { meta: ['includes'] } as const;
const shows = (name: string, plural: string, output: typeof AUTHOR | typeof CITY | typeof BOOK) =>
  action({ path: `/${plural}/{${name}_id}`, namespace: name, output, ...includes });

const RESOURCES = {
  author: resource({ show: shows('author', 'authors', AUTHOR) }),
  city: resource({ show: shows('city', 'cities', CITY) }),
  book: resource(
    { index: list('book', 'books', BOOK, includes), show: shows('book', 'books', BOOK) },
    {
      page: resource({ index: list('page', 'pages', BOOK, { path: '/books/{book_id}/pages', ...includes }) }),
    },
  ),
};

const refer = (id: number) => ({ id, name: `name ${id}`, _meta: { path_params: [id], resolved: false } });
const book = (id: number) => ({ id, author: refer(1), city: refer(2) });
const SOUND: Readonly<Record<string, Handler>> = {
  'author#show': () => ok({ author: { id: 1, name: 'Ann', born: 1900, city: refer(2) } }),
  'city#show': () => ok({ city: { id: 2, name: 'Brno', country: 'CZ' } }),
  'book#index': () => ok({ books: [book(1), book(2)] }),
  'book#show': ({ path: [id] }) => ok({ book: book(Number(id)) }),
  'book.page#index': () => ok({ pages: [book(7)] }),
};

const includesOf = ({ query }: StubCall): readonly string[] => query.get('_meta[includes]')?.split(',') ?? [];

/** Returns a different response if a request includes the association, or any association if it is omitted. */
function failing(
  scope: string,
  answer: Answer = refuse('A server error occurred', null, 500),
  association?: string,
) {
  const handler: Handler = (call) => {
    const isBroken = includesOf(call).some(
      (include) => association === undefined || include.split('__')[0] === association,
    );
    return isBroken ? answer : (SOUND[scope]?.(call) ?? hangUp);
  };
  return { [scope]: handler };
}

const open = (handlers: Readonly<Record<string, Handler>> = {}) =>
  openDescribed(RESOURCES, { ...SOUND, ...handlers }, { transport: { retry: { retries: 0 } } });

/** Returns the calls since the last invocation, each with its includes. */
const take = ({ calls }: StubUpstream) =>
  calls.splice(0).map((call) => [call.scope, includesOf(call).join(',')]);

const AUTHORS = '{ books { nodes { author { born } } } }';
const CITIES = '{ books { nodes { city { country } } } }';
const BOTH = '{ books { nodes { author { born } city { country } } } }';

describe('a list that the API answers only without includes', () => {
  it('is read again without includes, and missing objects are loaded', async () => {
    await using at = await open(failing('book#index'));
    const { data, errors, extensions } = await at.ask(AUTHORS);
    expect(errors).toEqual([]);
    expect(data).toEqual({ books: { nodes: [{ author: { born: 1900 } }, { author: { born: 1900 } }] } });
    expect(take(at.upstream)).toEqual([
      ['book#index', 'author'],
      ['book#index', ''],
      ['author#show', ''],
    ]);
    expect(extensions).toMatchObject({
      upstream: { calls: 3 },
      warnings: [{ code: 'INCLUDES_UNAVAILABLE', coordinate: 'Query.books', count: 1 }],
    });
  });

  it('is read without includes by later requests of the same caller, with a warning', async () => {
    await using at = await open(failing('book#index'));
    await at.ask(AUTHORS);
    take(at.upstream);
    const { errors, extensions } = await at.ask(AUTHORS);
    expect(errors).toEqual([]);
    expect(take(at.upstream)).toEqual([
      ['book#index', ''],
      ['author#show', ''],
    ]);
    expect(extensions['warnings']).toEqual([
      { code: 'INCLUDES_UNAVAILABLE', coordinate: 'Query.books', count: 1 },
    ]);
  });

  it('is read with includes by other callers, whose rows may not make it fail', async () => {
    await using at = await open(failing('book#index'));
    await at.ask(AUTHORS);
    take(at.upstream);
    await ask(at.facade, AUTHORS, { headers: { 'x-library-token': 'other' } });
    expect(take(at.upstream)[0]).toEqual(['book#index', 'author']);
  });

  it('is read with includes again after five minutes', async () => {
    vi.useFakeTimers({ toFake: ['performance'] }).advanceTimersByTime(1);
    await using at = await open(failing('book#index'));
    await at.ask(AUTHORS);
    take(at.upstream);
    vi.advanceTimersByTime(5 * 60_000 - 1);
    await at.ask(AUTHORS);
    expect(take(at.upstream)).not.toContainEqual(['book#index', 'author']);
    vi.advanceTimersByTime(2);
    await at.ask(AUTHORS);
    expect(take(at.upstream)).toContainEqual(['book#index', 'author']);
  });

  it('is read with the includes that do not fail, as soon as the others are known', async () => {
    await using at = await open(failing('book#index', undefined, 'author'));
    await at.ask(AUTHORS);
    take(at.upstream);
    const { errors } = await at.ask('{ books { nodes { author { city { country } } city { country } } } }');
    expect(errors).toEqual([]);
    expect(take(at.upstream)[0]).toEqual(['book#index', 'city']);
  });

  it('is not read with a superset of failed includes, but with a subset', async () => {
    await using at = await open(failing('book#index', undefined, 'author'));
    await at.ask(BOTH);
    expect(take(at.upstream).slice(0, 2)).toEqual([
      ['book#index', 'author,city'],
      ['book#index', ''],
    ]);
    await at.ask(BOTH);
    expect(take(at.upstream)[0]).toEqual(['book#index', '']);
    const { extensions } = await at.ask(CITIES);
    expect(take(at.upstream)[0]).toEqual(['book#index', 'city']);
    expect(extensions).not.toHaveProperty('warnings');
  });

  it('shares its response with a field that needs no includes', async () => {
    await using at = await open(failing('book#index'));
    await at.ask(AUTHORS);
    take(at.upstream);
    const { extensions } = await at.ask(
      `{ books { nodes { author { born } } } ids: books { nodes { id } } }`,
    );
    expect(take(at.upstream)).toEqual([
      ['book#index', ''],
      ['author#show', ''],
    ]);
    expect(extensions).toMatchObject({ upstream: { calls: 2, coalesced: 1 }, warnings: [{ count: 1 }] });
  });

  it.each([
    ['a page of markup', raw('<h1>Internal Server Error</h1>', 500)],
    ['400', refuse('unknown include', null, 400)],
    ['an error of the input "includes"', refuse('invalid', { includes: ['cannot be included'] }, 400)],
    ['404', refuse('not found', null, 404)],
    ['a refusal with HTTP 200', refuse('no')],
  ])('can reject includes with %s', async (_name, answer) => {
    await using at = await open(failing('book#index', answer));
    const { errors } = await at.ask(AUTHORS);
    expect(errors).toEqual([]);
    expect(take(at.upstream)).toHaveLength(3);
  });
});

describe('includes that a caller has no right to', () => {
  const forbidden: Handler = (call) =>
    includesOf(call).length > 0 && call.headers['x-library-token'] !== 'admin'
      ? refuse('not for you', null, 403)
      : ok({ books: [book(1)] });

  it('are omitted for that caller only', async () => {
    await using at = await open({ 'book#index': forbidden });
    expect((await at.ask(AUTHORS)).errors).toEqual([]);
    take(at.upstream);
    await at.ask(AUTHORS);
    expect(take(at.upstream)[0]).toEqual(['book#index', '']);
    await ask(at.facade, AUTHORS, { headers: { 'x-library-token': 'admin' } });
    expect(take(at.upstream)[0]).toEqual(['book#index', 'author']);
  });
});

describe('a read that also fails without includes', () => {
  it('fails with the error of the second call, and nothing is recorded', async () => {
    const broken: Handler = (call) =>
      includesOf(call).length > 0 ? refuse('first', null, 500) : refuse('second', null, 503);
    await using at = await open({ 'book#index': broken });
    const { data, errors, extensions } = await at.ask(AUTHORS);
    expect(data).toBeNull();
    expect(errors).toMatchObject([
      { message: 'second', path: ['books'], extensions: { code: 'UPSTREAM_UNAVAILABLE' } },
    ]);
    expect(extensions).not.toHaveProperty('warnings');
    take(at.upstream);
    await at.ask(AUTHORS);
    expect(take(at.upstream)).toEqual([
      ['book#index', 'author'],
      ['book#index', ''],
    ]);
  });
});

describe('a read is not repeated', () => {
  it.each([
    ['the credential is invalid', refuse('who?', null, 401), 'UNAUTHENTICATED'],
    ['the rate limit is reached', refuse('slowly', null, 429), 'UPSTREAM_UNAVAILABLE'],
    ['the server is down', refuse('later', null, 503), 'UPSTREAM_UNAVAILABLE'],
    ['the connection breaks', hangUp, 'UPSTREAM_UNAVAILABLE'],
    ['an input is invalid', refuse('invalid', { limit: ['too large'] }, 400), 'BAD_USER_INPUT'],
  ])('if %s', async (_name, answer, code) => {
    await using at = await open(failing('book#index', answer));
    const { errors } = await at.ask(AUTHORS);
    expect(errors).toMatchObject([{ extensions: { code } }]);
    expect(take(at.upstream).filter(([scope]) => scope === 'book#index')).toHaveLength(1);
  });

  it.each([
    ['{ book(id: 1) { author { born } } }', 'book#show'],
    ['{ book(id: 1) { pages { nodes { author { born } } } } }', 'book.page#index'],
  ])('if an object of its path is not found: %s', async (query, scope) => {
    await using at = await open(failing(scope, refuse('not found', null, 404)));
    const { errors } = await at.ask(query);
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    expect(take(at.upstream).filter(([called]) => called === scope)).toHaveLength(1);
  });

  it('if no response arrives in time', async () => {
    await using library = await openLibrary(
      { 'shelf.book#index': () => silence },
      { transport: { timeout: 2_000 } },
    );
    const { errors } = await library.ask('{ shelf(id: 1) { books { nodes { author { born } } } } }');
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
    expect(library.upstream.calls.map(({ scope }) => scope)).toEqual(['shelf#show', 'shelf.book#index']);
  });

  it('if no includes were sent', async () => {
    await using at = await open({ 'book#index': () => refuse('broken', null, 500) });
    const { errors } = await at.ask('{ books { nodes { id } } }');
    expect(errors).toHaveLength(1);
    expect(take(at.upstream)).toHaveLength(1);
  });
});

describe('a show that the API answers only without includes', () => {
  it('is called again without includes, with a warning for each field that needs them', async () => {
    await using at = await open(failing('book#show'));
    const { data, errors, extensions } = await at.ask(
      '{ book(id: 1) { author { born } } node(id: "book/2") { ... on Book { author { born } } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({ book: { author: { born: 1900 } }, node: { author: { born: 1900 } } });
    expect(extensions['warnings']).toEqual([
      { code: 'INCLUDES_UNAVAILABLE', coordinate: 'Query.book', count: 1 },
      { code: 'INCLUDES_UNAVAILABLE', coordinate: 'Query.node', count: 1 },
    ]);
  });

  it('makes no failing call for queued objects', async () => {
    await using at = await open(failing('book#show'));
    const ids = JSON.stringify(Array.from({ length: 100 }, (_, index) => `book/${index + 1}`));
    const { errors } = await at.ask(`{ nodes(ids: ${ids}) { ... on Book { author { born } } } }`);
    expect(errors).toEqual([]);
    const calls = take(at.upstream).filter(([scope]) => scope === 'book#show');
    expect(calls.filter(([, asked]) => asked === '')).toHaveLength(100);
    // As many as one operation sends at once.
    expect(calls.length).toBeLessThanOrEqual(164);
  });
});
