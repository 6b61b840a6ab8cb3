// Tests that every list of the reference pages in both versions.
import { beforeAll, expect, test } from 'vitest';
import { admin, readIds, send } from '../helpers/sandbox-requests.ts';
import { sharePair } from '../helpers/shared-pair.ts';
import { ENDPOINTS, readRows } from './rows.ts';

/** A list of the reference, at a place where there is something to page through. */
interface List {
  /** For example `dataset.snapshot#index`. */
  readonly action: string;
  /** Below the version. */
  readonly path: string;
  /** Of its input. */
  readonly namespace: string;
}

/** The parents below which there is something to page through. */
const PARENTS: Readonly<Record<string, string>> = {
  'cluster_resource_package.item#index': '2',
  'dataset.plan#index': '43',
  'dataset.property_history#index': '12',
  'dataset.snapshot#index': '12',
  'dataset_expansion.history#index': '9',
};

/** Every list of the reference. */
const lists = readRows(/^`(\S+)` of version 7\.0 takes `from_id` and `limit`, each at least 0\.$/).map(
  ([, , action = '']): List => {
    const { template = '', namespace = '' } = ENDPOINTS.get(action) ?? {};
    const path = template.replace('/v7.0', '').replace(/\{\w+\}/, PARENTS[action] ?? '');
    return { action, path, namespace };
  },
);

const pair = sharePair({ sandbox: { step: 'manual' } });
beforeAll(async () => {
  // No dataset of the seed has two plans.
  for (const plan of [7, 9]) {
    const assign = `datasetPlanAssignmentCreate(dataset: 43, input: { environmentDatasetPlan: ${plan} })`;
    const { data } = await pair.ask(`mutation { it: ${assign} { userErrors { message } } }`);
    expect(data).toEqual({ it: { userErrors: [] } });
  }
});

/** Ids on a page of a list. */
function page({ path, namespace }: List, version: string, input: Readonly<Record<string, number>>) {
  const query = Object.entries(input).map(([name, value]) => `${namespace}[${name}]=${value}`);
  return readIds(pair.sandbox, `/v${version}${path}?${query.join('&')}`);
}

/** What a list's description and its validators say of its paging. */
async function provePaging({ path, namespace }: List, version: string, names: readonly string[]) {
  const target = `/v${version}${path}`;
  const options = await send(pair.sandbox, `${target}?method=GET`, admin(pair.sandbox), {
    method: 'OPTIONS',
  });
  const parameters = options.envelope['response']?.['input']?.['parameters'] ?? {};
  expect(['from_id', 'offset', 'limit'].filter((name) => name in parameters)).toEqual(names);
  for (const name of names) {
    const { envelope } = await send(pair.sandbox, `${target}?${namespace}[${name}]=-1`);
    expect(envelope).toMatchObject({ status: false, errors: { [name]: [expect.any(String)] } });
  }
}

for (const list of lists) {
  test(`[${list.action}/paging-7.0] ${list.action} of version 7.0 pages by from_id and limit`, async () => {
    const all = await page(list, '7.0', { limit: 1000 });
    expect(all.length).toBeGreaterThan(1);
    expect(await page(list, '7.0', { limit: all.length - 1 })).toEqual(all.slice(0, -1));
    const middle = all[Math.floor(all.length / 2)] ?? 0;
    expect([all.filter((id) => id > middle), all.filter((id) => id < middle)]).toContainEqual(
      await page(list, '7.0', { from_id: middle, limit: 1000 }),
    );
    await provePaging(list, '7.0', ['from_id', 'limit']);
  });
}

for (const list of lists) {
  test(`[${list.action}/paging-5.0] ${list.action} of version 5.0 pages by offset and limit`, async () => {
    const all = await page(list, '5.0', { limit: 1000 });
    expect(all.length).toBeGreaterThan(1);
    expect(await page(list, '5.0', { offset: 1, limit: 1 })).toEqual(all.slice(1, 2));
    expect(await page(list, '5.0', { offset: all.length - 1, limit: 9 })).toEqual(all.slice(-1));
    await provePaging(list, '5.0', ['offset', 'limit']);
  });
}
