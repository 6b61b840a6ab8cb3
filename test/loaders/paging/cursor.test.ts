// Tests how cursors are written, read and rejected.
import { describe, expect, test } from 'vitest';
import { decodeCursor, encodeCursor, listTag } from '../../../src/loaders/paging/cursor.ts';
import { InvalidInputError } from '../../../src/upstream/errors/request-errors.ts';
import { ask, type Behaviour, createRows, range, simulateList } from '../../helpers/simulated-list.ts';

const tag = listTag('book#index', ['3'], { state: 'lent' });
const walk = { head: 12, total: 30, deleted: 1, isChecked: true };
const noWalk = { head: null, total: null, deleted: 0, isChecked: false };
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
    { kind: 'prefix', id: 'b/ö', next: 'c', served: 3, walked: null },
    { kind: 'prefix', id: -1, next: null, served: 3, walked: null },
    { kind: 'prefix', id: null, next: null, served: 3, walked: null },
    { kind: 'prefix', id: -2, next: -3, served: 7, walked: { until: 9, direction: 'descending' } },
    { kind: 'prefix', id: 2, next: null, served: 7, walked: { until: 9, direction: 'descending' } },
    { kind: 'offset', id: 14, next: 9, served: 3 },
    { kind: 'offset', id: 'b/ö', next: null, served: 3 },
  ] as const)('is decoded to the value that was encoded: %o', (cursor) => {
    const text = encodeCursor(tag, cursor);
    expect(text).toMatch(/^[\w-]+$/);
    expect(decodeCursor(tag, text)).toEqual(cursor);
  });

  test.each(['', 'x', 'bm90IGpzb24', raw(null), raw({}), raw([]), raw(['k']), raw(['k', 1])])(
    'is rejected if the text is not a cursor: %s',
    (text) => {
      expect(() => decodeCursor(tag, text)).toThrow('not a cursor of this API');
    },
  );

  test.each([
    [['k', tag, -1, null, 1, null, null, null, 0, false]],
    [['k', tag, 1, null, 0, null, null, null, 0, false]],
    [['k', tag, 1, null, -1, null, null, null, 0, false]],
    [['k', tag, 1, null, 1, null]],
    [['k', tag, 1, null, 1, null, -1, null, 0, false]],
    [['k', tag, 1, null, 1, null, null, 'all', 0, false]],
    [['k', tag, 1, null, 1, null, null, null, 0, null]],
    [['k', tag, 1, null, 1, null, null, null, 0, false, 5]],
    [['k', tag, 1, null, 1, null, null, null, 0, false, -1, []]],
    [['k', tag, 1, null, 1, null, null, null, 0, false, 5, [0.5]]],
    [['k', tag, 1, null, 1, null, null, null, 0, false, 5, Array(65).fill(1)]],
    [['p', tag, 'a', null, 0]],
    [['k', tag, 1.5, null, 1, null, null, null, 0, false]],
    [['k', tag, 1, '2', 1, null, null, null, 0, false]],
    [['k', tag, 1, 2, 1, 'sideways', null, null, 0, false]],
    [['k', tag, 2 ** 60, null, 1, null, null, null, 0, false]],
    [['p', tag, {}, null, 1]],
    [['p', tag, 1, null, 1, 9]],
    [['p', tag, 1, null, 1, -9, 'descending']],
    [['p', tag, 1, null, 1, 9, 'sideways']],
    [['r', tag, 1, null, 1]],
    [['o', tag]],
    [['o', tag, 3]],
    [['o', tag, null, null, 3]],
    [['q', tag, 1]],
    [['constructor', tag, 1]],
  ])('is refused when it is damaged: %o', (parts) => {
    expect(() => decodeCursor(tag, raw(parts))).toThrow('"after" is a damaged cursor');
  });

  test('is rejected in another list, under another parent and under another filter', async () => {
    const simulated = simulateList({ rows: createRows(range(1, 9)), fromId: 'above' });
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

  test.each([
    { kind: 'keyset', id: 1, next: 2, served: 1, direction: 'ascending', walk, window: null },
    { kind: 'prefix', id: 1, next: 2, served: 1, walked: { until: 1, direction: 'ascending' } },
  ] as const)('with a number is rejected if the rows have text ids: %o', async (cursor) => {
    const after = encodeCursor(listTag('book#index', [], {}), cursor);
    const described = simulateList({ rows: createRows([...'abc']), fromId: 'above' });
    const undescribed = simulateList({ rows: createRows(range(1, 3)), fromId: 'above' });
    undescribed.rows.splice(0, 3, ...createRows([...'abc']));
    for (const list of [described, undescribed])
      await expect(ask(list, { first: 2, after })).rejects.toThrow(InvalidInputError);
  });

  test.each<[string, Omit<Behaviour, 'rows'>]>([
    ['from_id', { fromId: 'above', count: true }],
    ['offset', { offset: 'followed' }],
    ['nothing', { limit: 'absent' }],
  ])(
    'of any row of a page continues after that row, in a list that pages by %s',
    async (_name, behaviour) => {
      const simulated = simulateList({ rows: createRows(range(1, 9)), ...behaviour });
      const { rows } = await ask(simulated, { first: 6 });
      for (const [index, { cursor }] of rows.entries()) {
        const next = await ask(simulated, { first: 2, after: cursor });
        expect(next.rows.map(({ row }) => row['id'])).toEqual(range(index + 2, index + 3));
        expect(next.hasNextPage).toBe(index + 3 < 9);
      }
    },
  );
});
