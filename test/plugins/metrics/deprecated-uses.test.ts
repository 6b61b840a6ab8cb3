// Tests the metric of deprecated elements that operations use.
import { describe, expect, it } from 'vitest';
import { action, list, resource } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { ok } from '../../helpers/stub-upstream.ts';
import { openTelemetry } from '../../helpers/telemetry.ts';
import { post, TRANSPORTS } from '../../helpers/transports.ts';

const OLD = { type: 'String', label: 'Title', description: 'Deprecated, use name', validators: {} };
const BOOK = { id: 'Integer', name: 'String', title: OLD } as const;
const BOOKS = {
  book: resource({
    index: list('book', 'books', BOOK, { input: { title: OLD }, auth: false }),
    create: action({
      path: '/books',
      method: 'POST',
      namespace: 'book',
      input: { title: OLD },
      output: BOOK,
    }),
  }),
};
const HANDLERS = { 'book#index': () => ok({ books: [{ id: 1, name: 'One', title: 'Uno' }] }) };
const seriesOf = (element: string): string => `optiongraph_deprecated_uses_total{element="${element}"}`;

const openBooks = async (overrides: object = {}) => {
  const telemetry = openTelemetry();
  const api = await openDescribed(BOOKS, HANDLERS, { ...telemetry.options, overrides });
  const uses = async () =>
    Object.entries(await telemetry.values()).filter(([name]) =>
      name.startsWith('optiongraph_deprecated_uses'),
    );
  return { api, uses };
};

describe('the use of deprecated elements', () => {
  it.each(TRANSPORTS)('is counted for each operation over %s', async (_name, send) => {
    const { api, uses } = await openBooks();
    await using _api = api;
    const { url } = await api.listen();
    const query =
      '{ a: books { nodes { title name } } b: books { nodes { ...Old } } } fragment Old on Book { title }';
    for (let i = 0; i < 2; i += 1) expect((await send(url, { query })).errors).toBeUndefined();
    await send(url, { query: '{ books { nodes { name } } }' });
    await expect.poll(uses).toEqual([[seriesOf('Book.title'), 2]]);
  });

  it('is that of the operation that is executed, with filters and overrides', async () => {
    const { api, uses } = await openBooks({ deprecated: { 'Book.name': 'It has another name.' } });
    await using _api = api;
    const query =
      'query A { books(filter: { title: "Uno" }) { nodes { databaseId } } } query B { books { nodes { name } } }';
    const { url } = await api.listen();
    await post(url, { query, operationName: 'B' });
    await expect.poll(uses).toEqual([[seriesOf('Book.name'), 1]]);
    await api.ask('{ books(filter: { title: "Uno" }) { nodes { databaseId } } }');
    await expect.poll(uses).toEqual([
      [seriesOf('Book.name'), 1],
      [seriesOf('BookFilter.title'), 1],
    ]);
  });

  it('is not counted for documents that are invalid', async () => {
    const { api, uses } = await openBooks();
    await using _api = api;
    await api.ask('{ books { nodes { title nothing } } }');
    expect(await uses()).toEqual([]);
  });
});
