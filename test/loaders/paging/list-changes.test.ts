// Tests walks over lists whose rows change between pages.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/upstream/json.ts';
import {
  ask,
  type Behaviour,
  createMemory,
  createRandom,
  createRows,
  range,
  readAllPages,
  shuffled,
  simulateList,
} from '../../helpers/simulated-list.ts';

const idsOf = (rows: readonly Readonly<Record<string, unknown>>[]) => rows.map(({ id }) => Number(id));

const KINDS: readonly [string, () => Behaviour][] = [
  ['ascends', () => ({ rows: createRows(range(1, 30)), fromId: 'above' })],
  ['descends', () => ({ rows: createRows(range(1, 30).reverse()), fromId: 'below' })],
  [
    'is newest first but filters id > from_id',
    () => ({ rows: createRows(range(1, 30).reverse()), fromId: 'above' }),
  ],
  [
    'is sorted by name',
    () => ({ rows: createRows(shuffled(range(1, 30), createRandom(8))), fromId: 'above' }),
  ],
  [
    'pages by offset',
    () => ({ rows: createRows(shuffled(range(1, 30), createRandom(7))), offset: 'followed' }),
  ],
  ['has only a limit', () => ({ rows: createRows(shuffled(range(1, 30), createRandom(9))) })],
];

describe.each(KINDS)('a list that %s', (_kind, behaviour) => {
  describe.each([true, false])('and offers count: %s', (count) => {
    test.each([
      ['the next row', 0],
      ['the row of the cursor', -1],
    ])('loses and repeats nothing when %s is deleted between pages', async (_row, offset) => {
      for (const first of [1, 2, 3, 7, 29]) {
        for (const memory of [undefined, createMemory()]) {
          const simulated = simulateList({ ...behaviour(), count });
          const met: number[] = [];
          let gone: number | undefined;
          const page = async (after: string | null) => {
            const read = await ask(simulated, { first, after, ...(memory ? { memory } : {}) });
            met.push(...idsOf(read.rows.map(({ row }) => row)));
            return read.hasNextPage ? (read.rows.at(-1)?.cursor ?? null) : null;
          };
          let cursor = await page(null);
          const left = idsOf(simulated.rows).filter((id) => !met.includes(id));
          gone = offset === 0 ? left[0] : met.at(-1);
          simulated.rows.splice(
            simulated.rows.findIndex(({ id }) => id === gone),
            1,
          );
          for (let pages = 0; cursor !== null && pages < 40; pages++) cursor = await page(cursor);
          const expected = range(1, 30).filter((id) => offset !== 0 || id !== gone);
          expect([first, ...met.toSorted((a, b) => a - b)]).toEqual([first, ...expected]);
        }
      }
    });
  });
});

describe('a list that is ordered by id', () => {
  test('is not marked as emulated if the next row is deleted', async () => {
    for (const count of [true, false]) {
      const simulated = simulateList({ rows: createRows(range(1, 30)), fromId: 'above', count });
      const memory = createMemory();
      const between = (page: number) => {
        if (page % 2 === 1) simulated.rows.splice(page * 4 - (page - 1) / 2, 1);
      };
      const { emulated } = await readAllPages(simulated, { first: 4, memory, between });
      expect(emulated).toBe(false);
      simulated.calls.length = 0;
      await readAllPages(simulated, { first: 4, memory });
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

  test('continues after its last row if rows are added later', async () => {
    const simulated = simulateList({ rows: createRows(range(1, 4)), fromId: 'above', count: true });
    const { rows } = await ask(simulated, { first: 4 });
    simulated.rows.push({ id: 5 }, { id: 6 });
    const after = rows.at(-1)?.cursor ?? null;
    const next = await ask(simulated, { first: 4, after });
    expect(idsOf(next.rows.map(({ row }) => row))).toEqual([5, 6]);
  });

  test('keeps its direction if one row is left', async () => {
    const simulated = simulateList({ rows: createRows([5, 3]), fromId: 'below' });
    const { rows } = await ask(simulated, { first: 1 });
    simulated.rows.shift();
    const next = await ask(simulated, { first: 1, after: rows[0]?.cursor ?? null });
    expect(idsOf(next.rows.map(({ row }) => row))).toEqual([3]);
  });

  test('is read whole if its rows have the opposite direction after a deletion', async () => {
    const simulated = simulateList({ rows: createRows([3, 1, 2]), fromId: 'below' });
    const { rows } = await ask(simulated, { first: 1 });
    simulated.rows.shift();
    const next = await ask(simulated, { first: 2, after: rows[0]?.cursor ?? null });
    expect(idsOf(next.rows.map(({ row }) => row))).toEqual([1, 2]);
  });
});

describe('a list that pages by offset', () => {
  test.each([
    ['is added at its start', (rows: JsonObject[]) => rows.unshift({ id: 99 })],
    ['is deleted before the cursor', (rows: JsonObject[]) => rows.shift()],
  ])('neither loses nor repeats rows when a row %s', async (_change, change) => {
    const list = simulateList({ rows: createRows(range(1, 30)), offset: 'followed' });
    const between = (page: number) => void (page === 3 && change(list.rows));
    const { rows } = await readAllPages(list, { first: 5, between });
    expect(idsOf(rows)).toEqual(range(1, 30));
  });

  test('costs one call for each page', async () => {
    const list = simulateList({
      rows: createRows(shuffled(range(1, 30), createRandom(7))),
      offset: 'followed',
    });
    const { emulated } = await readAllPages(list, { first: 10, memory: createMemory() });
    expect([list.calls.length, emulated]).toEqual([3, false]);
  });
});

describe('a list in random order', () => {
  test.each([true, false])(
    'loses and repeats nothing when a row is added anywhere between pages, with count: %s',
    async (count) => {
      const random = createRandom(count ? 13 : 14);
      const wrong: string[] = [];
      for (let round = 0; round < 600; round++) {
        const length = 2 + random(20);
        const ids = round % 2 === 0 ? shuffled(range(1, length), random) : range(1, length);
        for (let moves = 1 + random(4); moves > 0; moves--)
          ids.splice(random(length), 0, ...ids.splice(random(length), 1));
        const fromId = (['above', 'below', 'all'] as const)[random(3)] ?? 'above';
        const paging = random(5) === 0 ? { offset: 'followed' as const } : { fromId };
        const list = simulateList({ rows: createRows(ids), count, ...paging });
        const [first, when, where] = [1 + random(4), 1 + random(6), random(length + 1)];
        const between = (page: number) => void (page === when && list.rows.splice(where, 0, { id: 99 }));
        const met = idsOf((await readAllPages(list, { first, between })).rows).filter((id) => id !== 99);
        if (met.toSorted((a, b) => a - b).join() !== range(1, length).join())
          wrong.push(
            `${JSON.stringify(paging)} in pages of ${first}: ${ids}, 99 at ${where} after page ${when}, gave ${met}`,
          );
      }
      expect(wrong.slice(0, 5)).toEqual([]);
    },
  );

  test('loses nothing if a row with a higher id is added among the returned rows', async () => {
    const list = simulateList({ rows: createRows([7, 10, 12, 5, 17, 8]), fromId: 'above', count: true });
    const between = (page: number) => void (page === 2 && list.rows.splice(1, 0, { id: 20 }));
    const { rows } = await readAllPages(list, { first: 2, between });
    expect(idsOf(rows).filter((id) => id !== 20)).toEqual([7, 10, 12, 5, 17, 8]);
  });

  test('repeats nothing if such a row is added and pages have one row', async () => {
    const list = simulateList({ rows: createRows(range(1, 9)), fromId: 'above', cap: 1, count: true });
    const between = (page: number) => void (page === 1 && list.rows.splice(1, 0, { id: 20 }));
    const { rows } = await readAllPages(list, { first: 3, between });
    expect(idsOf(rows).filter((id) => id !== 20)).toEqual(range(1, 9));
  });
});

describe('a walk whose client deletes the returned rows', () => {
  test.each(KINDS)('returns every other row of a list that %s', async (_kind, behaviour) => {
    for (const count of [true, false]) {
      for (const first of [3, 7]) {
        for (const memory of [undefined, createMemory()]) {
          const list = simulateList({ ...behaviour(), count });
          const served: number[] = [];
          let after: string | null = null;
          for (let pages = 0; pages < 20; pages++) {
            const page = await ask(list, { first, after, ...(memory ? { memory } : {}) });
            const ids = idsOf(page.rows.map(({ row }) => row));
            served.push(...ids);
            after = page.rows.at(-1)?.cursor ?? null;
            for (const id of ids)
              list.rows.splice(
                list.rows.findIndex((row) => row['id'] === id),
                1,
              );
            memory?.recent.drop('one');
            if (!page.hasNextPage) break;
          }
          expect(served.toSorted((a, b) => a - b)).toEqual(range(1, 30));
        }
      }
    }
  });
});
