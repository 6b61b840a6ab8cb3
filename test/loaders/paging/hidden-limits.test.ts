// Tests servers that apply limits that they do not describe.
import { describe, expect, test } from 'vitest';
import { createMemory, range, rowsOf, simulateList, walk } from '../../helpers/simulated-list.ts';

describe('a server that answers fewer rows than the limit asks for', () => {
  test.each([20, 60, 99, 100, 120])(
    'and cuts its answers at %i rows does not end a walk early',
    async (hiddenCap) => {
      for (const count of [true, false]) {
        for (const first of [19, 50, 150, 1000]) {
          for (const memory of [undefined, createMemory()]) {
            const paged = {
              rows: rowsOf(range(1, 250)),
              fromId: 'above',
              cap: 1000,
              hiddenCap,
              count,
            } as const;
            const { rows } = await walk(simulateList(paged), { first, ...(memory ? { memory } : {}) });
            expect(rows.map(({ id }) => id)).toEqual(range(1, 250));
          }
        }
      }
    },
  );

  test('is called once more for each action only', async () => {
    const memory = createMemory();
    const list = simulateList({ rows: rowsOf(range(1, 30)), fromId: 'above' });
    for (let walks = 0; walks < 3; walks++) await walk(list, { first: 100, memory });
    expect(list.calls).toEqual([{ limit: 101 }, { limit: 71, from_id: 30 }, { limit: 101 }, { limit: 101 }]);
  });

  test('pages by offset beyond the cut', async () => {
    const list = simulateList({ rows: rowsOf(range(1, 250)), offset: 'followed', hiddenCap: 60 });
    const { rows } = await walk(list, { first: 200 });
    expect(rows.map(({ id }) => id)).toEqual(range(1, 250));
  });
});
