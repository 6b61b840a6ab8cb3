// Tests the differences of version 5.0.
import { expect, it } from 'vitest';
import { type Json, send } from '../helpers/sandbox-requests.ts';
import { renewPair } from '../helpers/shared-pair.ts';

const pair = renewPair({ facade: { version: '5.0' }, sandbox: { step: 0 } });

/** Names of the fields of a type, or of the parameters of an input. */
async function namesOf(type: string): Promise<readonly string[]> {
  const query = `{ __type(name: "${type}") { fields { name } inputFields { name } } }`;
  const { data } = await pair.ask<{ __type: Record<string, { name: string }[] | null> | null }>(query);
  return Object.values(data?.__type ?? {}).flatMap((names) => (names ?? []).map(({ name }) => name));
}
const described = async (target: string): Promise<Json> =>
  (await send(pair.sandbox, target, undefined, { method: 'OPTIONS' })).envelope['response'] as Json;

it('[5.0/paging, paging/5.0] a list of version 5.0 pages by offset', async () => {
  // With a limit of its own, the API does not show the list at once.
  await pair.renew({ step: 0, clampedLimit: 3 });
  type Page = { it: { nodes: { databaseId: number }[]; pageInfo: { endCursor: string } } };
  const page = (after: string) =>
    pair.ask<Page>(`{ it: components(first: 2${after}) { nodes { databaseId } pageInfo { endCursor } } }`);
  const first = await page('');
  pair.calls.length = 0;
  const second = await page(`, after: "${first.data?.it.pageInfo.endCursor}"`);
  expect(second.data?.it.nodes.map(({ databaseId }) => databaseId)).toEqual([3, 4]);
  const sent = pair.calls.map(({ path, query }) => [
    path,
    new URLSearchParams(query).get('component[offset]'),
  ]);
  expect(sent.at(-1)?.[0]).toBe('/v5.0/components');
  expect(sent.some(([, offset]) => offset !== null)).toBe(true);
  const { parameters } = (await described('/v5.0/components?method=GET'))['input'] ?? {};
  expect(Object.keys(parameters ?? {})).toEqual(['offset', 'limit']);
});

it('[5.0/token] a token of version 5.0 is requested without a scope', async () => {
  expect(await namesOf('TokenRequestInput')).not.toContain('scope');
  const request =
    'tokenRequest(input: { user: "user", password: "sandbox", lifetime: FIXED }) { token: result { token } }';
  expect((await pair.ask(`mutation { ${request} }`)).errors).toEqual([]);
  expect(pair.calls).toMatchObject([{ path: '/_auth/token/tokens', status: 200 }]);
});

it('[5.0/dataset-create] a new dataset of version 5.0 has a user namespace map, inherited by default', async () => {
  expect(await namesOf('DatasetCreateInput')).toEqual(
    expect.arrayContaining(['inheritUserNamespaceMap', 'userNamespaceMap']),
  );
  pair.calls.length = 0;
  const { data } = await pair.ask(
    'mutation { datasetCreate(input: { name: "mapped", dataset: 12, inheritUserNamespaceMap: false, userNamespaceMap: 2 }) { dataset { userNamespaceMap { databaseId } } userErrors { message } } }',
  );
  expect(data).toEqual({
    datasetCreate: { dataset: { userNamespaceMap: { databaseId: 2 } }, userErrors: [] },
  });
  expect(pair.calls.find(({ method }) => method === 'POST')).toMatchObject({
    path: '/v5.0/datasets',
    body: {
      dataset: { name: 'mapped', dataset: 12, inherit_user_namespace_map: false, user_namespace_map: 2 },
    },
  });
  const inherit = async (name: string, more: string) => {
    const create = `datasetCreate(input: { name: "${name}", dataset: 12${more} }) { dataset { parent { userNamespaceMap { databaseId } } userNamespaceMap { databaseId } } }`;
    const answer = await pair.ask<{ it: { dataset: Json } }>(`mutation { it: ${create} }`);
    return answer.data?.it.dataset;
  };
  expect(await inherit('heir', '')).toEqual({
    parent: { userNamespaceMap: { databaseId: 2 } },
    userNamespaceMap: { databaseId: 2 },
  });
  expect(await inherit('none', ', inheritUserNamespaceMap: false')).toMatchObject({ userNamespaceMap: null });
  const { input } = await described('/v5.0/datasets?method=POST');
  expect(input?.['parameters']?.['inherit_user_namespace_map']).toMatchObject({
    type: 'Boolean',
    default: true,
  });
});

it('[5.0/dataset-show] a dataset of version 5.0 has its user namespace map and no fields of later versions', async () => {
  const names = await namesOf('Dataset');
  for (const name of ['compressratio', 'refcompressratio', 'vps', 'datasetExpansion'])
    expect(names).not.toContain(name);
  expect(names).toContain('userNamespaceMap');
  const { envelope } = await send(pair.sandbox, '/v5.0/datasets/3');
  const held = Object.keys(envelope['response']?.['dataset'] ?? {});
  expect(held).toContain('user_namespace_map');
  expect(held).not.toEqual(expect.arrayContaining(['vps']));
});

it('[5.0/meta, meta/global/5.0] a request of version 5.0 takes the metadata no, count and includes', async () => {
  const { data } = await pair.ask<{ it: { totalCount: number } }>(
    '{ it: components(first: 2) { totalCount nodes { databaseId } } }',
  );
  const list = (query: string) => send(pair.sandbox, `/v5.0/datasets?dataset[limit]=1&_meta${query}`);
  const all = (await send(pair.sandbox, '/v5.0/components?_meta[count]=true')).envelope['response'];
  expect(all?.['_meta']).toEqual({ total_count: data?.it.totalCount });
  expect(pair.calls.some(({ query }) => query.includes('_meta%5Bcount%5D=true'))).toBe(true);
  expect((await list('[no]=true')).envelope['response']).not.toHaveProperty('_meta');
  const included = (await list('[includes]=user,parent__user')).envelope['response']?.[
    'datasets'
  ] as unknown as Json[];
  expect(included[0]?.['user']).toMatchObject({ login: expect.any(String), _meta: { resolved: true } });
});

it('[meta/object/5.0] an object of version 5.0 has its path parameters and says whether it is complete', async () => {
  const { envelope } = await send(pair.sandbox, '/v5.0/datasets/12/snapshots?snapshot[limit]=1');
  const snapshots = envelope['response']?.['snapshots'] as unknown as readonly Json[];
  expect(snapshots[0]?.['_meta']).toEqual({ path_params: [12, 245], resolved: true });
  const { data } = await pair.ask('{ dataset(id: 12) { snapshots(first: 1) { nodes { id } } } }');
  expect(data).toEqual({ dataset: { snapshots: { nodes: [{ id: 'dataset/12/snapshot/245' }] } } });
});
