// Tests how cursors are written, read and rejected.

import { describe, expect, test } from 'vitest';
import { decodeCursor, encodeCursor, listTag } from '../../../src/loaders/paging/cursor.ts';
import { MAX_EMULATED_ROWS } from '../../../src/loaders/paging/list.ts';
import { ServedIds } from '../../../src/loaders/paging/served-ids.ts';
import { ask, type Behaviour, createRows, range, simulateList } from '../../helpers/simulated-list.ts';

const tag = listTag('book#index', ['3'], { state: 'lent' });
const raw = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
/** The fields of a valid walk after its tag, with some of them changed. */
const fields = (changed: Readonly<Record<number, unknown>> = {}) =>
  ['w', tag, 3, 1, false, 14, null, 30, false].map((value, index) =>
    index in changed ? changed[index] : value,
  );

const WALK = {
  kind: 'walk',
  served: 3,
  ids: ServedIds.none.with([3, 4, 14]),
  trust: 'ids',
  direction: 'ascending',
  from: 14,
  head: null,
  total: 30,
  isVerified: false,
} as const;

describe('a cursor', () => {
  test.each([
    WALK,
    { ...WALK, trust: 'ties', direction: 'descending', from: 0, head: 99, total: null, isVerified: true },
    { ...WALK, trust: 'none', direction: null, from: null, ids: ServedIds.none.with([-7, -6, 2, 2 ** 50]) },
    { ...WALK, trust: 'unknown', ids: ServedIds.none },
    { kind: 'place', served: 3 },
  ] as const)('is decoded to the value that was encoded: %o', (cursor) => {
    const text = encodeCursor(tag, cursor);
    expect(text).toMatch(/^[\w-]+(\.~?[\w-]*)?$/);
    expect(decodeCursor(tag, text)).toEqual(cursor);
  });

  test('is short after many rows of a list that is ordered by id', () => {
    const ids = ServedIds.none.with(range(1, 9000));
    expect(encodeCursor(tag, { ...WALK, ids }).length).toBeLessThan(100);
  });

  test.each(['', 'x', 'bm90IGpzb24', raw(null), raw({}), raw([]), raw(['k']), raw(['k', 1])])(
    'is rejected if the text is not a cursor: %s',
    (text) => {
      expect(() => decodeCursor(tag, text)).toThrow('not a cursor of this API');
    },
  );

  test.each([
    fields({ 2: -1 }),
    fields({ 2: 1.5 }),
    fields({ 3: 4 }),
    fields({ 3: 'ids' }),
    fields({ 4: 'descending' }),
    fields({ 5: -1 }),
    fields({ 5: 2 ** 60 }),
    fields({ 6: 0.5 }),
    fields({ 7: -1 }),
    fields({ 8: null }),
    ['w', tag, 3],
    ['p', tag, 0],
    ['p', tag, 1, 1],
    ['p', tag, '1'],
    ['k', tag, 1],
    ['constructor', tag, 1],
  ])('is refused when it is damaged: %o', (...parts) => {
    expect(() => decodeCursor(tag, `${raw(parts)}.`)).toThrow('"after" is a damaged cursor');
  });

  test.each(['AA', 'gA', '_____________w', 'AAAB'])(
    'is refused when its served ids are damaged: %s',
    (ids) => {
      expect(decodeCursor(tag, `${raw(fields())}.AAA`)).toMatchObject({ from: 14 });
      expect(() => decodeCursor(tag, `${raw(fields())}.${ids}`)).toThrow('"after" is a damaged cursor');
    },
  );

  test('is refused when it is longer than a cursor', () => {
    expect(() => decodeCursor(tag, 'A'.repeat(131_073))).toThrow('"after" has 131073 characters');
  });

  test('is accepted when it has as many ids as can be served, far apart', () => {
    const ids = ServedIds.none.with(range(1, MAX_EMULATED_ROWS).map((id) => id * 900_000_000_000));
    const cursor = { ...WALK, trust: 'none', direction: null, from: null, ids } as const;
    expect(decodeCursor(tag, encodeCursor(tag, cursor))).toEqual(cursor);
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
