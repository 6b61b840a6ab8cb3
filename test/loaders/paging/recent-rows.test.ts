// Tests when a walk reuses the rows that its last page read.
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
    memory.recent.drop('one');
    const calls = list.calls.length;
    const reading = next();
    memory.recent.drop('one');
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
