// Tests that a walk returns each row once, for many kinds of lists.
import { describe, expect, test } from 'vitest';
import {
  type Behaviour,
  createMemory,
  createRandom,
  createRows,
  range,
  readAllPages,
  shuffled,
  simulateList,
} from '../../helpers/simulated-list.ts';

const SIZES = [1, 2, 3, 4, 7, 10, 11, 12, 24, 25, 26, 100];
const KINDS: readonly [string, () => Omit<Behaviour, 'count'>][] = [
  ['ascends', () => ({ rows: createRows(range(1, 25)), fromId: 'above' })],
  ['descends with id < from_id', () => ({ rows: createRows(range(1, 25).reverse()), fromId: 'below' })],
  [
    'is newest first but filters id > from_id',
    () => ({ rows: createRows(range(1, 25).reverse()), fromId: 'above' }),
  ],
  ['is oldest first but filters id < from_id', () => ({ rows: createRows(range(1, 25)), fromId: 'below' })],
  [
    'is sorted by name',
    () => ({ rows: createRows(shuffled(range(1, 25), createRandom(3))), fromId: 'above' }),
  ],
  ['ends with rows of lower ids', () => ({ rows: createRows([...range(3, 25), 1, 2]), fromId: 'above' })],
  [
    'has two rows in swapped order',
    () => ({ rows: createRows([...range(1, 11), 13, 12, ...range(14, 25)]), fromId: 'above' }),
  ],
  [
    'is newest first but filters id > from_id, with a default limit',
    () => ({ rows: createRows(range(1, 25).reverse()), fromId: 'above', limitDefault: 10 }),
  ],
  [
    'is sorted by name, with a default limit',
    () => ({ rows: createRows(shuffled(range(1, 25), createRandom(3))), fromId: 'above', limitDefault: 10 }),
  ],
  [
    'descends, with a default limit and a hidden one',
    () => ({ rows: createRows(range(1, 25).reverse()), fromId: 'below', limitDefault: 10, hiddenCap: 20 }),
  ],
  ['ignores from_id', () => ({ rows: createRows(range(1, 25)), fromId: 'all' })],
  ['ignores limit', () => ({ rows: createRows(range(1, 25)), fromId: 'above', limit: 'ignored' })],
  [
    'ignores limit, sorted by name',
    () => ({ rows: createRows(shuffled(range(1, 25), createRandom(4))), fromId: 'above', limit: 'ignored' }),
  ],
  ['ignores limit and from_id', () => ({ rows: createRows(range(1, 25)), fromId: 'all', limit: 'ignored' })],
  ['has only a limit', () => ({ rows: createRows(shuffled(range(1, 25), createRandom(5))) })],
  ['has only a limit with a cap', () => ({ rows: createRows(range(1, 25)), cap: 10 })],
  ['has only a limit, which it ignores', () => ({ rows: createRows(range(1, 25)), limit: 'ignored' })],
  ['does not page at all', () => ({ rows: createRows(range(1, 25)), limit: 'absent' })],
  [
    'pages by offset',
    () => ({ rows: createRows(shuffled(range(1, 25), createRandom(6))), offset: 'followed' }),
  ],
  ['pages by offset with a cap', () => ({ rows: createRows(range(1, 25)), offset: 'followed', cap: 10 })],
  [
    'pages by offset and ignores limit',
    () => ({ rows: createRows(range(1, 25)), offset: 'followed', limit: 'ignored' }),
  ],
  ['ignores a described offset', () => ({ rows: createRows(range(1, 25)), offset: 'ignored' })],
  [
    'ignores a described offset and has a cap',
    () => ({ rows: createRows(range(1, 25)), offset: 'ignored', cap: 10 }),
  ],
  [
    'ignores offset and limit',
    () => ({ rows: createRows(range(1, 25)), offset: 'ignored', limit: 'ignored' }),
  ],
  [
    'ignores offset and repeats ids',
    () => ({ rows: createRows([10, 1, 2, 17, 4, 5, 10, 18, 8, 9, 11, 1, 10]), offset: 'ignored' }),
  ],
  [
    'ignores offset and has rows without ids',
    () => ({ rows: range(1, 25).map((name) => ({ name })), offset: 'ignored' }),
  ],
  [
    'pages by offset and has rows without ids',
    () => ({ rows: range(1, 25).map((name) => ({ name })), offset: 'followed' }),
  ],
  [
    'pages by offset and repeats ids',
    () => ({ rows: createRows([1, 1, 2, 3, 3, 2, 4, 4]), offset: 'followed', cap: 3 }),
  ],
  ['has string ids', () => ({ rows: createRows([...'qwertyuiopasdfghjklzxcvbn']), fromId: 'all' })],
  ['has rows without ids', () => ({ rows: range(1, 25).map((name) => ({ name })) })],
  ['caps the limit', () => ({ rows: createRows(range(1, 25)), fromId: 'above', cap: 10 })],
  [
    'caps the limit, newest first',
    () => ({ rows: createRows(range(1, 25).reverse()), fromId: 'above', cap: 10 }),
  ],
  [
    'caps the limit below the place where its order breaks',
    () => ({ rows: createRows([...range(1, 19), 25, ...range(20, 24)]), fromId: 'above', cap: 10 }),
  ],
  ['begins at negative ids', () => ({ rows: createRows(range(-3, 9)), fromId: 'above' })],
  ['ends at negative ids', () => ({ rows: createRows(range(-3, 9).reverse()), fromId: 'below' })],
  [
    'has negative ids among others',
    () => ({ rows: createRows([3, 4, -1, 5, 6, -2, 7]), fromId: 'above', cap: 4 }),
  ],
  ['repeats ids', () => ({ rows: createRows([1, 1, 2, 3, 3, 3, ...range(4, 20), 20]), fromId: 'above' })],
  [
    'repeats ids and is sorted by name',
    () => ({ rows: createRows([4, 5, 5, 4, 6, 7, 7, 1, 4, 1]), fromId: 'above' }),
  ],
  [
    'repeats ids and ignores limit',
    () => ({ rows: createRows([1, 1, 2, 3, 3, 4, 4]), fromId: 'above', limit: 'ignored' }),
  ],
  ['repeats ids and does not page', () => ({ rows: createRows([1, 2, 2, 3, 3, 3, 4]), limit: 'absent' })],
  ['is empty', () => ({ rows: [], fromId: 'above' })],
  ['has one row', () => ({ rows: createRows([7]), fromId: 'above' })],
];

describe.each([true, false])('a walk over a list that offers count: %s', (count) => {
  describe.each(KINDS)('and %s', (_kind, behaviour) => {
    test.each(SIZES)('returns every row exactly once in pages of %i', async (first) => {
      const shared = createMemory();
      for (const memory of [undefined, shared, shared]) {
        const simulated = simulateList({ ...behaviour(), count });
        const { rows, faults } = await readAllPages(simulated, { first, ...(memory ? { memory } : {}) });
        expect(faults).toEqual([]);
        expect(sorted(rows)).toEqual(sorted(simulated.rows));
      }
    });
  });
});

const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();

/** Orders that begin as if they ascended, and break somewhere. */
function almostAscending(length: number, random: (below: number) => number): number[] {
  const ids = range(1, length);
  for (let moves = random(4); moves >= 0; moves--) {
    const [moved = 0] = ids.splice(random(ids.length), 1);
    ids.splice(Math.floor(ids.length / 2) + random(ids.length / 2 + 1), 0, moved);
  }
  return ids;
}

describe('a walk over a list in random order', () => {
  test.each([
    ['with count', true],
    ['without count', false],
  ])('returns every row exactly once, %s', async (_name, count) => {
    const random = createRandom(count ? 11 : 12);
    const lost: string[] = [];
    for (let round = 0; round < 600; round++) {
      const length = 1 + random(40);
      const ids = round % 2 === 0 ? shuffled(range(1, length), random) : almostAscending(length, random);
      if (round % 3 === 0) ids.reverse();
      const repeating = ids.map((id) => (round % 5 === 0 && random(4) === 0 ? 1 + random(length) : id));
      const fromId = (['above', 'below', 'all'] as const)[random(3)] ?? 'above';
      const bound = 1 + random(length + 3);
      // Without count a list just as long as the cap cannot be told from one that the server cuts off there.
      const cap = random(3) === 0 ? { cap: bound === length && !count ? length + 1 : bound } : {};
      const simulated = simulateList({ rows: createRows(repeating), fromId, count, ...cap });
      const first = 1 + random(length + 2);
      const memory = random(2) === 0 ? { memory: createMemory() } : {};
      const { rows, faults } = await readAllPages(simulated, { first, ...memory });
      if (faults.length > 0 || sorted(rows).join() !== sorted(simulated.rows).join())
        lost.push(
          `${fromId} in pages of ${first}, cap ${cap.cap}: ${repeating} gave ${rows.map(({ id }) => id)}; ${faults}`,
        );
    }
    expect(lost.slice(0, 5)).toEqual([]);
  });
});
