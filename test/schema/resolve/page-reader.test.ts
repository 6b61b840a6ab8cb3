// Tests what a page of a connection costs and contains.

import { describe, expect, it } from 'vitest';
import { startPair } from '../../helpers/facade.ts';
import { sharePair } from '../../helpers/shared-pair.ts';

const pair = sharePair();

describe('a walk', () => {
  it.each([
    ['datasets', true],
    ['dnsZones', true],
    ['exports', false],
    ['pools', true],
  ])('over %s warns only if the API cannot page it: %s', async (list, isEmulated) => {
    const query = `query ($after: String) { ${list}(first: 7, after: $after) { pageInfo { endCursor } } }`;
    type Page = Record<string, { pageInfo: { endCursor: string } }>;
    const first = await pair.ask<Page>(query);
    const after = first.data?.[list]?.pageInfo.endCursor;
    const second = await pair.ask(query, { variables: { after } });
    const warnings = JSON.stringify([first.extensions, second.extensions]);
    expect(warnings.includes('PAGINATION_EMULATED')).toBe(isEmulated);
  });

  it('warns on its last page that it is unverified if the list is not counted', async () => {
    await using pair = await startPair({ sandbox: { liveLog: 1000, offerCount: false } });
    const query = `query ($after: String) {
      dataset(id: 1) { propertyHistories(first: 1000, after: $after) { nodes { id } pageInfo { endCursor } } }
    }`;
    const warnings: unknown[] = [];
    let after: string | null = null;
    for (let page = 0; page < 3; page += 1) {
      const answer: Awaited<ReturnType<typeof pair.ask<Log>>> = await pair.ask<Log>(query, {
        variables: { after },
      });
      warnings.push(answer.extensions['warnings'] ?? null);
      after = answer.data?.dataset.propertyHistories.pageInfo.endCursor ?? null;
    }
    const [coordinate, details] = ['Dataset.propertyHistories', { served: 2200, total: null }];
    expect(warnings).toEqual([
      null,
      null,
      [{ code: 'PAGINATION_UNVERIFIED', coordinate, count: 1, details }],
    ]);
  });
});

interface Log {
  readonly dataset: {
    readonly propertyHistories: { readonly pageInfo: { readonly endCursor: string | null } };
  };
}

describe('a page', () => {
  it('sends a limit of one row more than requested, with a count where the response may be cut', async () => {
    await pair.ask(
      '{ datasets { nodes { id } } components(first: 2) { nodes { id } } users(first: 0) { nodes { id } } }',
    );
    expect(pair.calls.map(({ query }) => decodeURIComponent(query)).sort()).toEqual([
      'component[limit]=3',
      'dataset[limit]=26&_meta[count]=true',
      'user[limit]=1',
    ]);
  });

  it('requests the total only if it is selected', async () => {
    await pair.ask('{ datasets(first: 1) { nodes { id } } }');
    await pair.ask(
      'query ($no: Boolean = false) { datasets(first: 1) { totalCount @include(if: $no) nodes { id } } }',
    );
    const { data } = await pair.ask('{ datasets(first: 0) { totalCount } }');
    expect(data).toEqual({ datasets: { totalCount: 291 } });
    expect(pair.calls.map(({ query }) => query.includes('count'))).toEqual([false, false, true]);
  });

  it('warns if the total is not available', async () => {
    const { data, errors, extensions } = await pair.ask('{ pools(first: 1) { totalCount } }');
    expect(errors).toEqual([]);
    expect(data).toEqual({ pools: { totalCount: null } });
    expect(extensions['warnings']).toContainEqual({
      code: 'COUNT_UNAVAILABLE',
      coordinate: 'Query.pools',
      count: 1,
    });
  });

  it('has the total without a count of the API if it has the whole list', async () => {
    const { data, errors, extensions } = await pair.ask<{
      pools: { totalCount: number; nodes: readonly object[] };
    }>('{ pools { totalCount nodes { id } } }');
    expect(errors).toEqual([]);
    expect(data?.pools.nodes.length).toBeGreaterThan(1);
    expect(data?.pools.totalCount).toBe(data?.pools.nodes.length);
    expect(extensions).not.toHaveProperty('warnings');
  });

  it('filters by both forms of IDs, by enums and by other values', async () => {
    const query = 'query ($filter: DatasetFilter) { datasets(first: 3, filter: $filter) { nodes { id } } }';
    for (const user of ['user/2', '2']) {
      const { data, errors } = await pair.ask<{ datasets: { nodes: unknown[] } }>(query, {
        variables: { filter: { user, role: 'PRIMARY', toDepth: 2 } },
      });
      expect(errors).toEqual([]);
      expect(data?.datasets.nodes).toHaveLength(3);
    }
    expect(new Set(pair.calls.map((call) => decodeURIComponent(call.query)))).toEqual(
      new Set(['dataset[limit]=4&dataset[role]=primary&dataset[to_depth]=2&dataset[user]=2']),
    );
  });
});
