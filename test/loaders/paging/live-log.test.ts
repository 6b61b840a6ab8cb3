// Tests walks over the live log of the sandbox, which grows while clients read it.
import { describe, expect, test } from 'vitest';
import { listenSandbox } from '../../../packages/sandbox/src/listen-sandbox.ts';
import { type Pair, startPair } from '../../helpers/facade.ts';
import { readIds } from '../../helpers/sandbox-requests.ts';

const QUERY = `query ($first: Int, $after: String) {
  dataset(id: 1) {
    propertyHistories(first: $first, after: $after) { nodes { databaseId } pageInfo { hasNextPage endCursor } }
  }
}`;

interface Page {
  readonly dataset: {
    readonly propertyHistories: {
      readonly nodes: readonly { readonly databaseId: number }[];
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    };
  };
}

/** Walks the log to its end. */
async function walk(pair: Pair, first: number) {
  const served: number[] = [];
  const warnings: unknown[] = [];
  for (let pages = 1, after: string | null = null; ; pages += 1) {
    const answer: Awaited<ReturnType<typeof pair.ask<Page>>> = await pair.ask<Page>(QUERY, {
      variables: { first, after },
    });
    expect(answer.errors).toEqual([]);
    warnings.push(...((answer.extensions['warnings'] as unknown[] | undefined) ?? []));
    const list = answer.data?.dataset.propertyHistories;
    served.push(...(list?.nodes ?? []).map(({ databaseId }) => databaseId));
    if (list?.pageInfo.hasNextPage !== true) {
      const calls = pair.calls.filter(({ scope }) => scope === 'dataset.property_history#index').length;
      return { served, warnings, pages, calls };
    }
    after = list.pageInfo.endCursor;
  }
}

/** The ids of the log in its order, before anybody adds a row. */
async function readLog(): Promise<readonly number[]> {
  await using sandbox = await listenSandbox({ liveLog: 1000 });
  const found = new Set<number>();
  for (let from = 1_000_000; ; ) {
    const query = `property_history[limit]=1000&property_history[from_id]=${from}`;
    const page = await readIds(sandbox, `/v7.0/datasets/1/property_history?${query}`);
    for (const id of page) found.add(id);
    if (page.length < 1000) return [...found];
    // A tie may be cut, so its rows are read once more.
    from = Math.min(...page) + 5;
  }
}

const log = await readLog();

describe('a walk over a log that grows', () => {
  test.each([
    [30, 1],
    [100, 1],
    [100, 10],
    [1000, 1],
    [1000, 3],
  ])(
    'returns each row once in pages of %i while the log gains a row after every %i lists',
    { timeout: 60_000 },
    async (first, every) => {
      await using pair = await startPair({ sandbox: { liveLog: every } });
      const { served, warnings, pages, calls } = await walk(pair, first);
      expect(log).toHaveLength(2200);
      // Rows that are added before the second page may be part of the walk.
      expect(served.filter((id) => log.includes(id))).toEqual(log);
      expect(warnings).toEqual([]);
      expect(pages).toBe(Math.ceil(served.length / first));
      expect(calls).toBeLessThanOrEqual(pages + 4);
    },
  );

  test('warns on its last page only that it is unverified if the list is not counted', async () => {
    await using pair = await startPair({ sandbox: { liveLog: 3, offerCount: false } });
    const { served, warnings } = await walk(pair, 100);
    expect(served).toEqual(log);
    expect(warnings).toEqual([
      {
        code: 'PAGINATION_UNVERIFIED',
        coordinate: 'Dataset.propertyHistories',
        count: 1,
        details: { served: 2200, total: null },
      },
    ]);
  });
});
