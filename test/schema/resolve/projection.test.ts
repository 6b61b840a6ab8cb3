// Tests reads that begin before the object on which their fields stand has arrived.

import { describe, expect, it } from 'vitest';
import { holdAnswers } from '../../helpers/held-answers.ts';
import { DEFAULT_HANDLERS, openLibrary, UNAUTHORIZED, unresolved } from '../../helpers/library.ts';
import { ok, refuse, type StubUpstream } from '../../helpers/stub-upstream.ts';

const SHELF = ok({ shelf: { id: 1, room: 'cellar', keeper: unresolved(2, 'author 2') } });
const OFF = { savings: { earlyReads: false } };

const scopes = ({ calls }: StubUpstream) => calls.map(({ scope }) => scope);

describe('the fields of an object that a client names by id', () => {
  it('are read together with the object, in one round trip', async () => {
    const shelf = holdAnswers(SHELF);
    await using library = await openLibrary({ 'shelf#show': shelf.handler });
    const answer = library.ask('{ shelf(id: 1) { room books(first: 2) { nodes { title } } } }');
    const held = await shelf.take(0);
    await expect.poll(() => scopes(library.upstream)).toEqual(['shelf#show', 'shelf.book#index']);
    held.release();
    const { data, errors, extensions } = await answer;
    expect(errors).toEqual([]);
    expect(data?.['shelf']).toEqual({
      room: 'cellar',
      books: { nodes: [{ title: 'book 1' }, { title: 'book 2' }] },
    });
    expect(extensions['upstream']).toMatchObject({ calls: 2, coalesced: 0 });
    expect(library.upstream.calls).toHaveLength(2);
  });

  it('are read after the object if that is turned off', async () => {
    const shelf = holdAnswers(SHELF);
    await using library = await openLibrary({ 'shelf#show': shelf.handler }, OFF);
    const answer = library.ask('{ shelf(id: 1) { books { nodes { title } } } }');
    const held = await shelf.take(0);
    await library.ask('{ authors { nodes { id } } }');
    expect(scopes(library.upstream)).toEqual(['shelf#show', 'author#index']);
    held.release();
    expect((await answer).errors).toEqual([]);
  });

  it('are read at any depth that the global id determines, in one round trip', async () => {
    const shelf = holdAnswers(SHELF);
    const author = holdAnswers(ok({ author: { id: 1, name: 'Ann', born: 1901, motto: '' } }));
    await using library = await openLibrary({ 'shelf#show': shelf.handler, 'author#show': author.handler });
    const answer = library.ask(`{
      node(id: "shelf/1") { ... on Shelf { book(id: 2) { summary } } }
      author(id: 1) { reviews { nodes { text } } reviewsAgain: reviews(first: 1) { nodes { id } } }
    }`);
    const held = [await shelf.take(0), await author.take(0)];
    await expect
      .poll(() => scopes(library.upstream).sort())
      .toEqual(['author#show', 'review#index', 'review#index', 'shelf#show', 'shelf.book#show']);
    for (const { release } of held) release();
    const { data, errors } = await answer;
    expect(errors).toEqual([]);
    expect(data).toEqual({
      node: { book: { summary: 'summary 2' } },
      author: { reviews: { nodes: [{ text: 'good' }] }, reviewsAgain: { nodes: [{ id: 'review/1' }] } },
    });
    expect(library.upstream.calls).toHaveLength(5);
  });

  it('keep the arguments of each alias', async () => {
    const books = ({ path: [shelf], query }: { path: readonly string[]; query: URLSearchParams }) => {
      const ids = Array.from({ length: Number(query.get('books[limit]')) }, (_, index) => index + 1);
      return ok({ books: ids.map((id) => ({ id, title: `${shelf}.${id}`, pages: 1, author: null })) });
    };
    await using library = await openLibrary({ 'shelf.book#index': books });
    const { data, errors } = await library.ask(`{
      one: shelf(id: 1) { ...Books } two: shelf(id: 2) { ...Books }
    }
    fragment Books on Shelf {
      few: books(first: 1) { nodes { title } }
      more: books(first: 2) { nodes { title } }
      none: books(first: 3) @skip(if: true) { nodes { title } }
    }`);
    expect(errors).toEqual([]);
    const titles = (...names: string[]) => ({ nodes: names.map((title) => ({ title })) });
    expect(data).toEqual({
      one: { few: titles('1.1'), more: titles('1.1', '1.2') },
      two: { few: titles('2.1'), more: titles('2.1', '2.2') },
    });
    expect(library.upstream.calls).toHaveLength(6);
  });

  it('report their errors once, as they do without early reads', async () => {
    const handlers = { 'shelf.book#index': () => refuse('too heavy', { limit: ['is wrong'] }, 400) };
    const query = '{ shelf(id: 1) { room books { nodes { title } } bad: books(after: "x") { totalCount } } }';
    const ask = async (options = {}) => {
      await using library = await openLibrary(handlers, options);
      const { data, errors } = await library.ask(query);
      const told = errors.map(({ message, path, extensions }) => {
        const { requestId: _id, ...rest } = (extensions ?? {}) as Record<string, unknown>;
        return { message, path, rest };
      });
      return { data, told, calls: library.upstream.calls.length };
    };
    const early = await ask();
    expect(early).toEqual(await ask(OFF));
    expect(early.told).toMatchObject([{ path: ['shelf', 'bad'] }, { path: ['shelf', 'books'] }]);
    expect(early.calls).toBe(2);
  });
});

describe('an object that the caller cannot see', () => {
  const QUERY =
    '{ shelf(id: 9) { room books { totalCount nodes { title author { born } } } book(id: 1) { title } } }';
  const uncounted = () =>
    ok({
      books: [
        { id: 3, title: 'secret' },
        { id: 1, title: 'secret' },
        { id: 2, title: 'secret' },
      ],
    });

  it('is null with one error, and without the rows and warnings of its lists', async () => {
    for (const [status, code] of [
      [404, 'NOT_FOUND'],
      [403, 'FORBIDDEN'],
    ] as const) {
      await using library = await openLibrary({
        'shelf#show': () => refuse('no', null, status),
        'shelf.book#index': uncounted,
        'author#show': () => ok({ author: UNAUTHORIZED }),
      });
      const { data, errors, extensions, text } = await library.ask(
        `${QUERY.slice(0, -1)} authors { nodes { id } } }`,
      );
      expect(data?.['shelf']).toBeNull();
      expect(errors).toMatchObject([{ path: ['shelf'], extensions: { code } }]);
      expect(extensions).not.toHaveProperty('warnings');
      expect(text).not.toContain('secret');
    }
  });

  it('costs the calls that were begun for it', async () => {
    const books = holdAnswers(uncounted());
    const shelf = holdAnswers(refuse('no', null, 404));
    await using library = await openLibrary({
      'shelf#show': shelf.handler,
      'shelf.book#index': books.handler,
    });
    const answer = library.ask('{ shelf(id: 9) { books { nodes { title } } } }');
    const [begun, missing] = [await books.take(0), await shelf.take(0)];
    missing.release();
    const { extensions } = await answer;
    expect(extensions['upstream']).toMatchObject({ calls: 2 });
    // Nobody waits for it any more.
    await begun.abandoned;
    expect(begun.isAbandoned).toBe(true);
  });

  it('gets no more early calls than the budget allows', async () => {
    const limits = { limits: { upstream: { calls: 2 } } };
    const shelf = holdAnswers(refuse('no', null, 404));
    await using library = await openLibrary({ 'shelf#show': shelf.handler }, limits);
    const query = '{ shelf(id: 9) { room books { nodes { title } } book(id: 1) { title } } }';
    const answer = library.ask(query);
    const missing = await shelf.take(0);
    await expect.poll(() => library.upstream.calls.length).toBe(2);
    missing.release();
    const { errors, extensions } = await answer;
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    expect(extensions['upstream']).toMatchObject({ calls: 2 });
  });

  it('does not make a filter look ignored that works for objects that exist', async () => {
    const reviews = ({ query }: { query: URLSearchParams }) => {
      const id = Number(query.get('reviews[author]'));
      const review = (of: number) => ({ id: of, text: 'fine', author: unresolved(of, `author ${of}`) });
      // The filter is dropped where it names nobody.
      return ok({ reviews: id === 1 ? [review(1)] : [review(1), review(2)] });
    };
    const author = holdAnswers(refuse('no', null, 404));
    await using library = await openLibrary({ 'review#index': reviews, 'author#show': author.handler });
    const answer = library.ask('{ author(id: 9) { name reviews { nodes { text } } } }');
    const missing = await author.take(0);
    await expect.poll(() => library.upstream.calls.length).toBe(2);
    // The rows have arrived when the answer to a later call has.
    await library.ask('{ shelves { nodes { id } } }');
    missing.release();
    expect((await answer).errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    library.upstream.handlers.set('author#show', () =>
      ok({ author: { id: 1, name: 'Ann', born: 1, motto: '' } }),
    );
    const there = await library.ask('{ author(id: 1) { name reviews { nodes { text } } } }');
    expect(there.errors).toEqual([]);
    expect(there.data?.['author']).toMatchObject({ reviews: { nodes: [{ text: 'fine' }] } });
    expect(library.log).toEqual([]);
  });
});

describe('an object whose id the API writes in another way', () => {
  it('has its lists read by the id that the API writes', async () => {
    const handlers = {
      ...DEFAULT_HANDLERS,
      'shelf#show': () => ok({ shelf: { id: 2, room: 'moved', keeper: null } }),
      'shelf.book#index': ({ path: [shelf] }: { path: readonly string[] }) =>
        ok({ books: [{ id: 1, title: `of ${shelf}`, pages: 1, author: null }] }),
    };
    await using library = await openLibrary(handlers);
    const { data } = await library.ask('{ shelf(id: 1) { id books { nodes { title } } } }');
    expect(data?.['shelf']).toEqual({ id: 'shelf/2', books: { nodes: [{ title: 'of 2' }] } });
    expect(library.upstream.calls).toHaveLength(3);
  });
});
