// Tests walks over lists of the sandbox of each kind: each row comes once, or the walk says what it could not read.
import { expect, test } from 'vitest';
import { listenSandbox, type Sandbox } from '../../../packages/sandbox/src/listen-sandbox.ts';
import { ask, type OperationResult, startFacade } from '../../helpers/facade.ts';
import { admin, ordinaryUser, readIds } from '../../helpers/sandbox-requests.ts';
import { sharePair } from '../../helpers/shared-pair.ts';

/** Page sizes, each with the most rows of a list that is walked by it. */
const SIZES = [
  [2, 30],
  [7, 160],
  [100, 400],
  [1000, 5_000],
] as const;

/** Lists in the order of ids up and down, of names, and of times, with a filter, without a limit, and without paging. */
const ROOTS = [
  ['components', 'component', ''],
  ['datasets', 'dataset', ''],
  ['datasets', 'dataset', 'role: PRIMARY'],
  ['dnsRecords', 'dns_record', ''],
  ['dnsZones', 'dns_zone', ''],
  ['exports', 'export', ''],
  ['pools', 'pool', ''],
] as const;

interface SandboxList {
  readonly name: string;
  /** Reads a page as `list`, on the root or below `parent`. */
  readonly query: string;
  readonly ids: readonly number[];
}

const queryOf = (field: string, filter: string, open = '', close = ''): string =>
  `query ($first: Int, $after: String) { ${open} list: ${field}(first: $first, after: $after${filter}) {
    nodes { databaseId } pageInfo { hasNextPage endCursor }
  } ${close} }`;

/** The lists of a user, with the ids that the API answers without paging. */
async function listsOf(sandbox: Sandbox, login: 'admin' | 'user'): Promise<readonly SandboxList[]> {
  const user = login === 'admin' ? admin(sandbox) : ordinaryUser(sandbox);
  const lists: SandboxList[] = [];
  for (const [field, name, filter] of ROOTS) {
    const query = queryOf(field, filter && `, filter: { ${filter} }`);
    const role = filter === '' ? '' : '?dataset[role]=primary';
    lists.push({ name: field + filter, query, ids: await readIds(sandbox, `/v7.0/${name}s${role}`, user) });
  }
  for (const [field, table, id] of [
    ['snapshots', 'snapshots', login === 'admin' ? 2 : 12],
    ['propertyHistories', 'property_histories', login === 'admin' ? 1 : 12],
  ] as const) {
    const query = queryOf(field, '', `parent: dataset(id: ${id}) {`, '}');
    const rows = sandbox.rows(table).filter(({ dataset }) => dataset === id);
    lists.push({ name: field, query, ids: rows.map((row) => row.id) });
  }
  return lists;
}

interface Connection {
  readonly nodes: readonly { readonly databaseId: number }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

type Data = { readonly list?: Connection | null; readonly parent?: { readonly list?: Connection | null } };

const pair = sharePair({ sandbox: { step: 'manual' } });

test.each([
  ['an administrator has all rows', 'admin', {}, false],
  ['a user has some rows', 'user', {}, false],
  ['a log grows', 'admin', { liveLog: 1 }, false],
  ['nothing is counted', 'admin', { offerCount: false }, true],
  ['a hidden limit cuts the lists', 'admin', { clampedLimit: 40 }, true],
] as const)(
  'walks over the lists of the sandbox give each row once, or a doubt that is right, where %s',
  async (_where, login, habits, mayDoubt) => {
    // The log before it grows.
    await using plain = await listenSandbox({ liveLog: 'liveLog' in habits ? 1_000_000 : null });
    const lists = await listsOf(plain, login);
    await pair.renew({ step: 'manual', ...habits });
    // They serve the pages in turn.
    const facades = [pair.facade, await startFacade(pair.sandbox)];
    let proven = 0;
    for (const { name, query, ids } of lists) {
      const [first] = SIZES.find(([, longest]) => ids.length <= longest) ?? [1000];
      const served: number[] = [];
      let doubts = 0;
      for (let [page, after]: [number, string | null] = [0, null]; ; page += 1) {
        const facade = facades[page % facades.length] ?? pair.facade;
        const options = { variables: { first, after }, headers: pair.headers(login) };
        const answer: OperationResult<Data> = await ask<Data>(facade, query, options);
        const found: Connection | null = answer.data?.list ?? answer.data?.parent?.list ?? null;
        if (JSON.stringify(answer.extensions).includes('PAGINATION_UNVERIFIED')) doubts += 1;
        if (found === null) {
          expect(answer.errors).toMatchObject([{ extensions: { code: 'PAGINATION_UNSUPPORTED' } }]);
          doubts += 1;
          break;
        }
        served.push(...found.nodes.map(({ databaseId }) => databaseId));
        after = found.pageInfo.endCursor;
        if (!found.pageInfo.hasNextPage) break;
        expect([name, found.nodes.length, doubts]).toEqual([name, first, 0]);
      }
      expect([name, new Set(served).size]).toEqual([name, served.length]);
      expect([name, mayDoubt || doubts === 0]).toEqual([name, true]);
      if (doubts > 0) continue;
      proven += 1;
      expect([name, ids.filter((id) => !served.includes(id))]).toEqual([name, []]);
    }
    expect(proven).toBeGreaterThan(0);
    for (const facade of facades.slice(1)) await facade.close();
  },
);
