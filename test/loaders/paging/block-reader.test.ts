// Tests the upstream calls that pages cost, also of lists that cannot be paged by id and of lists as on real databases.

import { describe, expect, test } from 'vitest';
import { PaginationUnsupportedError } from '../../../src/loaders/errors.ts';
import { MAX_EMULATED_ROWS } from '../../../src/loaders/paging/list.ts';
import type { JsonObject } from '../../../src/upstream/json.ts';
import {
  ask,
  type Behaviour,
  createRandom,
  createRows,
  range,
  readAllPages,
  type SimulatedList,
  shuffled,
  simulateList,
} from '../../helpers/simulated-list.ts';

const LIMITS = (calls: readonly Readonly<Record<string, unknown>>[]) => calls.map((call) => call['limit']);

describe('a page of an ascending list', () => {
  test('costs one call if count is offered', async () => {
    const list = simulateList({ rows: createRows(range(1, 100)), fromId: 'above', count: true });
    const { pages, emulated } = await readAllPages(list, { first: 10 });
    expect([pages, list.calls.length, emulated]).toEqual([10, 10, false]);
    expect(list.calls.slice(0, 3)).toEqual([
      { limit: 11 },
      { limit: 250, count: true },
      { limit: 11, from_id: 20, count: true },
    ]);
  });

  test('costs one check of the list and one of its end in the whole walk if count is not offered', async () => {
    const list = simulateList({ rows: createRows(range(1, 100)), fromId: 'above' });
    expect((await readAllPages(list, { first: 10 })).emulated).toBe(false);
    expect(LIMITS(list.calls)).toEqual([11, 250, 1, ...Array(8).fill(11)]);
  });

  test('costs a second check if the first does not show the end', async () => {
    const list = simulateList({ rows: createRows(range(1, 1500)), fromId: 'above' });
    await readAllPages(list, { first: 500 });
    expect(LIMITS(list.calls)).toEqual([501, 501, 501, 1, 4510, 1]);
  });

  test('costs no check if its order is declared', async () => {
    const list = simulateList({ rows: createRows(range(1, 100)), fromId: 'above', declared: 'ascending' });
    await readAllPages(list, { first: 10 });
    expect(list.calls).toHaveLength(10);
  });

  test('costs one more call if the cap does not allow the extra row', async () => {
    const list = simulateList({ rows: createRows(range(1, 30)), fromId: 'above', cap: 10 });
    expect(await ask(list, { first: 10 })).toMatchObject({ hasNextPage: true });
    expect(list.calls).toEqual([{ limit: 10 }, { limit: 1, from_id: 10 }]);
  });

  test('is read by several calls if it is larger than the cap', async () => {
    const list = simulateList({ rows: createRows(range(1, 30)), fromId: 'above', cap: 10 });
    const { rows, hasNextPage } = await ask(list, { first: 25 });
    expect([rows.length, hasNextPage]).toEqual([25, true]);
    expect(list.calls).toEqual([{ limit: 10 }, { limit: 10, from_id: 10 }, { limit: 6, from_id: 20 }]);
  });

  test('of size 0 shows whether the list has rows', async () => {
    const some = simulateList({ rows: createRows([1]), fromId: 'above' });
    expect(await ask(some, { first: 0 })).toMatchObject({ rows: [], hasNextPage: true });
    expect(some.calls).toEqual([{ limit: 1 }]);
    const none = simulateList({ rows: [], fromId: 'above' });
    expect(await ask(none, { first: 0 })).toMatchObject({ rows: [], hasNextPage: false });
  });
});

describe('the total', () => {
  test('is requested with the page, only if it is selected', async () => {
    const list = simulateList({ rows: createRows(range(1, 30)), fromId: 'above', count: true });
    expect(await ask(list, { first: 10, count: true })).toMatchObject({ totalCount: 30 });
    expect(await ask(list, { first: 10 })).toMatchObject({ totalCount: null });
    expect(list.calls).toEqual([{ limit: 11, count: true }, { limit: 11 }]);
  });

  test('is null if it is not offered', async () => {
    const list = simulateList({ rows: createRows(range(1, 30)), fromId: 'above' });
    expect(await ask(list, { first: 10, count: true })).toMatchObject({ totalCount: null });
    expect(list.calls).toEqual([{ limit: 11 }]);
  });
});

describe('a list that cannot be walked by from_id', () => {
  test('is unverified if the count shows that rows are lost that cannot be read', async () => {
    const rows = createRows([...range(2, MAX_EMULATED_ROWS + 2), 1]);
    const list = simulateList({ rows, fromId: 'above', count: true });
    const { unverified } = await readAllPages(list, { first: 1000 });
    expect(unverified).toEqual({ served: 10_001, total: 10_002 });
  });

  test('is rejected if it is longer than what is read for one page and has no order', async () => {
    const rows = createRows(shuffled(range(1, MAX_EMULATED_ROWS + 2), createRandom(5)));
    const list = simulateList({ rows, fromId: 'above' });
    await expect(readAllPages(list, { first: 1000 })).rejects.toThrow(PaginationUnsupportedError);
  });

  test('is unverified if it is too long to be checked and offers no count', async () => {
    const list = simulateList({ rows: createRows(range(1, MAX_EMULATED_ROWS + 10)), fromId: 'above' });
    for (let walks = 0; walks < 2; walks++) {
      const { rows, unverified } = await readAllPages(list, { first: 1000 });
      expect([rows.length, unverified]).toEqual([10_010, { served: 10_010, total: null }]);
    }
  });

  test('is walked at any length if the operator declares that it is ordered by id', async () => {
    for (const direction of ['ascending', 'descending'] as const) {
      const ids = range(1, MAX_EMULATED_ROWS + 10);
      const list = simulateList(
        direction === 'ascending'
          ? { rows: createRows(ids), fromId: 'above', declared: direction }
          : { rows: createRows(ids.reverse()), fromId: 'below', declared: direction },
      );
      const { rows } = await readAllPages(list, { first: 1000 });
      expect([rows.length, list.calls.length]).toEqual([ids.length, Math.ceil(ids.length / 1000)]);
    }
  });

  test('is read from its start at once if the operator declares this', async () => {
    const list = simulateList({ rows: createRows(range(1, 30)), fromId: 'above', declared: 'none' });
    await readAllPages(list, { first: 10 });
    expect(LIMITS(list.calls)).toEqual([11, 21, 31, 1]);
  });
});

/** A list that is sorted by time. Rows with the same time come as chance has it. */
function byTime(times: readonly number[], behaviour: Partial<Behaviour>): SimulatedList {
  const random = createRandom(7);
  const rows = times.map((time, index) => ({ id: index + 1, time }));
  const arrange = (unordered: readonly JsonObject[]): readonly JsonObject[] =>
    shuffled(unordered, random).sort((a, b) => Number(b['time']) - Number(a['time']));
  return simulateList({ rows, fromId: 'below', count: true, arrange, ...behaviour });
}

/** The lists, each with whether only its start leads to a page. */
const LISTS: readonly [string, boolean, () => SimulatedList][] = [
  ['75 assignments in pairs', false, () => byTime(range(1, 75).map(half), {})],
  ['220 reports in pairs', false, () => byTime(range(1, 220).map(half), {})],
  ['2,472 sessions in pairs', false, () => byTime(range(1, 2472).map(half), { cap: 1000, limitDefault: 25 })],
  ['700 sessions in any order', true, () => byTime(shuffled(range(1, 700), createRandom(3)), { cap: 1000 })],
];

const half = (id: number): number => Math.floor(id / 2);

describe.each(LISTS)('a walk over %s', (_name, isEmulated, open) => {
  test.each([5, 100])('by %i has each row once, and reads few rows for each page', async (first) => {
    const list = open();
    const read: number[] = [0];
    const counting: SimulatedList = {
      ...list,
      read: async (call) => {
        const result = await list.read(call);
        read.push((read.pop() ?? 0) + (Array.isArray(result.output) ? result.output.length : 0));
        return result;
      },
    };
    const between = () => void read.push(0);
    const { rows, faults, unverified } = await readAllPages(counting, { first, between });
    expect([rows.length, new Set(rows).size]).toEqual([list.rows.length, list.rows.length]);
    expect([faults, unverified]).toEqual([[], null]);
    for (const [page, count] of read.entries())
      expect(count).toBeLessThanOrEqual(
        Math.max(260, 10 * (first + 1), isEmulated ? (page + 1) * first + 9 : 0),
      );
  });
});

describe('a page', () => {
  test.each([
    ['the count', { count: true }, 33],
    ['its length, which nobody chooses as a limit,', {}, 29],
  ])(
    'that is the whole list costs one call more than a page only if %s does not show it',
    async (_name, more, length) => {
      const rows = createRows(shuffled(range(1, length), createRandom(length)));
      const list = simulateList({ rows, fromId: 'above', ...more });
      const page = await ask(list, { first: 40 });
      expect(page).toMatchObject({ hasNextPage: false, unverified: null, isEmulated: false });
      expect(list.calls).toHaveLength('count' in more ? 1 : 2);
    },
  );

  test('that is the first and reads nothing more is not marked as emulated', async () => {
    const rows = createRows(shuffled(range(1, 60), createRandom(2)));
    for (const behaviour of [{ fromId: 'above' }, {}] as const) {
      const list = simulateList({ rows, count: true, ...behaviour });
      const page = await ask(list, { first: 7 });
      expect([page.isEmulated, list.calls.length]).toEqual([false, 1]);
      const after = page.rows.at(-1)?.cursor ?? null;
      expect((await ask(list, { first: 7, after })).isEmulated).toBe(true);
    }
  });
});

describe('a server that returns fewer rows than the limit requests', () => {
  test('gets one more call at the end of a list without a count', async () => {
    const list = simulateList({ rows: createRows(range(1, 30)), fromId: 'above' });
    await readAllPages(list, { first: 100 });
    expect(list.calls).toEqual([{ limit: 101 }, { limit: 71, from_id: 30 }]);
  });

  test('says that rows may be missing if no other call can show them', async () => {
    const rows = createRows(shuffled(range(1, 60), createRandom(5)));
    const list = simulateList({ rows, cap: 1000, hiddenCap: 20 });
    for (const first of [7, 100, 7]) {
      const { rows: served, unverified } = await readAllPages(list, { first });
      expect(served).toHaveLength(20);
      expect(unverified).toEqual({ served: 20, total: null });
    }
  });
});

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
});

/** Simulates a log as on real servers: newest first, 25 rows without a limit, at most 1,000 rows. */
const log = (ids: readonly number[], count = true) =>
  simulateList({ rows: createRows(ids), fromId: 'below', cap: 1000, limitDefault: 25, count });

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

  test('is rejected if it is longer than its largest response and in no order', async () => {
    const rows = createRows(shuffled(range(1, 1500), createRandom(5)));
    const list = simulateList({ rows, fromId: 'above', cap: 1000, limitDefault: 25, count: true });
    await expect(readAllPages(list, { first: 300 })).rejects.toThrow(
      'only its first 1000 rows can be read. Shorten it with a filter: shelf, state.',
    );
  });
});
