// Tests walks over lists whose rows are added and deleted between pages.

import { describe, expect, test } from 'vitest';
import {
  createRandom,
  createRows,
  range,
  readAllPages,
  shuffled,
  simulateList,
} from '../../helpers/simulated-list.ts';

const idsOf = (rows: readonly Readonly<Record<string, unknown>>[]) => rows.map(({ id }) => Number(id));

describe('a list that is ordered by id', () => {
  test('is not marked as emulated if the next row is deleted', async () => {
    for (const count of [true, false]) {
      const simulated = simulateList({ rows: createRows(range(1, 30)), fromId: 'above', count });
      const between = (page: number) => {
        if (page % 2 === 1) simulated.rows.splice(page * 4 - (page - 1) / 2, 1);
      };
      const { emulated } = await readAllPages(simulated, { first: 4, between });
      expect(emulated).toBe(false);
      simulated.calls.length = 0;
      await readAllPages(simulated, { first: 4 });
      // Where nothing else tells, a list that became shorter after it was seen is looked at once more.
      const looks = count ? 0 : 1;
      expect(simulated.calls.length).toBeLessThanOrEqual(Math.ceil(simulated.rows.length / 4) + looks);
    }
  });

  test('returns rows that are added at its end during the walk', async () => {
    const simulated = simulateList({ rows: createRows(range(1, 10)), fromId: 'above', count: true });
    const between = (page: number) => {
      if (page < 4) simulated.rows.push({ id: 10 + page });
    };
    const { rows, emulated } = await readAllPages(simulated, { first: 3, between });
    expect([...idsOf(rows), emulated]).toEqual([...range(1, 13), false]);
  });
});

describe('a list that pages by offset', () => {
  test('costs one call for each page, and two that show its end', async () => {
    const list = simulateList({
      rows: createRows(shuffled(range(1, 30), createRandom(7))),
      offset: 'followed',
    });
    const { emulated } = await readAllPages(list, { first: 10 });
    expect([list.calls.length, emulated]).toEqual([5, false]);
  });
});

/** Simulates a log as on real servers: newest first, 25 rows without a limit, at most 1,000 rows. */
const log = (ids: readonly number[], count = true) =>
  simulateList({ rows: createRows(ids), fromId: 'below', cap: 1000, limitDefault: 25, count });

/** Returns descending ids. Groups of up to `size` rows have the same time, and ascend within the group. */
function withTies(length: number, size: number, seed: number): number[] {
  const random = createRandom(seed);
  const ids: number[] = [];
  for (let id = length; id > 0; ) {
    const group = Math.min(id, 1 + random(size));
    ids.push(...range(id - group + 1, id));
    id -= group;
  }
  return ids;
}

describe('a log that is longer than its largest page', () => {
  test('costs one call for each page and one for its end while rows are added', async () => {
    const list = log(range(1, 2225).reverse());
    await readAllPages(list, {
      first: 100,
      between: (page) => void (page === 5 && list.rows.unshift({ id: 3000 })),
    });
    expect(list.calls).toHaveLength(24);
  });

  test('is read once more if rows are deleted before the walk returns them', async () => {
    const list = log(range(1, 900).reverse());
    const between = (page: number) => void (page === 3 && list.rows.splice(700, 2));
    const { rows, unverified } = await readAllPages(list, { first: 100, between });
    expect(rows).toHaveLength(898);
    expect(unverified).toBeNull();
  });

  test('is unverified if a page would have to read more than ten times its rows to prove its end', async () => {
    const list = log(range(1, 1500).reverse());
    const between = (page: number) => void (page === 3 && list.rows.splice(700, 2));
    const { rows, unverified } = await readAllPages(list, { first: 100, between });
    expect([rows.length, unverified]).toEqual([1498, { served: 1498, total: 1500 }]);
    expect(list.calls).toHaveLength(15);
  });

  test('reports the number of returned rows if it is unverified, without the rows that were added during the walk', async () => {
    const list = log(range(1, 1500).reverse(), false);
    const between = (page: number) => void (page === 1 && list.rows.unshift({ id: 2000 }));
    const { rows, unverified } = await readAllPages(list, { first: 100, between });
    expect([rows.length, unverified]).toEqual([1500, { served: 1500, total: null }]);
  });

  test('checks its start once if the check does not show the second page', async () => {
    const list = simulateList({
      rows: createRows(range(1, 119).reverse()),
      fromId: 'below',
      cap: 27,
      limitDefault: 16,
    });
    const { rows, pages } = await readAllPages(list, { first: 20 });
    expect([rows.length, list.calls.length]).toEqual([119, pages + 1]);
  });

  test.each([
    [10, 2],
    [25, 4],
    [100, 8],
    [1000, 8],
  ])('returns each row once in pages of %i if up to %i rows have the same time', async (first, ties) => {
    for (const count of [true, false]) {
      const list = log(withTies(2218, ties, first), count);
      const { rows, unverified, emulated, pages } = await readAllPages(list, { first });
      expect(idsOf(rows)).toEqual(idsOf(list.rows));
      expect([unverified, emulated]).toEqual([count ? null : { served: 2218, total: null }, false]);
      expect(list.calls.length).toBeLessThanOrEqual(pages + Math.ceil(2218 / 1000) + 1);
    }
  });

  test('reaches its end if its total counts rows that the caller cannot read', async () => {
    for (const ids of [range(1, 30), shuffled(range(1, 30), createRandom(2)), range(1, 2250).reverse()]) {
      const fromId = ids[0] === 2250 ? 'below' : 'above';
      const list = simulateList({ rows: createRows(ids), fromId, count: true, countsMore: 2 });
      const { rows, unverified } = await readAllPages(list, { first: 7 });
      expect([rows.length, unverified]).toEqual([ids.length, { served: ids.length, total: ids.length + 2 }]);
    }
  });

  test('is unverified if its total counts a row that the walk does not find', async () => {
    const ids = range(1, 2225).reverse();
    ids.push(...ids.splice(100, 1));
    const { rows, unverified } = await readAllPages(log(ids), { first: 100 });
    expect([rows.length, unverified]).toEqual([2224, { served: 2224, total: 2225 }]);
  });

  test.each([
    [0, null],
    [1, { served: 2224, total: 2225 }],
  ])('is verified while rows are added, with %i rows lost', async (lost, unverified) => {
    const ids = range(1, 2225).reverse();
    ids.push(...ids.splice(100, lost));
    const list = log(ids);
    const { read } = list;
    // A row is added after the last page and its total, before the start of the list is checked.
    const busy: typeof read = (call, ...rest) => {
      if (list.calls.length > 20 && !('from_id' in call.input)) list.rows.unshift({ id: 3000 });
      return read(call, ...rest);
    };
    const between = (page: number) => void (page === 5 && lost === 0 && list.rows.unshift({ id: 2900 }));
    const walked = await readAllPages({ ...list, read: busy }, { first: 100, between });
    expect(walked.rows).toHaveLength(2225 - lost);
    expect(walked.unverified).toEqual(unverified);
  });

  test('is rejected if it is longer than its largest response and in no order', async () => {
    const rows = createRows(shuffled(range(1, 1500), createRandom(5)));
    const list = simulateList({ rows, fromId: 'above', cap: 1000, limitDefault: 25, count: true });
    await expect(readAllPages(list, { first: 300 })).rejects.toThrow(
      'only its first 1000 rows can be read. Shorten it with a filter: shelf, state.',
    );
  });
});
