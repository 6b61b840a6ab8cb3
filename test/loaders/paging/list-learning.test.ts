// Tests what paging remembers about the order of a list, and for whom.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MAX_EMULATED_ROWS } from '../../../src/loaders/paging/list.ts';
import { LocalDeployment } from '../../../src/replicas/local-replicas.ts';
import {
  ask,
  createMemory,
  createRows,
  editCursor,
  range,
  readAllPages,
  type SimulatedList,
  type SimulatedMemory,
  simulateList,
} from '../../helpers/simulated-list.ts';

/** Stops the clock until the test advances it. It starts at 1 ms, because lru-cache ignores the expiry of entries made at 0. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  vi.advanceTimersByTime(1);
}

describe('the remembered order of a list', () => {
  const alphabetic = createRows([...range(5, 24), 1, 2, 3, 4, 25]);

  test('is not used for the list of another parent', async () => {
    const memory = createMemory();
    const ordered = simulateList({ rows: createRows(range(1, 30)), fromId: 'above' });
    await readAllPages(ordered, { first: 5, memory, path: ['1'] });
    const other = simulateList({ rows: alphabetic, fromId: 'above' });
    const { rows } = await readAllPages(other, { first: 5, memory, path: ['2'] });
    expect(new Set(rows).size).toBe(25);
  });

  test('is not used under another filter', async () => {
    const memory = createMemory();
    const ordered = simulateList({ rows: createRows(range(1, 30)), fromId: 'above' });
    await readAllPages(ordered, { first: 5, memory, filter: { shelf: 1 } });
    const other = simulateList({ rows: alphabetic, fromId: 'above' });
    const { rows } = await readAllPages(other, { first: 5, memory });
    expect(new Set(rows).size).toBe(25);
  });

  test('is found for each list of the action, so that no list loses rows', async () => {
    const memory = createMemory();
    await readAllPages(simulateList({ rows: alphabetic, fromId: 'above' }), {
      first: 5,
      memory,
      path: ['1'],
    });
    const other = simulateList({ rows: alphabetic, fromId: 'above' });
    await ask(other, { first: 5, memory, path: ['2'] });
    const { emulated } = await readAllPages(other, { first: 5, memory, path: ['2'] });
    expect(emulated).toBe(true);
  });

  describe.each([true, false])(
    'does not hide a row that has moved, in a list that offers count: %s',
    (count) => {
      const behaviour = () => ({ rows: createRows(range(1, 30)), fromId: 'above' as const, count });

      test.each([5, 7, 29])('in pages of %i', async (first) => {
        const memory = createMemory();
        const list = simulateList(behaviour());
        await readAllPages(list, { first, memory });
        list.rows.push(...list.rows.splice(4, 1));
        for (let walks = 0; walks < 2; walks++)
          expect(new Set((await readAllPages(list, { first, memory })).rows).size).toBe(30);
      });

      test('except for one minute if as many rows were added', async () => {
        stopClock();
        const memory = createMemory();
        const list = simulateList(behaviour());
        await readAllPages(list, { first: 7, memory });
        list.rows.push(...list.rows.splice(4, 1), { id: 31 });
        const size = async () => new Set((await readAllPages(list, { first: 7, memory })).rows).size;
        expect(await size()).toBe(count ? 31 : 30);
        vi.advanceTimersByTime(60_001);
        expect(await size()).toBe(31);
      });
    },
  );

  test('is checked again after rows were deleted', async () => {
    const memory = createMemory();
    const list = simulateList({ rows: createRows(range(1, 30)), fromId: 'above' });
    await readAllPages(list, { first: 7, memory });
    list.rows.splice(3, 5);
    for (const calls of [5, 4]) {
      list.calls.length = 0;
      expect((await readAllPages(list, { first: 7, memory })).emulated).toBe(false);
      expect(list.calls).toHaveLength(calls);
    }
  });

  test('is forgotten after a minute if the list lost rows, because it may be ordered by id by then', async () => {
    stopClock();
    const memory = createMemory();
    const list = simulateList({ rows: [...alphabetic], fromId: 'above' });
    expect((await readAllPages(list, { first: 7, memory })).emulated).toBe(true);
    list.rows.sort((a, b) => Number(a['id']) - Number(b['id']));
    expect((await readAllPages(list, { first: 7, memory })).emulated).toBe(true);
    vi.advanceTimersByTime(60_001);
    expect((await readAllPages(list, { first: 7, memory })).emulated).toBe(false);
  });

  test('is known to the other replicas, which make as few calls', async () => {
    const deployment = new LocalDeployment();
    const here = createMemory(undefined, deployment.join());
    const there = createMemory(undefined, deployment.join());
    const list = simulateList({ rows: createRows(range(1, 30)), fromId: 'above' });
    const countCalls = async (memory: SimulatedMemory): Promise<number> => {
      list.calls.length = 0;
      await readAllPages(list, { first: 7, memory });
      return list.calls.length;
    };
    const first = await countCalls(here);
    const again = await countCalls(here);
    expect(again).toBeLessThan(first);
    // Messages between replicas arrive in a later turn.
    await nextTurn();
    expect(await countCalls(there)).toBe(again);
  });

  test('is not used for the list of another caller', async () => {
    const memory = createMemory();
    await readAllPages(simulateList({ rows: createRows([3, 1, 2]), fromId: 'above' }), {
      first: 2,
      memory,
      caller: 'bad',
    });
    const long = simulateList({ rows: createRows(range(1, 12_000)), fromId: 'above', count: true });
    const { rows, emulated } = await readAllPages(long, { first: 1000, memory, caller: 'good' });
    expect([rows.length, emulated]).toEqual([12_000, false]);
  });
});

describe('an edited cursor', () => {
  const EDITS: readonly [field: string, edit: Parameters<typeof editCursor>[1]][] = [
    ['direction', { direction: 'descending' }],
    ['no direction', { direction: null }],
    ['row', { id: 0 }],
    ['row that does not exist', { id: 10 ** 6 }],
    ['next row', { next: 20 }],
    ['next row that does not exist', { next: 10 ** 6 }],
    ['next row and direction', { next: 1, direction: 'descending' }],
    ['number of served rows', { served: 1 }],
  ];
  /** Requests a page after an edited cursor, near the start of the list or near its end. */
  const forge = async (
    list: SimulatedList,
    edit: Parameters<typeof editCursor>[1],
    place: number,
    memory: SimulatedMemory,
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
    for (const [, edit] of EDITS) await forge(list, edit, 2, memory);
    const { rows } = await readAllPages(list, { first: 1000, memory, caller: 'another' });
    expect(rows).toHaveLength(ids.length);
  });
});
