// Tests lists that fail as a whole when a response would have a row that the API cannot answer with.
import { describe, expect, it } from 'vitest';
import { list, resource } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { range } from '../../helpers/simulated-list.ts';
import { ok, refuse } from '../../helpers/stub-upstream.ts';

const BOOK = { id: 'Integer', title: 'String' } as const;
const PAGING = { limit: { type: 'Integer' }, from_id: { type: 'Integer' } } as const;

/** Opens an API with a list of books, of which some cannot be listed. */
const openBooks = (ids: readonly number[], broken: readonly number[], status = 404) =>
  openDescribed(
    { book: resource({ index: list('book', 'books', BOOK, { input: PAGING, meta: ['count'] }) }) },
    {
      'book#index': ({ query }) => {
        const from = query.get('book[from_id]');
        const isUp = (ids[0] ?? 0) < (ids.at(-1) ?? 0);
        const rows = ids.filter((id) => from === null || (isUp ? id > Number(from) : id < Number(from)));
        const answered = rows.slice(0, Number(query.get('book[limit]') ?? rows.length));
        if (answered.some((id) => broken.includes(id))) return refuse('object not found', null, status);
        return ok({
          books: answered.map((id) => ({ id, title: `Book ${id}` })),
          _meta: { total_count: ids.length },
        });
      },
    },
  );

interface Books {
  readonly nodes: readonly { readonly databaseId: number }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Walks the list; returns the ids, and the errors with their path. */
async function walk(api: Awaited<ReturnType<typeof openBooks>>, first: number) {
  const ids: number[] = [];
  const errors: unknown[] = [];
  for (let [after, pages]: [string, number] = ['', 0]; pages < 50; pages++) {
    const answer = await api.ask(
      `{ books(first: ${first} ${after}) { nodes { databaseId } pageInfo { hasNextPage endCursor } } }`,
    );
    errors.push(...answer.errors.map(({ message, path }) => ({ message, path })));
    const books = answer.data?.['books'] as Books | undefined;
    ids.push(...(books?.nodes ?? []).map(({ databaseId }) => databaseId));
    if (books?.pageInfo.hasNextPage !== true) break;
    after = `after: "${books.pageInfo.endCursor}"`;
  }
  return { ids, errors };
}

const missing = (ids: string) => ({
  message: `The management API fails when it lists the rows with ${ids}. They are missing here.`,
  path: ['books'],
});

describe('a list with a row that cannot be listed', () => {
  for (const first of [1, 3, 7, 25, 100]) {
    it(`has all other rows, and an error that names the row, in pages of ${first}`, async () => {
      await using api = await openBooks(range(1, 40), [18]);
      expect(await walk(api, first)).toEqual({
        ids: range(1, 40).filter((id) => id !== 18),
        errors: [missing('id 18')],
      });
    });
  }

  it('names each gap once, also where rows follow each other, and the last one', async () => {
    await using api = await openBooks(range(1, 40).reverse(), [28, 12, 11, 10, 1], 500);
    const { ids, errors } = await walk(api, 6);
    expect(ids).toEqual(
      range(2, 40)
        .reverse()
        .filter((id) => ![28, 12, 11, 10].includes(id)),
    );
    expect(errors).toEqual([missing('id 28'), missing('ids from 12 to 10'), missing('id 1')]);
  });

  it('names the ids between the rows that can be read where the ids have gaps', async () => {
    const tens = range(1, 20).map((number) => number * 10);
    await using api = await openBooks(tens, [140]);
    const { ids, errors } = await walk(api, 4);
    expect(ids).toEqual(tens.filter((id) => id !== 140));
    expect(errors).toEqual([missing('ids from 131 to 140')]);
  });

  it('fails as before if its first row cannot be listed', async () => {
    await using api = await openBooks(range(1, 40), [1]);
    const { data, errors } = await api.ask('{ books { nodes { id } } }');
    expect([data, errors.map(({ message }) => message)]).toEqual([{ books: null }, ['object not found']]);
    expect(api.upstream.calls).toHaveLength(3);
  });

  it('gets one more call if it fails whatever the limit', async () => {
    await using api = await openBooks(range(1, 40), range(1, 40), 500);
    const { errors } = await api.ask('{ books(first: 5) { nodes { id } } }');
    expect(errors).toHaveLength(1);
    expect(api.upstream.calls).toHaveLength(2);
  });
});
