// Tests walks over lists as they were seen on real databases, where rows that tie come in another order when the limit is another.
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
  type SimulatedList,
  shuffled,
  simulateList,
} from '../../helpers/simulated-list.ts';

const STATES = ['basic', 'token', 'oauth2', 'other'];

/** A list that is sorted by time. Rows with the same time come as chance has it. */
function byTime(times: readonly number[], behaviour: Partial<Behaviour>): SimulatedList {
  const random = createRandom(7);
  const rows = times.map((time, index) => ({
    id: index + 1,
    time,
    state: STATES[index % 4],
  }));
  const arrange = (unordered: readonly JsonObject[]): readonly JsonObject[] =>
    shuffled(unordered, random).sort((a, b) => Number(b['time']) - Number(a['time']));
  return simulateList({ rows, fromId: 'below', count: true, arrange, ...behaviour });
}

const SIZES = [5, 6, 7, 17, 25, 40, 100, 500, 1000];
const log = { cap: 1000, limitDefault: 25 } as const;

/** The lists, and the largest number of calls of a walk. */
const LISTS: readonly [string, number, () => SimulatedList][] = [
  [
    '75 assignments in pairs',
    2,
    () =>
      byTime(
        range(1, 75).map((id) => Math.floor(id / 2)),
        {},
      ),
  ],
  [
    '220 reports in fours',
    2,
    () =>
      byTime(
        range(1, 220).map((id) => Math.floor(id / 4)),
        {},
      ),
  ],
  [
    '2,472 sessions, seven each second',
    6,
    () =>
      byTime(
        range(1, 2472).map((id) => Math.floor(id / 7)),
        log,
      ),
  ],
  [
    '2,365 sessions whose times do not follow their ids',
    7,
    () =>
      byTime(shuffled(range(1, 2365), createRandom(3)), {
        ...log,
        states: STATES,
      }),
  ],
];

describe.each(LISTS)('a walk over %s', (_name, calls, open) => {
  test.each(SIZES)(
    'has each row once in pages of %i, without a warning and with few calls',
    async (first) => {
      const list = open();
      const { rows, faults, unverified } = await readAllPages(list, { first, memory: createMemory() });
      expect([rows.length, new Set(rows).size]).toEqual([list.rows.length, list.rows.length]);
      expect([faults, unverified]).toEqual([[], null]);
      expect(list.calls.length).toBeLessThanOrEqual(calls + Math.ceil(first / 500));
    },
  );
});

describe('a page', () => {
  test('of 369 rows by name costs three calls in a walk by 7', async () => {
    const rows = createRows(shuffled(range(1, 369), createRandom(4)));
    const list = simulateList({ rows, fromId: 'above', count: true });
    await readAllPages(list, { first: 7, memory: createMemory() });
    expect(list.calls).toHaveLength(3);
  });

  test.each([
    ['the count', { count: true }, 33],
    ['its length, which nobody chooses as a limit,', {}, 29],
  ])(
    'that is the whole list costs one call more than a page only if %s does not show it',
    async (_name, more, length) => {
      const rows = createRows(shuffled(range(1, length), createRandom(length)));
      const list = simulateList({ rows, fromId: 'above', ...more });
      const page = await ask(list, { first: 40, memory: createMemory() });
      expect(page).toMatchObject({ hasNextPage: false, unverified: null, isEmulated: false });
      expect(list.calls).toHaveLength('count' in more ? 1 : 2);
    },
  );

  test('of 29 settings with text ids needs no warning, and is read by one call when it is read again', async () => {
    const rows = createRows(range(1, 29).map((number) => `setting${number}`));
    const list = simulateList({ rows, fromId: 'above' });
    const memory = createMemory();
    for (const calls of [2, 1]) {
      list.calls.length = 0;
      expect(await ask(list, { first: 100, memory })).toMatchObject({ hasNextPage: false, unverified: null });
      expect(list.calls).toHaveLength(calls);
    }
  });

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
