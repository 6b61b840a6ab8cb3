// Tests what paging remembers: the rows of recent pages, and limits that the description does not contain.

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  ask,
  createMemory,
  createRandom,
  createRows,
  range,
  readAllPages,
  shuffled,
  simulateList,
} from '../../helpers/simulated-list.ts';

/** A list sorted by name, whose pages can be read from its start only. */
const byName = (length: number) =>
  simulateList({
    rows: createRows(shuffled(range(1, length), createRandom(8))),
    fromId: 'above',
    count: true,
  });

const rowsRead = (calls: readonly Readonly<Record<string, unknown>>[], length: number): number =>
  calls.reduce((sum, call) => sum + Math.min(Number(call['limit'] ?? length), length), 0);

describe('a walk over a list that is read from its start', () => {
  test.each([
    [325, 7],
    [547, 7],
    [547, 25],
  ])('of %i rows in pages of %i reads each row about once', async (length, first) => {
    const list = byName(length);
    const { rows } = await readAllPages(list, { first, memory: createMemory() });
    expect(new Set(rows).size).toBe(length);
    expect(rowsRead(list.calls, length)).toBeLessThan(2 * length);
    expect(list.calls.length).toBeLessThanOrEqual(4);
  });

  test('does not reuse rows that another caller has read', async () => {
    const list = byName(100);
    const memory = createMemory();
    const { rows } = await ask(list, { first: 10, memory, caller: 'one' });
    const after = rows.at(-1)?.cursor ?? null;
    await ask(list, { first: 10, after, memory, caller: 'one' });
    const calls = list.calls.length;
    await ask(list, { first: 10, after, memory, caller: 'one' });
    expect(list.calls).toHaveLength(calls);
    await ask(list, { first: 10, after, memory, caller: 'another' });
    expect(list.calls).toHaveLength(calls + 1);
  });

  test('reads the rows again after a write of the caller, also one that ends while rows are read', async () => {
    const list = byName(100);
    const memory = createMemory();
    const { rows } = await ask(list, { first: 10, memory });
    const after = rows.at(-1)?.cursor ?? null;
    const next = () => ask(list, { first: 10, after, memory });
    await next();
    memory.callers.drop('one');
    const calls = list.calls.length;
    const reading = next();
    memory.callers.drop('one');
    await reading;
    await next();
    expect(list.calls).toHaveLength(calls + 2);
  });

  test('reads the rows again after 15 seconds', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    vi.advanceTimersByTime(1);
    const list = byName(100);
    const memory = createMemory();
    const { rows } = await ask(list, { first: 10, memory });
    const after = rows.at(-1)?.cursor ?? null;
    const next = () => ask(list, { first: 10, after, memory });
    await next();
    vi.advanceTimersByTime(14_000);
    const calls = list.calls.length;
    await next();
    expect(list.calls).toHaveLength(calls);
    vi.advanceTimersByTime(1_001);
    await next();
    expect(list.calls).toHaveLength(calls + 1);
  });

  test('stores no list of more than 16 MiB', async () => {
    const big = 'x'.repeat(200_000);
    const rows = shuffled(range(1, 100), createRandom(4)).map((id) => ({ id, name: big }));
    const list = simulateList({ rows, fromId: 'above', count: true });
    const memory = createMemory();
    await readAllPages(list, { first: 40, memory });
    expect(list.calls.length).toBeGreaterThanOrEqual(3);
    expect(memory.recent.get('one', '')).toBeUndefined();
  });
});

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
