// Tests lists that the API serves but cannot count: the count, which the facade adds by itself, breaks no read.

import { describe, expect, it } from 'vitest';
import { list, refersTo, resource, show } from '../helpers/describe-api.ts';
import { type DescribedApi, openDescribed } from '../helpers/described.ts';
import { ask } from '../helpers/facade.ts';
import { range } from '../helpers/simulated-list.ts';
import { type Answer, type Handler, ok, refuse, type StubCall } from '../helpers/stub-upstream.ts';

const SHELF = { id: 'Integer', room: 'String', floor: 'Integer' } as const;
const BOOK = { id: 'Integer', title: 'String', shelf: refersTo(['shelf'], 'room') } as const;
const INPUT = { limit: 'Integer', from_id: 'Integer', shelf: refersTo(['shelf']), title: 'String' } as const;
const LENGTH = 60;

const RESOURCES = {
  shelf: resource({ index: list('shelf', 'shelves', SHELF), show: show('shelf', 'shelves', SHELF) }),
  book: resource({
    index: list('book', 'books', BOOK, { input: INPUT, meta: ['count', 'includes'] }),
    show: show('book', 'books', BOOK),
  }),
};

const isCounted = ({ query }: StubCall): boolean => query.get('_meta[count]') === 'true';
const FAULT = refuse('A server error occurred', null, 500);

/** Lists the books, except where the API fails. */
const books =
  (fails: (call: StubCall, ids: readonly number[]) => Answer | null, total = LENGTH): Handler =>
  (call) => {
    const { query } = call;
    const from = Number(query.get('book[from_id]') ?? 0);
    const ids = range(from + 1, LENGTH).slice(0, Number(query.get('book[limit]') ?? LENGTH));
    const resolved = query.has('_meta[includes]');
    const shelf = {
      id: 1,
      room: 'attic',
      ...(resolved ? { floor: 3 } : {}),
      _meta: { path_params: [1], resolved },
    };
    return (
      fails(call, ids) ??
      ok({
        books: ids.map((id) => ({ id, title: `Book ${id}`, shelf })),
        ...(isCounted(call) ? { _meta: { total_count: total } } : {}),
      })
    );
  };

/** Fails to count the books of a shelf. */
const uncounted = (answer = FAULT): Handler =>
  books((call) => (isCounted(call) && call.query.has('book[shelf]') ? answer : null));

const open = (index: Handler) =>
  openDescribed(
    RESOURCES,
    { 'shelf#show': () => ok({ shelf: { id: 1, room: 'attic', floor: 3 } }), 'book#index': index },
    { transport: { retry: { retries: 0 } } },
  );

const lists = ({ upstream }: DescribedApi) =>
  upstream.calls
    .splice(0)
    .filter(({ scope }) => scope === 'book#index')
    .map((call) => ({ limit: Number(call.query.get('book[limit]')), isCounted: isCounted(call) }));

const rangeOf = (from: number, to: number) => range(from, to).map((id) => ({ id: `book/${id}` }));
const warning = (coordinate: string) => ({ code: 'COUNT_UNAVAILABLE', coordinate, count: 1 });

describe('a list that the API cannot count', () => {
  it.each([
    ['500', FAULT],
    ['a refusal with HTTP 200', refuse('cannot count', null, 200)],
    ['an error of the input "count"', refuse('invalid', { count: ['is not possible'] }, 400)],
  ])('with %s is read without a count where nobody has asked for it', async (_name, answer) => {
    await using api = await open(uncounted(answer));
    const { data, errors, extensions } = await api.ask('{ shelf(id: 1) { books { nodes { id } } } }');
    expect(errors).toEqual([]);
    expect(data).toEqual({ shelf: { books: { nodes: rangeOf(1, 25) } } });
    expect(extensions).not.toHaveProperty('warnings');
    expect(lists(api)).toEqual([
      { limit: 26, isCounted: true },
      { limit: 26, isCounted: false },
    ]);
  });

  it.each([1, 5, 25, 100])('has null as its total, with a warning, on each page of %i', async (first) => {
    await using api = await open(uncounted());
    const seen: object[] = [];
    for (let [after, page]: [string, number] = ['', 0]; page < LENGTH; page += 1) {
      const { data, errors, extensions } = await api.ask<{ shelf: { books: Books } }>(
        `{ shelf(id: 1) { books(first: ${first} ${after}) { totalCount nodes { id } pageInfo { hasNextPage endCursor } } } }`,
      );
      expect(errors).toEqual([]);
      const { totalCount, nodes, pageInfo } = data?.shelf.books ?? {};
      expect(totalCount).toBe(first >= LENGTH ? LENGTH : null);
      const warnings = (extensions['warnings'] ?? []) as readonly { readonly code: string }[];
      const counted = warnings.filter(({ code }) => code === 'COUNT_UNAVAILABLE');
      expect(counted).toEqual(first >= LENGTH ? [] : [warning('Shelf.books')]);
      seen.push(...(nodes ?? []));
      if (pageInfo?.hasNextPage !== true) break;
      after = `after: "${pageInfo.endCursor}"`;
    }
    expect(seen).toEqual(rangeOf(1, LENGTH));
  });

  it('is remembered for the caller, the list and its filters', async () => {
    await using api = await open(uncounted());
    const query = '{ shelf(id: 1) { books { nodes { id } } } }';
    await api.ask(query);
    lists(api);
    await api.ask(query);
    expect(lists(api)).toEqual([{ limit: 26, isCounted: false }]);
    const { data } = await api.ask('{ books(filter: { title: "x" }) { totalCount } }');
    expect(data).toEqual({ books: { totalCount: LENGTH } });
    expect(lists(api)).toEqual([{ limit: 26, isCounted: true }]);
    await ask(api.facade, query, { headers: { 'x-library-token': 'other' } });
    expect(lists(api)).toHaveLength(2);
  });

  it.each([
    [2 ** 31 - 1, 2 ** 31 - 1, undefined],
    [2 ** 31, null, [warning('Query.books')]],
  ])('with a count of %i has the total %s, an Int', async (total, totalCount, warnings) => {
    await using api = await open(books(() => null, total));
    const { data, errors, extensions } = await api.ask('{ books(first: 1) { totalCount } }');
    expect(errors).toEqual([]);
    expect(data).toEqual({ books: { totalCount } });
    expect(extensions['warnings']).toEqual(warnings);
  });

  it('still includes associations, and counts where only these fail', async () => {
    const query = '{ books { totalCount nodes { id shelf { id floor } } } }';
    const withIncludes = ({ query: sent }: StubCall) => sent.has('_meta[includes]');
    await using uncountable = await open(books((call) => (isCounted(call) ? FAULT : null)));
    const first = await uncountable.ask<{ books: Books }>(query);
    expect(first.errors).toEqual([]);
    expect(first.extensions['warnings']).toEqual([warning('Query.books')]);
    await using unincludable = await open(books((call) => (withIncludes(call) ? FAULT : null)));
    for (const total of [null, LENGTH]) {
      const { data, errors } = await unincludable.ask<{ books: Books }>(query);
      expect(errors).toEqual([]);
      expect(data?.books.totalCount).toBe(total);
    }
  });
});

interface Books {
  readonly totalCount: number | null;
  readonly nodes: readonly object[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}
