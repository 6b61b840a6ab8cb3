import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Pair, startPair } from '../helpers/facade.ts';
import { type Json, send } from '../helpers/sandbox-requests.ts';
import { filters, filterTitle } from './filters.ts';

interface Row {
  readonly id: number;
  readonly [name: string]: unknown;
}
interface List {
  readonly nodes: readonly { readonly databaseId: number }[];
}

let pair: Pair;
beforeAll(async () => {
  pair = await startPair({ sandbox: { step: 'manual' } });
});
afterAll(() => pair[Symbol.asyncDispose]());

/** Every row of a list, as the sandbox tells it. */
async function rowsAt(target: string): Promise<readonly Row[]> {
  const { envelope } = await send(pair.sandbox, target);
  const list = Object.entries(envelope['response'] ?? {}).find(([name]) => name !== '_meta')?.[1];
  return list as unknown as readonly Row[];
}

test.each(filters.map((filter) => [filterTitle(filter), filter] as const))('%s', async (_title, filter) => {
  pair.calls.length = 0;
  const { data, errors } = await pair.ask<{ list?: List; dataset?: { list: List } }>(`{ ${filter.list} }`);
  expect(errors).toEqual([]);
  const call = pair.calls.find(({ path }) => path === filter.path);
  expect(decodeURIComponent(call?.query ?? '')).toContain(filter.sent);
  const served = (data?.list ?? data?.dataset?.list)?.nodes.map(({ databaseId }) => databaseId) ?? [];
  const kept = await rowsAt(`${filter.path}?${encodeURI(filter.sent)}`);
  const all = await rowsAt(filter.path);
  expect(new Set(served)).toEqual(new Set(kept.map(({ id }) => id)));
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(all.length);
  const read = async (path: string): Promise<Json> => {
    const { envelope } = await send(pair.sandbox, path);
    return Object.values(envelope['response'] ?? {})[0] ?? ({} as Json);
  };
  for (const row of kept) expect([row, await filter.keeps(row, read)]).toEqual([row, true]);
});
