// Tests walks over generated lists with the habits of real databases: each row comes once, or the walk says what it could not read.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PaginationUnsupportedError } from '../../../src/loaders/errors.ts';
import type { JsonObject } from '../../../src/upstream/json.ts';
import { ask, type Behaviour, createRandom, range, simulateList } from '../../helpers/simulated-list.ts';

/** A list, and how it is walked. */
interface Case {
  readonly length: number;
  /** What the rows have as ids. */
  readonly ids: 'numbers' | 'also negative' | 'texts' | 'repeated' | 'none';
  readonly order: 'id' | 'time' | 'name';
  readonly isDescending: boolean;
  /** Number of rows with the same time or name. */
  readonly ties: number;
  /** Whether rows that tie come in another order in each response. */
  readonly isUnstable: boolean;
  /** Percentage of rows with the time of another row. */
  readonly shuffled: number;
  /** How `from_id` filters, or how else the list pages. */
  readonly paging: 'above' | 'below' | 'all' | 'offset' | 'ignored offset' | 'none';
  readonly limit: 'followed' | 'ignored' | 'absent';
  readonly cap: number | null;
  readonly limitDefault: number | null;
  readonly hiddenCap: number | null;
  readonly count: boolean;
  readonly countsMore: number;
  /** What others do after each call, or what the client does after each page: it deletes the rows of the page. */
  readonly changes: 'nothing' | 'inserts' | 'deletes' | 'both' | 'deletes by the client';
  readonly first: number;
  readonly seed: number;
}

const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });

const anyCase: fc.Arbitrary<Case> = fc.record({
  length: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 60, max: 300 })),
  ids: fc.constantFrom('numbers', 'numbers', 'numbers', 'also negative', 'texts', 'repeated', 'none'),
  order: fc.constantFrom('id', 'time', 'time', 'name'),
  isDescending: fc.boolean(),
  ties: fc.integer({ min: 1, max: 8 }),
  isUnstable: fc.boolean(),
  shuffled: fc.constantFrom(0, 0, 3, 30, 100),
  paging: fc.constantFrom('above', 'below', 'above', 'below', 'all', 'offset', 'ignored offset', 'none'),
  limit: fc.constantFrom('followed', 'followed', 'followed', 'followed', 'ignored', 'absent'),
  cap: rarely(fc.integer({ min: 4, max: 200 })),
  limitDefault: rarely(fc.integer({ min: 4, max: 30 })),
  hiddenCap: rarely(fc.constantFrom(25, 50, 100)),
  count: fc.boolean(),
  countsMore: fc.constantFrom(0, 0, 0, 1, 5),
  changes: fc.constantFrom('nothing', 'nothing', 'inserts', 'deletes', 'both', 'deletes by the client'),
  first: fc.oneof(fc.constantFrom(1, 2, 3, 5, 7, 17, 25, 100, 1000), fc.integer({ min: 1, max: 60 })),
  seed: fc.nat(),
});

/**
 * Insertions and deletions cancel out in totals. Where responses are short and rows are far from the places of their ids, a walk may then
 * miss a row and does not know it.
 */
const cases = anyCase
  .filter(
    ({ changes, cap, hiddenCap }) => changes !== 'both' || Math.min(cap ?? 1000, hiddenCap ?? 600) >= 50,
  )
  // A server that ignores the limit is taken to send all rows, not pages of a size of its own.
  .map((given) => (given.limit === 'ignored' ? { ...given, hiddenCap: null } : given))
  // Rows that ids do not distinguish are known by their places, which hold while nothing changes.
  .map((given) =>
    given.ids === 'numbers' ? given : { ...given, changes: 'nothing' as const, isUnstable: false },
  );

type Random = (below: number) => number;

/** Makes the rows of a case in the order of their ids, with times that follow the ids as far as the case says. */
function makeRows({ length, ids, ties, shuffled }: Case, random: Random): JsonObject[] {
  const times = range(1, length).map((id) => Math.floor(id / ties));
  for (let index = 0; index < length; index++) {
    if (random(100) >= shuffled) continue;
    const other = random(length);
    [times[index], times[other]] = [times[other] ?? 0, times[index] ?? 0];
  }
  const idOf = (index: number): JsonObject => {
    if (ids === 'none') return {};
    if (ids === 'texts') return { id: `row ${index}` };
    if (ids === 'repeated') return { id: 1 + random(length) };
    return { id: index + 1 - (ids === 'numbers' ? 0 : Math.floor(length / 4)) };
  };
  return times.map((time, index) => ({
    ...idOf(index),
    created: index + 1,
    time,
    name: (index * 7919) % (length / ties + 1),
  }));
}

/** Puts rows in order, those that tie as chance has it. */
function arrange({ order, isDescending, isUnstable }: Case, random: Random) {
  return (rows: readonly JsonObject[]): readonly JsonObject[] => {
    const chances = new Map(rows.map((row) => [row, isUnstable ? random(1000) : 0]));
    const [sign, column] = [isDescending ? -1 : 1, order === 'id' ? 'created' : order];
    return rows.toSorted(
      (a, b) =>
        sign * (Number(a[column]) - Number(b[column])) || (chances.get(a) ?? 0) - (chances.get(b) ?? 0),
    );
  };
}

/** Inserts a row with the latest time, or deletes one, as the case says. */
function change({ changes, shuffled, length }: Case, rows: JsonObject[], random: Random): void {
  const latest = rows.at(-1);
  if ((changes === 'inserts' || changes === 'both') && rows.length < length + 40 && random(6) === 0) {
    const time = shuffled > 0 ? random(rows.length + 1) : Number(latest?.['time'] ?? 0) + random(2);
    const [id, name] = [Number(latest?.['id'] ?? 0) + 1, random(rows.length + 1)];
    rows.push({ id, created: id, time, name });
  }
  // The newest row stays, so that no id is used twice.
  if ((changes === 'deletes' || changes === 'both') && random(6) === 0 && rows.length > 1)
    rows.splice(random(rows.length - 1), 1);
}

function simulate(given: Case) {
  const random = createRandom(given.seed);
  const rows = makeRows(given, random);
  const { paging, limit, cap, limitDefault, hiddenCap, count, countsMore } = given;
  const behaviour: Behaviour = {
    rows,
    ...pagingOf(paging),
    limit,
    ...(cap === null ? {} : { cap }),
    ...(limitDefault === null ? {} : { limitDefault }),
    ...(hiddenCap === null ? {} : { hiddenCap }),
    count,
    countsMore: count ? countsMore : 0,
    arrange: arrange(given, random),
    afterCall: () => change(given, rows, random),
  };
  return simulateList(behaviour);
}

function pagingOf(paging: Case['paging']): Partial<Behaviour> {
  if (paging === 'none') return {};
  if (paging === 'offset') return { offset: 'followed' };
  return paging === 'ignored offset' ? { offset: 'ignored' } : { fromId: paging };
}

/** The same cases in each run; `SEED` and `RUNS` explore others. */
const SEED = Number(process.env['SEED'] ?? 27);

/** Number of rows that a page may read to prove that its walk has reached the end. */
const allowanceOf = ({ first }: Case): number => Math.max(260, 10 * (first + 1)) - (first + 1) - 64;

/** Whether one call can return the whole list, so that no walk over it may fail or doubt. */
function isReadable(given: Case): boolean {
  const { cap, limitDefault, hiddenCap, length, changes, count, countsMore, ids, limit } = given;
  if (hiddenCap !== null || length >= allowanceOf(given)) return false;
  // With rows that only the total counts, a list looks like one that is cut where its length is a usual limit, or where ids cannot show more.
  const isPlain = changes === 'nothing' && ids === 'numbers' && limit === 'followed';
  if (count && countsMore > 0 && (!isPlain || isLikelyLimit(length))) return false;
  // Without a count, a row that is added looks like one that a hidden limit has cut, and a list as long as its cap like one that is cut there.
  if (!count && changes !== 'nothing') return false;
  if (cap === null || (limitDefault === null && count)) return true;
  return changes === 'nothing' && (limitDefault === null ? cap !== length : cap > length);
}

/** Whether a walk may doubt that the list ends: its total counts more rows, or nothing counts it and its length looks like a limit. */
const isDoubtful = ({ count, countsMore, length }: Case): boolean =>
  count ? countsMore > 0 : isLikelyLimit(length);

/** Whether people choose such a number as a limit. */
const isLikelyLimit = (length: number): boolean =>
  length >= 20 && (length % 10 === 0 || length % 25 === 0 || Math.log2(length) % 1 === 0);

async function walk(given: Case): Promise<void> {
  const list = simulate(given);
  const throughout = new Set(list.rows);
  const served: JsonObject[] = [];
  const deletesServed = given.changes === 'deletes by the client';
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof ask>> | null = await ask(list, {
      first: given.first,
      after,
    }).catch((error: unknown) => {
      if (error instanceof PaginationUnsupportedError && !isReadable(given)) return null;
      throw error;
    });
    if (page === null) return;
    served.push(...page.rows.map(({ row }) => row));
    if (deletesServed) {
      const left = list.rows.filter((row) => !served.includes(row));
      list.rows.splice(0, list.rows.length, ...left);
    }
    expect(page.rows.length).toBe(page.hasNextPage ? given.first : page.rows.length);
    expect(served.length).toBeLessThan(given.length + list.calls.length + 2);
    if (page.unverified !== null) {
      expect(page.hasNextPage).toBe(false);
      const isExact = isReadable(given) && !isDoubtful(given) && given.changes === 'nothing';
      expect(isExact ? page.unverified : null).toBeNull();
      expect(new Set(served).size).toBe(served.length);
      return;
    }
    if (!page.hasNextPage) break;
    after = page.rows.at(-1)?.cursor ?? null;
  }
  expect(new Set(served).size).toBe(served.length);
  const remaining = [...throughout].filter((row) => list.rows.includes(row));
  const missing = remaining.filter((row) => !served.includes(row));
  expect(missing.map(({ id }) => id)).toEqual([]);
}

describe('a walk over a generated list', () => {
  test('serves each row once, or says that it could not read all of them', async () => {
    await fc.assert(fc.asyncProperty(cases, walk), {
      seed: SEED,
      numRuns: Number(process.env['RUNS'] ?? 200),
    });
  }, 120_000);
});
