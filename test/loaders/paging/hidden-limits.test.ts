// Tests limits that the description does not contain, which paging remembers.

import { describe, expect, test } from 'vitest';
import {
  createMemory,
  createRandom,
  createRows,
  range,
  readAllPages,
  shuffled,
  simulateList,
} from '../../helpers/simulated-list.ts';

describe('a server that returns fewer rows than the limit requests', () => {
  test.each([20, 60, 99, 100, 120])('and at most %i rows does not end a walk early', async (hiddenCap) => {
    for (const count of [true, false]) {
      for (const first of [19, 50, 150, 1000]) {
        for (const memory of [undefined, createMemory()]) {
          const paged = {
            rows: createRows(range(1, 250)),
            fromId: 'above',
            cap: 1000,
            hiddenCap,
            count,
          } as const;
          const { rows } = await readAllPages(simulateList(paged), {
            first,
            ...(memory ? { memory } : {}),
          });
          expect(rows.map(({ id }) => id)).toEqual(range(1, 250));
        }
      }
    }
  });

  test('gets one more call for each action', async () => {
    const memory = createMemory();
    const list = simulateList({ rows: createRows(range(1, 30)), fromId: 'above' });
    for (let walks = 0; walks < 3; walks++) await readAllPages(list, { first: 100, memory });
    expect(list.calls).toEqual([{ limit: 101 }, { limit: 71, from_id: 30 }, { limit: 101 }, { limit: 101 }]);
  });

  test('is not assumed if the total counts rows that the caller cannot read', async () => {
    const memory = createMemory();
    const rows = createRows(shuffled(range(1, 30), createRandom(4)));
    const list = simulateList({ rows, fromId: 'above', count: true, countsMore: 2 });
    for (const first of [7, 100])
      expect((await readAllPages(list, { first, memory, count: first === 7 })).rows).toHaveLength(30);
  });

  test('says that rows may be missing if no other call can show them', async () => {
    const rows = createRows(shuffled(range(1, 60), createRandom(5)));
    const list = simulateList({ rows, cap: 1000, hiddenCap: 20 });
    const memory = createMemory();
    for (const first of [7, 100, 7]) {
      const { rows: served, unverified } = await readAllPages(list, { first, memory });
      expect(served).toHaveLength(20);
      expect(unverified).toEqual({ served: 20, total: null });
    }
  });
});
