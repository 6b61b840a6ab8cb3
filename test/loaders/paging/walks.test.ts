// Tests that paging through a list returns every row once.

import { describe, expect, it } from 'vitest';
import { type Pair, startPair } from '../../helpers/facade.ts';

interface Connection {
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly endCursor: string | null;
  };
}

/** Pages through a connection to its end. `field` selects the list with `$first` and `$after`. */
async function walk(pair: Pair, field: string, first: number, login: 'admin' | 'user' = 'admin') {
  const ids: string[] = [];
  const warnings = new Set<string>();
  let pages = 0;
  let after: string | null = null;
  for (;;) {
    const query = `query ($first: Int, $after: String) { ${field} }`;
    const answer: Awaited<ReturnType<typeof pair.ask<Record<string, unknown>>>> = await pair.ask(query, {
      variables: { first, after },
      login,
    });
    expect(answer.errors).toEqual([]);
    const connection = find(answer.data);
    expect(connection.pageInfo.hasPreviousPage).toBe(after !== null);
    for (const { id } of connection.nodes) ids.push(id);
    for (const { code } of (answer.extensions['warnings'] ?? []) as { code: string }[]) warnings.add(code);
    pages += 1;
    if (!connection.pageInfo.hasNextPage) return { ids, pages, warnings };
    expect(connection.nodes).toHaveLength(first);
    after = connection.pageInfo.endCursor;
  }
}

function find(value: unknown): Connection {
  const record = value as Record<string, unknown>;
  return 'pageInfo' in record ? (record as unknown as Connection) : find(Object.values(record)[0]);
}

const PAGE = 'nodes { id } pageInfo { hasNextPage hasPreviousPage endCursor }';

const lists: readonly [name: string, field: string, rows: number, emulated: boolean | null][] = [
  ['sorted by name, filtered by id', `datasets(first: $first, after: $after) { ${PAGE} }`, 291, true],
  [
    'newest first, filtered the other way',
    `dataset(id: 1) { propertyHistories(first: $first, after: $after) { ${PAGE} } }`,
    60,
    null,
  ],
  ['ignoring its limit', `dnsZones(first: $first, after: $after) { ${PAGE} }`, 60, true],
  ['descending', `exports(first: $first, after: $after) { ${PAGE} }`, 30, false],
  ['ascending', `dataset(id: 2) { snapshots(first: $first, after: $after) { ${PAGE} } }`, 150, false],
  ['without paging', `pools(first: $first, after: $after) { ${PAGE} }`, 12, true],
];

describe('paging through a connection', () => {
  for (const offerCount of [true, false]) {
    for (const [name, field, rows, emulated] of lists) {
      it(`returns every row once for a list ${name}, ${offerCount ? 'with' : 'without'} count`, async () => {
        await using pair = await startPair({ sandbox: { offerCount } });
        for (const first of [7, 50]) {
          const { ids, warnings, pages } = await walk(pair, field, first);
          expect(new Set(ids).size).toBe(ids.length);
          expect(ids).toHaveLength(rows);
          expect(pages).toBe(Math.ceil(rows / first));
          if (pages > 1 && emulated !== null) expect(warnings.has('PAGINATION_EMULATED')).toBe(emulated);
        }
      });
    }
  }

  it('returns only the rows that the caller may see', async () => {
    await using pair = await startPair();
    const { ids } = await walk(pair, `datasets(first: $first, after: $after) { ${PAGE} }`, 10, 'user');
    expect(new Set(ids).size).toBe(72);
    expect(ids).toHaveLength(72);
  });

  it('can continue in another process', async () => {
    await using one = await startPair();
    await using other = await startPair();
    const query = `query ($after: String) { datasets(first: 100, after: $after) { ${PAGE} } }`;
    const first = find((await one.ask(query)).data);
    const second = find((await other.ask(query, { variables: { after: first.pageInfo.endCursor } })).data);
    const third = find((await one.ask(query, { variables: { after: second.pageInfo.endCursor } })).data);
    const ids = [...first.nodes, ...second.nodes, ...third.nodes].map(({ id }) => id);
    expect(new Set(ids).size).toBe(291);
    expect(third.pageInfo.hasNextPage).toBe(false);
  });

  it('costs two calls if one response can have the whole list', async () => {
    await using pair = await startPair();
    const { pages } = await walk(
      pair,
      `dataset(id: 2) { snapshots(first: $first, after: $after) { ${PAGE} } }`,
      50,
    );
    expect(pair.calls.filter(({ scope }) => scope === 'dataset.snapshot#index')).toHaveLength(2);
    expect(pages).toBe(3);
  });
});

describe('a page', () => {
  it('sends a limit of one row more than requested, with a count where the response may be cut', async () => {
    await using pair = await startPair();
    await pair.ask(
      '{ datasets { nodes { id } } components(first: 2) { nodes { id } } users(first: 0) { nodes { id } } }',
    );
    expect(pair.calls.map(({ query }) => decodeURIComponent(query)).sort()).toEqual([
      'component[limit]=3',
      'dataset[limit]=26&_meta[count]=true',
      'user[limit]=1',
    ]);
  });

  it('of the maximum size has an exact hasNextPage', async () => {
    await using pair = await startPair();
    const { data, errors } = await pair.ask<{
      datasets: { nodes: unknown[]; pageInfo: unknown; totalCount: number };
    }>('{ datasets(first: 1000) { nodes { id } totalCount pageInfo { hasNextPage startCursor } } }');
    expect(errors).toEqual([]);
    expect(data?.datasets.nodes).toHaveLength(291);
    expect(data?.datasets.totalCount).toBe(291);
    expect(data?.datasets.pageInfo).toMatchObject({ hasNextPage: false, startCursor: expect.any(String) });
  });

  it('requests the total only if it is selected', async () => {
    await using pair = await startPair();
    await pair.ask('{ datasets(first: 1) { nodes { id } } }');
    await pair.ask(
      'query ($no: Boolean = false) { datasets(first: 1) { totalCount @include(if: $no) nodes { id } } }',
    );
    const { data } = await pair.ask('{ datasets(first: 0) { totalCount } }');
    expect(data).toEqual({ datasets: { totalCount: 291 } });
    expect(pair.calls.map(({ query }) => query.includes('count'))).toEqual([false, false, true]);
  });

  it('warns if the total is not available', async () => {
    await using pair = await startPair();
    const { data, errors, extensions } = await pair.ask('{ pools { totalCount } }');
    expect(errors).toEqual([]);
    expect(data).toEqual({ pools: { totalCount: null } });
    expect(extensions['warnings']).toEqual([
      { code: 'COUNT_UNAVAILABLE', coordinate: 'Query.pools', count: 1 },
    ]);
  });

  it('filters by both forms of IDs, by enums and by other values', async () => {
    await using pair = await startPair();
    const query = 'query ($filter: DatasetFilter) { datasets(first: 3, filter: $filter) { nodes { id } } }';
    for (const user of ['user/2', '2']) {
      const { data, errors } = await pair.ask<{ datasets: { nodes: unknown[] } }>(query, {
        variables: { filter: { user, role: 'PRIMARY', toDepth: 2 } },
      });
      expect(errors).toEqual([]);
      expect(data?.datasets.nodes).toHaveLength(3);
    }
    expect(new Set(pair.calls.map((call) => decodeURIComponent(call.query)))).toEqual(
      new Set(['dataset[limit]=4&dataset[user]=2&dataset[role]=primary&dataset[to_depth]=2']),
    );
  });
});
