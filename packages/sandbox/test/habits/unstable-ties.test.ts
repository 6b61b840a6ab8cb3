// Tests lists that are sorted by time: logs, ties in any order, and times that do not follow ids.
import { describe, expect, test } from 'vitest';
import { readIds, readList } from '../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox, type Sandbox } from '../../src/listen-sandbox.ts';

const SESSIONS = '/v7.0/user_sessions?';
const REPORTS = '/v7.0/oom_reports?';
const ASSIGNMENTS = '/v7.0/ip_address_assignments?';

/** Reads the rows of a list, with the ids and the values by which they are sorted. */
async function readPlaces(sandbox: Sandbox, target: string, column = 'created_at') {
  const rows = await readList(sandbox, target);
  return rows.map((row) => ({ id: Number(row['id']), place: String(row[column]) }));
}

const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);
const placesOf = (rows: readonly { readonly place: string }[]) => rows.map(({ place }) => place);
const ascending = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);

/** Returns the numbers of rows that tie. */
function tieSizes(rows: readonly { readonly place: string }[]): ReadonlySet<number> {
  const sizes = new Map<string, number>();
  for (const place of placesOf(rows)) sizes.set(place, (sizes.get(place) ?? 0) + 1);
  return new Set(sizes.values());
}

describe('logs', () => {
  test('are sorted by time with equal times, and from_id follows the direction', async () => {
    await using sandbox = await listenSandbox({ logs: 700 });
    const sessions = await readPlaces(sandbox, SESSIONS);
    expect(sessions).toHaveLength(700);
    expect(placesOf(sessions)).toEqual(placesOf(sessions).toSorted().reverse());
    expect(tieSizes(sessions)).toEqual(new Set([7]));
    expect(await readIds(sandbox, `${SESSIONS}user_session[from_id]=101&user_session[limit]=3`)).toEqual([
      99, 100, 92,
    ]);

    const reports = await readPlaces(sandbox, REPORTS);
    expect(reports).toHaveLength(234);
    expect(placesOf(reports)).toEqual(placesOf(reports).toSorted());
    expect(tieSizes(reports).size).toBeGreaterThan(3);
    expect(await readIds(sandbox, `${REPORTS}oom_report[from_id]=101&oom_report[limit]=2`)).toEqual([
      102, 103,
    ]);

    const assignments = await readPlaces(sandbox, ASSIGNMENTS, 'from_date');
    expect(assignments).toHaveLength(234);
    expect(placesOf(assignments)).toEqual(placesOf(assignments).toSorted().reverse());
    expect(tieSizes(assignments)).toEqual(new Set([2]));
  });
});

describe('unstable ties', () => {
  /** Reads the first rows of a list without ties cut at their end. */
  async function readHead(sandbox: Sandbox, limit: number) {
    const ids = await readIds(sandbox, `${SESSIONS}user_session[limit]=${limit}`);
    return ids.slice(0, 14);
  }

  test('come in an order that depends on the limit', async () => {
    await using stable = await listenSandbox({ logs: 700 });
    await using unstable = await listenSandbox({ unstableTies: true });
    const limits = [20, 21, 40, 100, 1000];
    const distinct = async (sandbox: Sandbox) =>
      new Set(await Promise.all(limits.map(async (limit) => (await readHead(sandbox, limit)).join()))).size;
    expect(await distinct(stable)).toBe(1);
    expect(await distinct(unstable)).toBe(limits.length);
  });

  test('depend on the seed alone when the calls are the same', async () => {
    async function readAll(habitSeed: number) {
      await using sandbox = await listenSandbox({ unstableTies: true, habitSeed });
      const heads = [];
      for (let read = 0; read < 10; read += 1) heads.push(await readHead(sandbox, 20));
      return heads;
    }
    const first = await readAll(5);
    expect(await readAll(5)).toEqual(first);
    expect(await readAll(6)).not.toEqual(first);
  });

  test.each([
    [SESSIONS, 'user_session', 'created_at', -1, 'user_sessions'],
    ['/v7.0/dns_records?', 'dns_record', 'name', 1, 'dns_records'],
  ])('of %s leave each answer a part of a sorted list', async (path, name, column, direction, table) => {
    await using sandbox = await listenSandbox({ unstableTies: true });
    const all = sandbox.rows(table).map((row) => String(row[column]));
    const sorted = direction === 1 ? all.toSorted() : all.toSorted().reverse();
    for (const limit of [1, 2, 3, 5, 7, 17, 25, 100, 1000]) {
      const rows = await readPlaces(sandbox, `${path}${name}[limit]=${limit}`, column);
      expect(new Set(idsOf(rows)).size).toBe(Math.min(limit, all.length));
      expect(placesOf(rows)).toEqual(sorted.slice(0, limit));
    }
    const from = 60;
    const rest = await readPlaces(sandbox, `${path}${name}[from_id]=${from}`, column);
    const kept = sandbox.rows(table).filter(({ id }) => (direction === 1 ? id > from : id < from));
    expect(ascending(idsOf(rest))).toEqual(idsOf(kept));
  });
});

describe('shuffled times', () => {
  const byId = (sandbox: Sandbox, table: string, column: string) =>
    sandbox.rows(table).map((row) => String(row[column]));

  test.each([
    ['user_sessions', 'created_at'],
    ['oom_reports', 'created_at'],
    ['ip_address_assignments', 'from_date'],
  ])('do not follow the ids of %s, and tie as often as before', async (table, column) => {
    await using ordered = await listenSandbox({ logs: 700 });
    await using shuffled = await listenSandbox({ shuffledTimes: true });
    const times = byId(ordered, table, column);
    expect(times).toEqual(times.toSorted());
    expect(byId(shuffled, table, column)).not.toEqual(times);
    expect(byId(shuffled, table, column).toSorted()).toEqual(times);
  });
});
