// Tests objects that lack a described value: whether `show` sends it is found out once.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { action, list, type RawParameters, refersTo, resource, show } from '../helpers/describe-api.ts';
import { openDescribed } from '../helpers/described.ts';
import { ask } from '../helpers/facade.ts';
import { type Handler, ok, refuse, type StubUpstream } from '../helpers/stub-upstream.ts';

afterEach(() => void vi.useRealTimers());

const BOOK = { id: 'Integer', title: 'String', shape: 'String', notes: 'String' } as const;
const RESOURCES = {
  book: resource({ index: list('book', 'books', BOOK), show: show('book', 'books', BOOK) }),
};

const IDS = [1, 2, 3, 4, 5];
const listed: Handler = () => ok({ books: IDS.map((id) => ({ id, title: `title ${id}` })) });
const shown =
  (more: (id: number) => object = () => ({})): Handler =>
  ({ path: [id] }) =>
    ok({ book: { id: Number(id), title: `title ${id}`, ...more(Number(id)) } });

const open = (more?: (id: number) => object) =>
  openDescribed(RESOURCES, { 'book#index': listed, 'book#show': shown(more) });

const take = ({ calls }: StubUpstream) =>
  calls.splice(0).map(({ scope, path }) => [scope, ...path].join(' '));
const SHOWS = IDS.map((id) => `book#show ${id}`);
const SHAPES = '{ books { nodes { id shape } } }';
const unsent = (coordinate: string, count: number) => ({ code: 'FIELD_NOT_SENT', coordinate, count });

describe('a described value that the API never sends', () => {
  it('is looked for in each row, and is null with one warning', async () => {
    await using at = await open();
    const { data, errors, extensions } = await at.ask(SHAPES);
    expect(errors).toEqual([]);
    expect(data).toEqual({ books: { nodes: IDS.map((id) => ({ id: `book/${id}`, shape: null })) } });
    expect(take(at.upstream)).toEqual(['book#index', ...SHOWS]);
    expect(extensions['warnings']).toEqual([unsent('Book.shape', 5)]);
  });

  it('is null with a warning where the object itself was read', async () => {
    await using at = await open();
    const { data, errors, extensions } = await at.ask(`{
      book(id: 1) { shape }
      node(id: "book/2") { ... on Book { notes } }
      nodes(ids: ["book/3", "book/4"]) { ... on Book { shape } }
    }`);
    expect(errors).toEqual([]);
    const nodes = [{ shape: null }, { shape: null }];
    expect(data).toEqual({ book: { shape: null }, node: { notes: null }, nodes });
    expect(take(at.upstream)).toHaveLength(4);
    expect(extensions['warnings']).toEqual([unsent('Book.shape', 3), unsent('Book.notes', 1)]);
  });

  it('costs no call in later operations of the caller, which have the warning', async () => {
    await using at = await open();
    await at.ask(SHAPES);
    take(at.upstream);
    const { data, extensions } = await at.ask('{ books { nodes { other: shape } } }');
    expect(data).toEqual({ books: { nodes: IDS.map(() => ({ other: null })) } });
    expect(take(at.upstream)).toEqual(['book#index']);
    expect(extensions['warnings']).toEqual([unsent('Book.shape', 5)]);
  });

  it('says nothing about what another caller gets', async () => {
    await using at = await open();
    await at.ask(SHAPES);
    take(at.upstream);
    await ask(at.facade, SHAPES, { headers: { 'x-library-token': 'writer' } });
    expect(take(at.upstream)).toEqual(['book#index', ...SHOWS]);
  });

  it('is looked for again after ten minutes', async () => {
    vi.useFakeTimers({ toFake: ['performance'] }).advanceTimersByTime(1);
    await using at = await open();
    await at.ask(SHAPES);
    take(at.upstream);
    vi.advanceTimersByTime(10 * 60_000 + 1);
    await at.ask(SHAPES);
    expect(take(at.upstream)).toEqual(['book#index', ...SHOWS]);
  });

  it('does not hide another missing value that `show` sends', async () => {
    await using at = await open((id) => ({ notes: `notes ${id}` }));
    const query = '{ books { nodes { shape notes } } }';
    const nodes = IDS.map((id) => ({ shape: null, notes: `notes ${id}` }));
    const { data, extensions } = await at.ask(query);
    expect(data).toEqual({ books: { nodes } });
    expect(take(at.upstream).sort()).toEqual(['book#index', ...SHOWS]);
    expect(extensions['warnings']).toEqual([unsent('Book.shape', 5)]);
    await at.ask(SHAPES);
    expect(take(at.upstream)).toEqual(['book#index']);
  });

  it('is sent as soon as one `show` has it', async () => {
    await using at = await open((id) => (id === 3 ? { shape: 'round' } : {}));
    await at.ask(SHAPES);
    const { data: single } = await at.ask('{ book(id: 3) { shape } }');
    expect(single).toEqual({ book: { shape: 'round' } });
    take(at.upstream);
    const { data, extensions } = await at.ask(SHAPES);
    const nodes = IDS.map((id) => ({ id: `book/${id}`, shape: id === 3 ? 'round' : null }));
    expect(data).toEqual({ books: { nodes } });
    expect(take(at.upstream).sort()).toEqual(['book#index', ...SHOWS]);
    expect(extensions['warnings']).toEqual([unsent('Book.shape', 4)]);
  });

  it('is looked for in each kind of row', async () => {
    const rows = IDS.map((id) => ({ id, ...(id % 2 === 0 ? { title: 'even' } : {}) }));
    await using at = await openDescribed(RESOURCES, {
      'book#index': () => ok({ books: rows }),
      'book#show': shown((id) => (id > 2 ? { notes: 'none' } : {})),
    });
    await at.ask(SHAPES);
    at.upstream.handlers.set('book#show', () => {
      throw new TypeError('expected no call');
    });
    const { data } = await at.ask(SHAPES);
    const nodes = IDS.map((id) => ({ id: `book/${id}`, shape: null }));
    expect(data).toEqual({ books: { nodes } });
    expect(take(at.upstream)).toEqual(['book#index', ...SHOWS, 'book#index']);
  });

  it('of an associated object costs no call in later operations', async () => {
    const SHELF = { id: 'Integer', name: 'String', room: 'String' } as const;
    const PLACED: RawParameters = { id: 'Integer', shelf: refersTo(['shelf']) };
    await using at = await openDescribed(
      {
        book: resource({ index: list('book', 'books', PLACED) }),
        shelf: resource({ show: action({ path: '/shelves/{shelf_id}', namespace: 'shelf', output: SHELF }) }),
      },
      {
        'book#index': () => ok({ books: IDS.map((id) => ({ id, shelf: { id: id % 2, name: 'A' } })) }),
        'shelf#show': ({ path: [id] }) => ok({ shelf: { id: Number(id), name: 'A' } }),
      },
    );
    const rooms = '{ books { nodes { shelf { room } } } }';
    await at.ask(rooms);
    expect(take(at.upstream)).toEqual(['book#index', 'shelf#show 1', 'shelf#show 0']);
    const { data, extensions } = await at.ask(rooms);
    expect(data).toEqual({ books: { nodes: IDS.map(() => ({ shelf: { room: null } })) } });
    expect(take(at.upstream)).toEqual(['book#index']);
    expect(extensions['warnings']).toEqual([unsent('Shelf.room', 5)]);
  });
});

describe('a value that only `show` sends', () => {
  it('is fetched for all rows at once', async () => {
    await using at = await open((id) => ({ shape: `shape ${id}` }));
    const nodes = IDS.map((id) => ({ id: `book/${id}`, shape: `shape ${id}` }));
    expect((await at.ask(SHAPES)).data).toEqual({ books: { nodes } });
    expect(take(at.upstream).sort()).toEqual(['book#index', ...SHOWS]);

    const waiting: (() => void)[] = [];
    at.upstream.handlers.set('book#show', (call) => (response) => {
      waiting.push(() => shown((id) => ({ shape: `shape ${id}` }))(call)(response));
      if (waiting.length === IDS.length) for (const answer of waiting) answer();
    });
    const { data, extensions } = await at.ask(SHAPES);
    expect(data).toEqual({ books: { nodes } });
    expect(extensions['warnings']).toBeUndefined();
  });

  it('is sent also where it is null', async () => {
    await using at = await open((id) => ({ shape: id === 1 ? null : `shape ${id}` }));
    const { data, extensions } = await at.ask(SHAPES);
    const nodes = IDS.map((id) => ({ id: `book/${id}`, shape: id === 1 ? null : `shape ${id}` }));
    expect(data).toEqual({ books: { nodes } });
    expect(extensions['warnings']).toBeUndefined();
  });

  it('is fetched for the other rows when one cannot be fetched', async () => {
    await using at = await openDescribed(RESOURCES, {
      'book#index': listed,
      'book#show': (call) =>
        call.path[0] === '1' ? refuse('broken', null, 500) : shown((id) => ({ shape: `shape ${id}` }))(call),
    });
    const { data, errors } = await at.ask(SHAPES);
    const nodes = IDS.map((id) => ({ id: `book/${id}`, shape: id === 1 ? null : `shape ${id}` }));
    expect(data).toEqual({ books: { nodes } });
    expect(errors.map(({ path }) => path)).toEqual([['books', 'nodes', 0, 'shape']]);
    expect(take(at.upstream).sort()).toEqual(['book#index', ...SHOWS]);
  });
});
