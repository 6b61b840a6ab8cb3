import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Pair, startPair } from '../helpers/facade.ts';
import { readObject as held, readList as rows } from '../helpers/sandbox-requests.ts';
import { filters, filterTitle } from './filters.ts';

interface List {
  readonly nodes: readonly { readonly databaseId: number }[];
}

let pair: Pair;
beforeAll(async () => {
  pair = await startPair({ sandbox: { step: 'manual' } });
});
afterAll(() => pair[Symbol.asyncDispose]());

const known = new Map<string, Promise<unknown>>();
/** Nothing is written here, so what was read once stays true. */
function read(path: string): Promise<unknown> {
  const one = known.get(path) ?? held(pair.sandbox, path);
  known.set(path, one);
  return one;
}

test.each(filters.map((filter) => [filterTitle(filter), filter] as const))('%s', async (_title, filter) => {
  pair.calls.length = 0;
  const { data, errors } = await pair.ask<{ list?: List; dataset?: { list: List } }>(`{ ${filter.list} }`);
  expect(errors).toEqual([]);
  const call = pair.calls.find(({ path }) => path === filter.path);
  expect(decodeURIComponent(call?.query ?? '')).toContain(filter.sent);
  const served = (data?.list ?? data?.dataset?.list)?.nodes.map(({ databaseId }) => databaseId) ?? [];

  const [, namespace = ''] = /^(\w+)\[/.exec(filter.sent) ?? [];
  const whole = `${filter.path}?${namespace}[limit]=1000`;
  const kept = new Set((await rows(pair.sandbox, `${whole}&${encodeURI(filter.sent)}`)).map(({ id }) => id));
  expect(new Set(served)).toEqual(kept);
  const judged = { kept: 0, left: 0 };
  for (const row of await rows(pair.sandbox, whole)) {
    const wanted = await filter.keeps(row, read);
    if (wanted === undefined) continue;
    expect([row, kept.has(row['id'])]).toEqual([row, wanted]);
    judged[wanted ? 'kept' : 'left'] += 1;
  }
  expect(Math.min(judged.kept, judged.left)).toBeGreaterThan(0);
});
