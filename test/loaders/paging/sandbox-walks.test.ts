// Tests walks over lists of each action of the sandbox with the habits of real servers: each row comes once, or the walk says what it could not read.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TIME_COLUMNS } from '../../../packages/sandbox/src/habits/logs.ts';
import type { SandboxOptions } from '../../../packages/sandbox/src/listen-sandbox.ts';
import type { Facade } from '../../../src/facade/facade.ts';
import { ask, type OperationResult, type Pair, startFacade, startPair } from '../../helpers/facade.ts';
import { findLists, LARGEST_LIMIT, type Login, type SandboxList } from '../../helpers/sandbox-lists.ts';
import { createRandom } from '../../helpers/simulated-list.ts';

const SIZES = [1, 2, 3, 5, 7, 17, 25, 100, 1000];
/** Maximum number of pages of a walk, so that long lists are not walked by one. */
const MAX_PAGES = 5;
/** A shorter list is not cut. */
const SMALLEST_LIMIT = 20;
/** By so many rows a list can grow and shrink during the walks. */
const MOST_CHANGE = 20;

/** A sandbox, and who walks its lists. */
interface Case {
  readonly habits: SandboxOptions;
  readonly login: Login;
  /** How many facades serve the pages in turn. */
  readonly replicas: 1 | 3;
  /** Whether the walks select the total. */
  readonly count: boolean;
  /** Chooses page sizes. */
  readonly seed: number;
}

const anyCase: fc.Arbitrary<Case> = fc.record({
  habits: fc.record({
    unstableTies: fc.boolean(),
    shuffledTimes: fc.boolean(),
    changingRows: fc.boolean(),
    wideCount: fc.boolean(),
    clampedLimit: fc.constantFrom(null, null, 20, 25, 64, 100),
    liveLog: fc.constantFrom(null, null, 1, 3),
    offerCount: fc.boolean(),
    offerIncludes: fc.boolean(),
    habitSeed: fc.nat(1000),
  }),
  login: fc.constantFrom('admin', 'user'),
  replicas: fc.constantFrom(1, 3),
  count: fc.boolean(),
  seed: fc.nat(),
});

/**
 * Insertions and deletions cancel out in totals. Where responses are short and rows are far from the places of their ids, a walk may then
 * miss a row and does not know it.
 */
const cases = anyCase.filter(
  ({ habits: { changingRows, clampedLimit } }) => !changingRows || (clampedLimit ?? LARGEST_LIMIT) >= 50,
);

const known = new Map<string, Promise<readonly SandboxList[]>>();

/** The lists of a sandbox before anybody changes them. */
function listsOf({ habits: { liveLog = null }, login }: Case): Promise<readonly SandboxList[]> {
  const key = `${login} ${liveLog !== null}`;
  const lists =
    known.get(key) ?? findLists({ logs: 700, step: 'manual', liveLog: liveLog && 1_000_000 }, login);
  known.set(key, lists);
  return lists;
}

interface Connection {
  readonly totalCount?: number | null;
  readonly nodes: readonly { readonly databaseId: number }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

interface Data {
  readonly list?: Connection | null;
  readonly parent?: { readonly list?: Connection | null } | null;
}

/** What a client gets from a list. */
interface Walked {
  readonly ids: readonly number[];
  readonly totals: readonly (number | null)[];
  readonly errors: OperationResult['errors'];
  /** What is wrong with single pages. */
  readonly faults: readonly string[];
  /** Whether the walk reached the end of the list, with or without a warning, or a page without rows. */
  readonly end: 'sure' | 'doubtful' | 'failed';
}

/** Walks a list to its end, or to an error without rows. The facades serve the pages in turn. */
async function walk(
  facades: readonly [Facade, ...Facade[]],
  list: SandboxList,
  variables: { readonly first: number; readonly count: boolean },
  headers: Record<string, string>,
): Promise<Walked> {
  const ids: number[] = [];
  const totals: (number | null)[] = [];
  const errors: OperationResult['errors'][number][] = [];
  const faults: string[] = [];
  for (let [page, after]: [number, string | null] = [0, null]; ; page += 1) {
    const facade = facades[page % facades.length] ?? facades[0];
    const answer: OperationResult<Data> = await ask<Data>(facade, list.query, {
      variables: { ...variables, after },
      headers,
    });
    errors.push(...answer.errors);
    const found = answer.data?.list ?? answer.data?.parent?.list ?? null;
    if (found === null) return { ids, totals, errors, faults, end: 'failed' };
    const isUnverified = JSON.stringify(answer.extensions).includes('"PAGINATION_UNVERIFIED"');
    ids.push(...found.nodes.map(({ databaseId }) => databaseId));
    totals.push(found.totalCount ?? null);
    if (!found.pageInfo.hasNextPage)
      return { ids, totals, errors, faults, end: isUnverified ? 'doubtful' : 'sure' };
    if (isUnverified) faults.push(`page ${page + 1} is unverified and not the last one`);
    if (found.nodes.length !== variables.first)
      faults.push(`page ${page + 1} has ${found.nodes.length} rows`);
    if (ids.length > 2 * list.ids.length + 2 * MOST_CHANGE)
      return { ids, totals, errors, faults: [...faults, 'the walk has no end'], end: 'sure' };
    after = found.pageInfo.endCursor;
  }
}

/** Whether people choose such a number as a limit. A list that has as many rows and no count may be cut. */
const isLikelyLimit = (length: number): boolean =>
  length >= SMALLEST_LIMIT && (length % 10 === 0 || length % 25 === 0 || Math.log2(length) % 1 === 0);

/** Whether others change a list. */
const isChanging = (
  { namespace }: SandboxList,
  { habits: { changingRows = false, liveLog } }: Case,
): boolean => namespace in TIME_COLUMNS && (changingRows || typeof liveLog === 'number');

/** Whether all rows of a list cannot be read, or nothing that a page may cost proves that they are all. */
function mayDoubt(list: SandboxList, given: Case, first: number): boolean {
  const { clampedLimit, wideCount = false, shuffledTimes = false, offerCount = true } = given.habits;
  const { length } = list.ids;
  const longest = length + (isChanging(list, given) ? MOST_CHANGE : 0);
  if (longest >= (clampedLimit ?? Number.POSITIVE_INFINITY)) return true;
  if (longest >= Math.max(260, 10 * (first + 1)) - first - 65) return true;
  if (wideCount && given.login === 'user') return true;
  // A list in any order is read by one response.
  if (shuffledTimes && list.namespace in TIME_COLUMNS && longest >= LARGEST_LIMIT) return true;
  return !offerCount && (longest > length ? longest >= SMALLEST_LIMIT : isLikelyLimit(length));
}

/** Finds what is wrong with a walk. */
function judge(pair: Pair, list: SandboxList, given: Case, walked: Walked, first: number): readonly string[] {
  const { wideCount = false } = given.habits;
  const { ids, totals, errors, end } = walked;
  const changes = isChanging(list, given);
  const left = changes ? pair.sandbox.rows(list.namespace).map(({ id }) => id) : list.ids;
  const throughout = new Set(left.filter((id) => list.ids.includes(id)));
  const served = new Set(ids);
  const missing = [...throughout].filter((id) => !served.has(id));
  const strange = changes ? [] : ids.filter((id) => !list.ids.includes(id));
  const wrongTotals = totals.filter((total) => total !== null && total !== list.ids.length);
  const isTotalKnown = !changes && !(wideCount && given.login === 'user');
  const mayEndEarly = mayDoubt(list, given, first);
  const findings: Record<string, unknown> = {
    'rows that come twice': ids.filter((id, index) => ids.indexOf(id) < index),
    'rows of other lists': strange,
    'rows that are missing': end === 'sure' ? missing : [],
    'needless doubts': end === 'sure' || mayEndEarly ? [] : [end],
    'needless errors': mayEndEarly ? [] : errors,
    'wrong totals': isTotalKnown ? wrongTotals : [],
    'wrong pages': walked.faults,
  };
  return Object.entries(findings).flatMap(([name, values]) =>
    Array.isArray(values) && values.length > 0 ? [`${name}: ${JSON.stringify(values.slice(0, 20))}`] : [],
  );
}

/** Walks each list by one page size. Returns what is wrong, with the calls. */
async function walkAll(from: Case): Promise<readonly string[]> {
  const random = createRandom(from.seed);
  const lists = await listsOf(from);
  const given = { ...from, habits: { logs: 700, step: 'manual', ...from.habits } as const };
  await using pair = await startPair({ sandbox: given.habits });
  const others = await Promise.all(
    Array.from({ length: from.replicas - 1 }, () => startFacade(pair.sandbox)),
  );
  const faults: string[] = [];
  for (const list of lists) {
    const sizes = SIZES.filter((size) => list.ids.length / size <= MAX_PAGES);
    const first = sizes[random(sizes.length)] ?? LARGEST_LIMIT;
    const before = pair.calls.length;
    const variables = { first, count: from.count };
    const walked = await walk([pair.facade, ...others], list, variables, pair.headers(from.login));
    const findings = judge(pair, list, given, walked, first);
    if (findings.length === 0) continue;
    const calls = pair.calls.slice(before).map(({ path, query, status }) => `${status} ${path}?${query}`);
    faults.push(`${list.name} by ${first}: ${[...findings, ...calls.slice(0, 20)].join('\n  ')}`);
  }
  for (const facade of others) await facade.close();
  return faults;
}

const plain = { replicas: 1, count: true, seed: 1 } as const;
const unstable = { unstableTies: true, shuffledTimes: true };

describe('walks over the lists of the sandbox', { timeout: 240_000 }, () => {
  test.each<readonly [string, Case]>([
    [
      'others change the lists',
      { ...plain, habits: { ...unstable, changingRows: true }, login: 'user', replicas: 3 },
    ],
    ['a log grows', { ...plain, habits: { unstableTies: true, liveLog: 1 }, login: 'admin', count: false }],
    [
      'nothing is counted',
      { ...plain, habits: { ...unstable, offerCount: false }, login: 'admin', replicas: 3 },
    ],
    ['totals count hidden rows', { ...plain, habits: { ...unstable, wideCount: true }, login: 'user' }],
    [
      'a hidden limit cuts the lists',
      { ...plain, habits: { ...unstable, clampedLimit: 25 }, login: 'admin' },
    ],
  ])('give each row once, or a doubt that is right, when %s', async (_name, given) => {
    expect(await walkAll(given)).toEqual([]);
  });

  test('give each row once, or a doubt that is right, with any habits', async () => {
    const walks = fc.asyncProperty(cases, async (given) => {
      expect(await walkAll(given)).toEqual([]);
    });
    const seed = Number(process.env['SEED'] ?? 27);
    await fc.assert(walks, { seed, numRuns: Number(process.env['RUNS'] ?? 2), endOnFailure: true });
  });
});
