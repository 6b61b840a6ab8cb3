// Tests how cursors are written, read and rejected, and that an edited one spoils only the walk of its client.

import { describe, expect, test } from 'vitest';
import { decodeCursor, encodeCursor, listTag } from '../../../src/loaders/paging/cursor.ts';
import type { ResponseSizes } from '../../../src/loaders/paging/list.ts';
import { MAX_EMULATED_ROWS } from '../../../src/loaders/paging/list.ts';
import { ServedIds } from '../../../src/loaders/paging/served-ids.ts';
import {
  ask,
  type Behaviour,
  createMemory,
  createRows,
  editCursor,
  range,
  readAllPages,
  type SimulatedList,
  simulateList,
} from '../../helpers/simulated-list.ts';

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
    expect(() => decodeCursor(tag, 'A'.repeat(81_921))).toThrow('"after" has 81921 characters');
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

describe('an edited cursor', () => {
  const EDITS: readonly [field: string, edit: Parameters<typeof editCursor>[1]][] = [
    ['direction', { direction: 'descending' }],
    ['no direction', { direction: null }],
    ['trust', { trust: 'ids', from: 0 }],
    ['place', { from: 10 ** 6 }],
    ['set of served ids', { ids: ServedIds.none.with(range(1, 29)) }],
    ['head', { head: 0 }],
    ['total', { total: 1, isVerified: true }],
    ['number of served rows', { served: 1 }],
  ];
  /** Requests a page after an edited cursor, near the start of the list or near its end. */
  const forge = async (
    list: SimulatedList,
    edit: Parameters<typeof editCursor>[1],
    place: number,
    memory: ResponseSizes,
  ) => {
    const { rows } = await ask(list, { first: place, caller: 'forger', memory });
    const after = editCursor(rows.at(-1)?.cursor ?? '', edit);
    await ask(list, { first: 4, after, caller: 'forger', memory }).catch(() => {});
  };

  describe.each([true, false])('in a list that offers count: %s', (count) => {
    test.each(EDITS)('with another %s does not affect other callers', async (_field, edit) => {
      for (const place of [2, 29]) {
        for (const ids of [range(1, 30), range(1, 30).reverse()]) {
          const memory = createMemory();
          const fromId = ids[0] === 1 ? 'above' : 'below';
          const list = simulateList({ rows: createRows(ids), fromId, count });
          await forge(list, edit, place, memory);
          list.calls.length = 0;
          expect((await readAllPages(list, { first: 5, memory, caller: 'another' })).emulated).toBe(false);
          const another = list.calls.splice(0);
          await readAllPages(list, { first: 5, caller: 'another' });
          expect(another.length).toBeLessThanOrEqual(list.calls.length);
        }
      }
    });
  });

  test('does not stop the walks of other callers over a list that is too long to be read whole', async () => {
    const memory = createMemory();
    const ids = range(1, MAX_EMULATED_ROWS + 5);
    const list = simulateList({ rows: createRows(ids), fromId: 'above', count: true });
    for (const [, edit] of EDITS.slice(0, 3)) await forge(list, edit, 2, memory);
    const { rows } = await readAllPages(list, { first: 1000, memory, caller: 'another' });
    expect(rows).toHaveLength(ids.length);
  });
});
