// Tests that clients get what the README says they get: one operation for each of its points, over the sandbox.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import { ask, type Pair, startPair } from '../helpers/facade.ts';
import { overSse, overWebSocket } from '../helpers/streams.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

let pair: Pair;
let server: RunningServer;
beforeAll(async () => {
  // Actions finish soon, but not before their call is answered.
  pair = await startPair({ sandbox: { step: 20 } });
  server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await server.close();
  await pair[Symbol.asyncDispose]();
});

const asUser = <Data>(query: string, headers: Record<string, string> = {}) =>
  ask<Data>(pair.facade, query, { headers: { ...pair.headers('user'), ...headers } });

/** Calls of the API with a method while something is done. */
async function callsOf(method: string, work: () => Promise<unknown>): Promise<number> {
  pair.calls.length = 0;
  await work();
  return pair.calls.filter((call) => call.method === method).length;
}

const SNAPSHOT =
  'datasetSnapshotCreate(dataset: 12, wait: 20) { actionState { outcome } userErrors { code } }';
const FIELDS = '{ __schema { queryType { fields { name description } } } }';

interface Described {
  readonly __schema: {
    readonly queryType: {
      readonly fields: readonly { readonly name: string; readonly description: string }[];
    };
  };
}

async function describedFields(headers: Record<string, string>): Promise<ReadonlyMap<string, string>> {
  const { data } = await ask<Described>(pair.facade, FIELDS, { headers });
  return new Map(data?.__schema.queryType.fields.map(({ name, description }) => [name, description]));
}

/** A check for each point, by its title. */
const POINTS: Readonly<Record<string, () => Promise<void>>> = {
  async 'Typed edges'() {
    const labels = '{ datasets(first: 5) { nodes { user { id label } } } }';
    expect(await callsOf('GET', () => asUser(labels))).toBe(1);
    const others = '{ datasets(first: 5) { nodes { user { login } } } dataset(id: 12) { user { login } } }';
    expect((await asUser(others)).errors).toEqual([]);
    expect(pair.calls.filter(({ path }) => /users\/\d/.test(path)).length).toBeLessThanOrEqual(1);
  },

  async 'Readable global ids'() {
    const { data } = await asUser('{ a: dataset(id: 12) { id } b: dataset(id: "dataset/12") { id } }');
    expect(data).toEqual({ a: { id: 'dataset/12' }, b: { id: 'dataset/12' } });
  },

  async 'Exact paging'() {
    interface Page {
      readonly datasets: {
        readonly nodes: readonly { readonly id: string }[];
        readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean };
        readonly totalCount: number;
      };
    }
    const ids: string[] = [];
    for (let after = 'null', hasNext = true; hasNext; ) {
      const { data } = await asUser<Page>(
        `{ datasets(first: 7, after: ${after}) { nodes { id } pageInfo { endCursor hasNextPage } totalCount } }`,
      );
      const { nodes = [], pageInfo, totalCount } = data?.datasets ?? {};
      ids.push(...nodes.map(({ id }) => id));
      hasNext = pageInfo?.hasNextPage ?? false;
      after = JSON.stringify(pageInfo?.endCursor);
      if (!hasNext) expect(ids).toHaveLength(totalCount ?? 0);
    }
    expect(new Set(ids).size).toBe(ids.length);
  },

  async 'Checked writes'() {
    const refused = 'mutation { datasetCreate(input: { name: "" }) { userErrors { code path } } }';
    expect(
      await callsOf('POST', async () => {
        const { data } = await asUser<{ datasetCreate: { userErrors: readonly object[] } }>(refused);
        expect(data?.datasetCreate.userErrors).toContainEqual({
          code: expect.stringMatching(/^[A-Z_]+$/),
          path: ['input', 'name'],
        });
      }),
    ).toBe(0);
  },

  async 'Retries that are safe'() {
    const key = { 'Idempotency-Key': 'readme-claim' };
    const write = (): Promise<unknown> => asUser(`mutation { ${SNAPSHOT} }`, key);
    expect(
      await callsOf('POST', async () => {
        expect(await write()).toMatchObject({ errors: [] });
        expect(await write()).toMatchObject({ errors: [] });
      }),
    ).toBe(1);
  },

  async 'Running actions'() {
    const { data } = await asUser(`mutation { ${SNAPSHOT} }`);
    expect(data).toEqual({
      datasetSnapshotCreate: { actionState: { outcome: 'SUCCEEDED' }, userErrors: [] },
    });
    const { data: started } = await asUser<{
      datasetSnapshotCreate: { actionState: { id: string } };
    }>('mutation { datasetSnapshotCreate(dataset: 12, wait: 0) { actionState { id } } }');
    const id = started?.datasetSnapshotCreate.actionState.id;
    const query = `subscription { actionProgress(id: "${id}", minInterval: 0.1) { outcome } }`;
    for (const open of [overWebSocket, overSse]) {
      await using stream = open(server.url, query, pair.headers('user'));
      expect((await stream.rest()).at(-1)).toEqual({ actionProgress: { outcome: 'SUCCEEDED' } });
    }
  },

  async 'Live queries'() {
    const query = 'query @live(interval: 60) { dataset(id: 12) { snapshots { totalCount } } }';
    await using stream = overSse(server.url, query, pair.headers('user'));
    const countOf = async (): Promise<number> =>
      ((await stream.next()) as { dataset: { snapshots: { totalCount: number } } }).dataset.snapshots
        .totalCount;
    const before = await countOf();
    await asUser(`mutation { ${SNAPSHOT} }`);
    expect(await countOf()).toBe(before + 1);
  },

  async 'A schema for each caller'() {
    const [anonymous, user, admin] = await Promise.all(
      [{}, pair.headers('user'), pair.headers('admin')].map(describedFields),
    );
    expect([anonymous?.has('datasets'), user?.has('datasets')]).toEqual([false, true]);
    expect([user, admin].map((fields) => fields?.has('clusterResourcePackages'))).toEqual([false, true]);
    const czech = await describedFields({ ...pair.headers('user'), 'accept-language': 'cs' });
    expect(czech.get('datasets')).not.toBe(user?.get('datasets'));
  },

  async 'Visible cost'() {
    const { extensions } = await asUser('{ dataset(id: 12) { snapshots { nodes { name } } } }');
    expect(pair.calls.length).toBeGreaterThan(0);
    expect(extensions).toMatchObject({ upstream: { calls: pair.calls.length } });
  },
};

describe('what clients get', () => {
  it('is checked here, each point', () => {
    const titles = [...readme.matchAll(/^- \*\*(.+?)\.?\*\*/gm)].map(([, title]) => title);
    expect(titles).toEqual(Object.keys(POINTS));
  });

  it.each(Object.entries(POINTS))('%s', async (_title, check) => {
    pair.calls.length = 0;
    await check();
  });
});
