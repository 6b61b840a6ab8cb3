// Tests the encoding of cursors and the lists that accept them.
import { describe, expect, test } from 'vitest';
import { decodeCursor, encodeCursor, listTag } from '../../../src/loaders/paging/cursor.ts';
import { InvalidInputError } from '../../../src/upstream/errors/request-errors.ts';
import { ask, type Behaviour, range, rowsOf, simulateList } from '../../helpers/simulated-list.ts';

const tag = listTag('book#index', ['3'], { state: 'lent' });
const walk = { head: 12, total: 30, added: 2, deleted: 1 };
const noWalk = { head: null, total: null, added: 0, deleted: 0 };
const raw = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a cursor', () => {
  test.each([
    { kind: 'keyset', id: 14, next: 15, served: 3, direction: 'ascending', walk, window: null },
    { kind: 'keyset', id: 14, next: null, served: 3, direction: null, walk: noWalk, window: null },
    {
      kind: 'keyset',
      id: 9,
      next: 8,
      served: 3,
      direction: 'descending',
      walk,
      window: { from: 12, skip: [11, 9] },
    },
    { kind: 'prefix', id: 'b/ö', served: 3 },
    { kind: 'prefix', id: -1, served: 3 },
    { kind: 'prefix', id: null, served: 3 },
    { kind: 'rest', until: 9, direction: 'descending', id: -2, served: 7 },
    { kind: 'rest', until: 9, direction: 'descending', id: 2, served: 7 },
    { kind: 'offset', id: 14, next: 9, served: 3 },
    { kind: 'offset', id: 'b/ö', next: null, served: 3 },
  ] as const)('is decoded to the encoded value: %o', (cursor) => {
    const text = encodeCursor(tag, cursor);
    expect(text).toMatch(/^[\w-]+$/);
    expect(decodeCursor(tag, text)).toEqual(cursor);
  });

  test.each(['', 'x', 'bm90IGpzb24', raw(null), raw({}), raw([]), raw(['k']), raw(['k', 1])])(
    'is refused when it is not a cursor: %s',
    (text) => {
      expect(() => decodeCursor(tag, text)).toThrow('no cursor of this API');
    },
  );

  test.each([
    [['k', tag, -1, null, 1, null, null, null, 0, 0]],
    [['k', tag, 1, null, 0, null, null, null, 0, 0]],
    [['k', tag, 1, null, -1, null, null, null, 0, 0]],
    [['k', tag, 1, null, 1, null]],
    [['k', tag, 1, null, 1, null, -1, null, 0, 0]],
    [['k', tag, 1, null, 1, null, null, 'all', 0, 0]],
    [['k', tag, 1, null, 1, null, null, null, 0, null]],
    [['k', tag, 1, null, 1, null, null, null, 0, 0, 5]],
    [['k', tag, 1, null, 1, null, null, null, 0, 0, -1, []]],
    [['k', tag, 1, null, 1, null, null, null, 0, 0, 5, [0.5]]],
    [['k', tag, 1, null, 1, null, null, null, 0, 0, 5, Array(65).fill(1)]],
    [['p', tag, 'a', 0]],
    [['k', tag, 1.5, null, 1, null, null, null, 0, 0]],
    [['k', tag, 1, '2', 1, null, null, null, 0, 0]],
    [['k', tag, 1, 2, 1, 'sideways', null, null, 0, 0]],
    [['k', tag, 2 ** 60, null, 1, null, null, null, 0, 0]],
    [['p', tag, {}, 1]],
    [['r', tag, 1, null, 1, 1]],
    [['o', tag]],
    [['o', tag, 3]],
    [['o', tag, null, null, 3]],
    [['q', tag, 1]],
    [['constructor', tag, 1]],
  ])('is refused when it is damaged: %o', (parts) => {
    expect(() => decodeCursor(tag, raw(parts))).toThrow('"after" is a damaged cursor.');
  });

  test('is refused in another list, under another parent and under another filter', async () => {
    const simulated = simulateList({ rows: rowsOf(range(1, 9)), fromId: 'above' });
    const { rows } = await ask(simulated, { first: 3, path: ['1'], filter: { state: 'lent' } });
    const after = rows.at(-1)?.cursor ?? null;
    for (const other of [
      { path: ['2'], filter: { state: 'lent' } },
      { path: ['1'], filter: { state: 'in' } },
      { path: ['1'] },
    ])
      await expect(ask(simulated, { first: 3, after, ...other })).rejects.toThrow(InvalidInputError);
    expect(listTag('book#index', ['1'], {})).not.toBe(listTag('shelf#index', ['1'], {}));
  });

  test.each<[string, Omit<Behaviour, 'rows'>]>([
    ['from_id', { fromId: 'above', count: true }],
    ['offset', { offset: 'followed' }],
    ['nothing', { limit: 'absent' }],
  ])(
    'of any row of a page continues after that row, in a list that pages by %s',
    async (_name, behaviour) => {
      const simulated = simulateList({ rows: rowsOf(range(1, 9)), ...behaviour });
      const { rows } = await ask(simulated, { first: 6 });
      for (const [index, { cursor }] of rows.entries()) {
        const next = await ask(simulated, { first: 2, after: cursor });
        expect(next.rows.map(({ row }) => row['id'])).toEqual(range(index + 2, index + 3));
        expect(next.hasNextPage).toBe(index + 3 < 9);
      }
    },
  );
});
