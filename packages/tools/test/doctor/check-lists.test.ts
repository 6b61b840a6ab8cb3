// Tests what `optiongraph doctor` finds in the lists of an API, each fault beside an API without it.
import { describe, expect, test } from 'vitest';
import { parseDescription } from '../../../../src/upstream/description/parse-description.ts';
import { runInProcess } from '../../../../test/helpers/cli-in-process.ts';
import {
  action,
  describeApi,
  list,
  type Raw,
  type RawAction,
  resource,
  show,
} from '../../../../test/helpers/describe-api.ts';
import {
  BOOK_OUTPUT,
  BOOK_ROWS,
  describeLibrary,
  examineApi,
  examineBooks,
  FILTERED_LIST,
  handlersOf,
  type ListHabits,
  type ListLine,
  PAGED_LIST,
  type Row,
} from '../../../../test/helpers/faulty-books.ts';
import { makeFolder } from '../../../../test/helpers/folder.ts';
import { ok, refuse, startStub } from '../../../../test/helpers/stub-upstream.ts';
import { createReader, OverBudgetError } from '../../src/doctor/probed-list.ts';

/** Rows in the order of their times, four of each. */
const tied = BOOK_ROWS.map((row, index) => ({ ...row, lent: `2026-01-01T00:00:${10 + (index >> 2)}Z` }));
/** Exchanges neighbours where a limit is small, as databases do with rows that are equal in the order. */
const swap = (rows: readonly Row[]): readonly Row[] =>
  rows.map((row, index) => rows[index % 4 === 1 ? index + 1 : index % 4 === 2 ? index - 1 : index] ?? row);

const FAULTS: readonly (readonly [what: string, habits: Partial<ListHabits>, line: Partial<ListLine>])[] = [
  [
    'a list that cannot be read',
    { refuse: () => refuse('boom', null, 500) },
    { detail: 'the list cannot be read, with any limit', example: 'HTTP 500' },
  ],
  [
    'a list that is refused to the caller',
    { refuse: () => refuse('no', null, 403) },
    { detail: 'the list is described to this caller, and refused', example: 'HTTP 403' },
  ],
  [
    'a row that fails the whole list',
    { refuse: ({ limit }) => (limit > 37 ? refuse('object not found', null, 404) : null) },
    {
      example: 'limit 37 is answered, limit 38 fails with HTTP 404',
      remedy: 'repair row 38 of the list in the API',
    },
  ],
  [
    'a limit that is refused',
    {
      refuse: ({ limit }) =>
        limit > 50 ? refuse('invalid', { limit: ['must be between 0 and 50'] }, 200) : null,
    },
    { detail: 'the list refuses limits that its description allows' },
  ],
  [
    'a count that fails',
    { refuse: ({ count }) => (count ? refuse('boom', null, 500) : null) },
    { detail: 'the list can be read, but not with its count' },
  ],
  [
    'an association that fails the list',
    { refuse: ({ includes }) => (includes === '' ? null : refuse('boom', null, 500)) },
    { detail: 'the list fails with the association "author" included, and can be read without' },
  ],
  [
    'an output that is never sent',
    { rows: BOOK_ROWS.map(({ title: _title, ...row }) => row) },
    {
      detail: 'the output "title" is described, and never sent',
      example: expect.stringContaining('60 rows and 2'),
    },
  ],
  [
    'rows without ids',
    { rows: BOOK_ROWS.map(({ id: _id, ...row }) => ({ ...row, author: null })) },
    { detail: expect.stringMatching(/^the ids of objects cannot be known/), example: '60 of 60 rows' },
  ],
  [
    'an order that depends on the limit',
    { rows: tied, order: (limit) => (limit < 30 ? swap(tied) : tied) },
    {
      detail: 'rows come in another order when the limit is another',
      example: 'from row 2 on, limit 7: 3 2 4 5; limit 1000: 2 3 4 5',
      remedy: expect.stringMatching(/^override "listOrder": \{ "book#index": "none" \}/),
    },
  ],
  ['a limit of its own', { most: 40 }, { example: 'limit 1000 is answered with 40 rows, and more follow' }],
  [
    'a count of other rows',
    { total: 75 },
    { detail: 'the count of the list differs from its rows', example: '60 rows, count 75' },
  ],
];

describe('doctor finds', () => {
  test.each(FAULTS)('%s', async (_what, habits, line) => {
    const { code, lines } = await examineBooks(habits);
    expect(lines).toContainEqual(
      expect.objectContaining({ result: 'finding', where: 'book#index', ...line }),
    );
    for (const { remedy } of lines.filter(({ result }) => result === 'finding')) expect(remedy).toBeTruthy();
    expect(code).toBe(1);
  });

  test('integers that are too large', async () => {
    const { lines } = await examineBooks(
      { rows: BOOK_ROWS.map((row) => ({ ...row, size: 2 ** 60 })) },
      { ...BOOK_OUTPUT, size: 'Integer' },
    );
    const detail = expect.stringContaining('"size" are beyond 2^53');
    const remedy = 'override "bigInts": ["Book.size"]';
    expect(lines).toContainEqual(
      expect.objectContaining({ result: 'finding', detail, example: '60 of 60 rows', remedy }),
    );
  });

  test('values that an enum lacks', async () => {
    const state = { type: 'String', label: 'State', validators: { include: { values: ['lent', 'free'] } } };
    const input = { ...PAGED_LIST.input, state };
    const output = { ...BOOK_OUTPUT, state };
    const description = describeApi({
      book: resource({
        index: list('book', 'books', output, { ...PAGED_LIST, input }),
        show: show('book', 'books', output),
      }),
    });
    const rows = BOOK_ROWS.map((row, index) => ({ ...row, state: index === 5 ? 'secret-state' : 'free' }));
    const { lines, stdout } = await examineApi(description, handlersOf({ rows }));
    const example = '1 of 60 rows';
    const remedy = 'override "enumValues": { "BookState": [the values] }';
    expect(lines).toContainEqual(expect.objectContaining({ result: 'finding', example, remedy }));
    expect(stdout).not.toContain('secret-state');
  });
});

describe('doctor reads lists as reverse edges do, and finds', () => {
  const examine = (refuseWhen: (asked: { author: string | null; count: boolean }) => boolean) =>
    examineApi(
      describeLibrary(BOOK_OUTPUT, {}, FILTERED_LIST),
      handlersOf({
        rows: BOOK_ROWS,
        refuse: (asked) => (refuseWhen(asked) ? refuse('boom', null, 500) : null),
      }),
    );
  test.each([
    [
      'a count that fails with the filter',
      ({ author, count }: { author: string | null; count: boolean }) => author !== null && count,
      'the list with the filter "author" can be read, but not with its count',
      "totalCount is null; see the API's log for this call",
    ],
    [
      'a filter that fails',
      ({ author }: { author: string | null }) => author !== null,
      'the list with the filter "author" cannot be read',
      'override "dropEdges": ["Author.books"]; better, repair the filter in the API',
    ],
  ])('%s', async (_what, refuseWhen, detail, remedy) => {
    const { code, lines } = await examine(refuseWhen);
    const example = 'Author.books: HTTP 500';
    expect(lines).toEqual([
      expect.objectContaining({ result: 'finding', where: 'book#index', detail, example, remedy }),
    ]);
    expect(code).toBe(1);
  });

  test('nothing where both work', async () => {
    expect(await examine(() => false)).toMatchObject({ code: 0, lines: [] });
  });
});

describe('doctor finds nothing', () => {
  test('in an API without faults, and makes few calls', async () => {
    const { code, lines, summary, calls } = await examineBooks({});
    expect({ code, lines, summary }).toEqual({ code: 0, lines: [], summary: '2 of 2 were examined' });
    expect(calls.filter(({ scope }) => scope.startsWith('book'))).toHaveLength(5);
  });

  test.each([
    [
      'descending lists whose from_id descends',
      {
        rows: BOOK_ROWS.toReversed(),
        after: (rows: readonly Row[], id: number) => rows.filter((row) => Number(row['id']) < id),
      },
    ],
    [
      'outputs that only show sends',
      {
        rows: BOOK_ROWS.map(({ title: _title, ...row }) => row),
        shown: (row: Row) => ({ ...row, title: 'T' }),
      },
    ],
    [
      'outputs that some rows lack',
      { rows: BOOK_ROWS.map(({ title, ...row }, index) => (index === 30 ? { ...row, title } : row)) },
    ],
    ['lists without rows', { rows: [] }],
  ])('in %s', async (_what, habits) => {
    const { code, lines } = await examineBooks(habits);
    expect(lines.filter(({ result }) => result !== 'untried')).toEqual([]);
    expect(code).toBe(0);
  });

  test('in rows that move while it reads', async () => {
    let rows = BOOK_ROWS.toReversed();
    const { lines } = await examineBooks({
      order: () => {
        rows = [{ ...BOOK_ROWS[0], id: Number(rows[0]?.['id']) + 1 }, ...rows];
        return rows;
      },
      after: (all, id) => all.filter((row) => Number(row['id']) < id),
    });
    expect(lines.filter(({ detail }) => detail.includes('another order'))).toEqual([]);
  });
});

describe('doctor says what it has not tried', () => {
  const PAGE = { id: 'Integer', text: 'String' } as const;
  const nested = (name: string, more: Partial<RawAction> = {}) =>
    resource({ index: list(name, `books/{book_id}/${name}s`, PAGE, more) });

  test('and reads nested lists on the first object that has rows', async () => {
    const description = describeLibrary(BOOK_OUTPUT, { page: nested('page') });
    const { lines, calls, summary } = await examineApi(description, {
      ...handlersOf({ rows: BOOK_ROWS }),
      'book.page#index': ({ path }) =>
        ok({ 'books/{book_id}/pages': path[0] === '2' ? [{ id: 7, text: 'x' }] : [] }),
    });
    expect(calls.filter(({ scope }) => scope === 'book.page#index').map(({ path }) => path)).toEqual([
      ['1'],
      ['2'],
    ]);
    expect({ lines, summary }).toEqual({ lines: [], summary: '3 of 3 were examined' });
  });

  test('with the reason, and never writes', async () => {
    const description = describeLibrary(BOOK_OUTPUT, {
      page: nested('page'),
      note: nested('note', {
        input: { word: { type: 'String', label: '', required: true, validators: {} } },
      }),
    });
    const find = action({ method: 'POST', path: '/finds', layout: 'object_list', output: PAGE });
    const { book } = description['resources'] as { readonly book: { readonly actions: Raw } };
    Object.assign(book.actions, { find });
    const { lines, calls, summary } = await examineApi(description, {
      ...handlersOf({ rows: [] }),
      'author#index': () => refuse('invalid', { name: ['required parameter is missing'] }),
    });
    const because = (detail: string, where: string) => ({ check: 'lists', result: 'untried', detail, where });
    expect(lines).toEqual([
      because('lists that the API reads only with an input: name', 'author#index'),
      because('what rows would show, in lists that are empty for this caller', 'book#index'),
      because('lists that need an input: word', 'book.note#index'),
      because('lists on objects, because this caller knows no such object', 'book.page#index'),
    ]);
    expect(summary).toBe('0 of 4 were examined');
    expect(calls.map(({ scope }) => scope)).not.toContain('book#find');
  });
});

test('doctor calls the API a bounded number of times', async () => {
  const call = createReader({ read: async () => ({ status: 200, output: [], meta: {} }) }, 2);
  const [index] = parseDescription(describeLibrary(BOOK_OUTPUT)).resources[0]?.actions ?? [];
  if (index === undefined) throw new Error('no action is described');
  const read = () => call({ action: index, path: [], input: {}, meta: {} });
  await Promise.all([read(), read()]);
  await expect(read()).rejects.toThrow(OverBudgetError);
});

const long = { ...BOOK_OUTPUT, size: 'Integer' };
const coded = { code: 'String', title: 'String' };

test.each([
  [
    { listOrder: { 'book#index': 'none' } },
    BOOK_OUTPUT,
    { rows: tied, order: (limit: number) => (limit < 30 ? swap(tied) : tied) },
  ],
  [{ bigInts: ['Book.size'] }, long, { rows: BOOK_ROWS.map((row) => ({ ...row, size: 2 ** 60 })) }],
  [
    { pathIds: { book: 'code' } },
    coded,
    { rows: BOOK_ROWS.map(({ id, title }) => ({ code: `c${String(id)}`, title })) },
  ],
])('The override %j ends the finding that names it', async (overrides, output, habits) => {
  await using stub = await startStub(describeLibrary(output), handlersOf(habits));
  using folder = makeFolder();
  const examine = async (given: Readonly<Record<string, unknown>>) => {
    const file = folder.write('overrides.json', given);
    const args = ['doctor', '--upstream', stub.url.href, '--overrides', file];
    return runInProcess(args, { OPTIONGRAPH_TOKEN: 'reader' });
  };
  const found = await examine({});
  expect(found).toMatchObject({ code: 1 });
  expect(found.stdout).toContain(`override ${JSON.stringify(overrides).slice(1, 10)}`);
  expect(await examine(overrides)).toMatchObject({ code: 0 });
});
