// Tests the maintenance lock, statistics, search and debugging of the cluster, and what all lists have in common.
import { describe, expect, it } from 'vitest';
import {
  readObject as held,
  readIds as ids,
  type Json,
  readList as rows,
  send,
} from '../helpers/sandbox-requests.ts';
import { renewPair } from '../helpers/shared-pair.ts';

const pair = renewPair();

describe('the maintenance lock', () => {
  const set = (input: string) =>
    `mutation { clusterSetMaintenance(input: { ${input} }) { cluster { maintenanceLock maintenanceLockReason } userErrors { message } } }`;

  it('[maintenance/set] the maintenance lock is set with its reason', async () => {
    const { data } = await pair.ask(set('lock: true, reason: "moving"'));
    const cluster = { maintenanceLock: true, maintenanceLockReason: 'moving' };
    expect(data).toEqual({ clusterSetMaintenance: { cluster, userErrors: [] } });
    const { envelope } = await send(pair.sandbox, '/v7.0/cluster');
    expect(envelope['response']?.['cluster']).toEqual({
      maintenance_lock: true,
      maintenance_lock_reason: 'moving',
    });
  });

  it('[maintenance/again] the maintenance lock is set again with another reason', async () => {
    await pair.ask(set('lock: true, reason: "moving"'));
    await pair.ask(set('lock: true, reason: "burning"'));
    const { data } = await pair.ask('{ cluster { maintenanceLock maintenanceLockReason } }');
    expect(data).toEqual({ cluster: { maintenanceLock: true, maintenanceLockReason: 'burning' } });
  });

  it('[maintenance/lifted] the maintenance lock is lifted by lock false', async () => {
    await pair.ask(set('lock: true, reason: "moving"'));
    await pair.ask(set('lock: false'));
    expect(pair.calls.findLast(({ method }) => method === 'POST')?.body).toEqual({
      cluster: { lock: false },
    });
    const { envelope } = await send(pair.sandbox, '/v7.0/cluster');
    expect(envelope['response']?.['cluster']).toMatchObject({ maintenance_lock: false });
  });

  it('[maintenance/auth] the maintenance lock refuses anonymous callers', async () => {
    const { errors } = await pair.ask(set('lock: true'), { login: null });
    expect(errors).not.toEqual([]);
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: '{"cluster":{"lock":true}}' };
    expect((await send(pair.sandbox, '/v7.0/cluster/set_maintenance', null, init)).status).toBe(401);
    expect((await pair.ask('{ cluster { maintenanceLock } }')).data).toEqual({
      cluster: { maintenanceLock: false },
    });
  });
});

describe('the cluster', () => {
  it('[cluster/counts] the full statistics count each VPS and user in one state', async () => {
    const counts = await held(pair.sandbox, '/v7.0/cluster/full_stats');
    const of = (...names: string[]) => names.reduce((sum, name) => sum + Number(counts?.[name]), 0);
    const vpses = await rows(pair.sandbox, '/v7.0/vpses');
    const users = await rows(pair.sandbox, '/v7.0/users');
    const are = (all: readonly Json[], state: string) =>
      all.filter((one) => String(one['object_state']) === state).length;
    expect(of('vps_count')).toBe(vpses.length);
    expect(of('vps_running', 'vps_stopped')).toBe(are(vpses, 'active'));
    expect(of('vps_running')).toBe(vpses.filter((vps) => String(vps['is_running']) === 'true').length);
    expect([of('vps_suspended'), of('vps_deleted')]).toEqual([
      are(vpses, 'suspended'),
      vpses.length - are(vpses, 'active') - are(vpses, 'suspended'),
    ]);
    expect(of('user_count')).toBe(users.length);
    expect([of('user_active'), of('user_suspended')]).toEqual([
      are(users, 'active'),
      are(users, 'suspended'),
    ]);
    expect(of('user_active', 'user_suspended', 'user_deleted')).toBe(users.length);
    expect([of('user_suspended') > 0, of('vps_suspended') > 0]).toEqual([true, true]);
  });

  it('[cluster/node-counts, cluster#public_stats/ipv4_left] the statistics count nodes and addresses, and tell all callers how many addresses are free', async () => {
    const { data } = await pair.ask<{ it: Json }>(
      '{ it: clusterFullStats { nodesOnline nodeCount ipv4Used ipv4Count } }',
    );
    // Neither addresses nor what nodes are online can be read elsewhere: these are the seed's.
    expect(data?.it).toEqual({ nodesOnline: 7, nodeCount: 8, ipv4Used: 187, ipv4Count: 512 });
    expect(await ids(pair.sandbox, '/v7.0/nodes')).toHaveLength(8);
    const left = await pair.ask('{ it: clusterPublicStats { ipv4Left userCount vpsCount } }', {
      login: null,
    });
    const [users, vpses] = [await ids(pair.sandbox, '/v7.0/users'), await ids(pair.sandbox, '/v7.0/vpses')];
    expect(left.data).toEqual({
      it: { ipv4Left: 512 - 187, userCount: users.length, vpsCount: vpses.length },
    });
  });

  it('[cluster#search/result] the search finds users and VPSes by id and name, and what they own', async () => {
    const find = async (value: string) =>
      (
        await pair.ask(
          `{ it: clusterSearchResults(value: "${value}") { resource id: databaseId attribute value } }`,
        )
      ).data;
    for (const [resource, id, attribute, value] of [
      ['user', 13, 'id', '13'],
      ['vps', 13, 'id', '13'],
      ['user', 2, 'full_name', 'Jan Uživatel'],
      ['vps', 1, 'hostname', 'media.example.test'],
      ['export', 1, 'path', '/export/cloud/home/alice/mail'],
      ['dns_zone', 4, 'name', 'zone4.example.test.'],
    ] as const) {
      const found = [{ resource, id, attribute, value }];
      expect(await find(value)).toEqual({ it: expect.arrayContaining(found) });
      if (attribute === 'id') continue;
      const column = (await held(pair.sandbox, `/v7.0/${resource === 'vps' ? 'vpse' : resource}s/${id}`))?.[
        attribute
      ];
      expect(column).toBe(value);
    }
    expect(await find('what nobody has')).toEqual({ it: [] });
  });

  it('[debug#list_object_counts] the debug resource lists how many objects the server has', async () => {
    const { data } = await pair.ask<{ it: { object: string; count: number }[] }>(
      '{ it: debugObjectCounts { object count } }',
    );
    expect(pair.calls).toMatchObject([{ method: 'GET', path: '/v7.0/debugs/list_object_counts', query: '' }]);
    for (const list of ['users', 'vpses', 'datasets', 'dns_records', 'cluster_resources'])
      expect(data?.it).toContainEqual({
        object: list,
        count: (await ids(pair.sandbox, `/v7.0/${list}`)).length,
      });
    expect((await send(pair.sandbox, '/v7.0/debugs/list_object_counts', null)).status).toBe(401);
  });

  it('[limit/debug, debug#array_top/limit] the debug resource lists the ten largest arrays and hashes by default', async () => {
    type Top = readonly { readonly size: number }[];
    const { data } = await pair.ask<{ arrays: Top; hashes: Top; more: Top }>(
      '{ arrays: debugArrayTops { size } hashes: debugHashTops { size } more: debugArrayTops(limit: 12) { size } }',
    );
    expect(data?.hashes.length).toBe(10);
    const counts = (await rows(pair.sandbox, '/v7.0/debugs/list_object_counts')).map(({ count }) =>
      Number(count),
    );
    const largest = counts.sort((one, other) => other - one).map((size) => ({ size }));
    expect(data?.arrays).toEqual(largest.slice(0, 10));
    expect(data?.hashes).toEqual(largest.slice(0, 10));
    expect(data?.more).toEqual(largest.slice(0, 12));
  });

  it('[api_server#unlock_transaction_signing_key/passphrase/wrong] the API server refuses a wrong passphrase', async () => {
    const { data } = await pair.ask<{ it: { userErrors: { message: string }[] } }>(
      'mutation { it: apiServerUnlockTransactionSigningKey(input: { passphrase: "guess" }) { userErrors { message } } }',
    );
    expect(data?.it.userErrors).toEqual([{ message: 'unable to unlock the key: wrong passphrase' }]);
    expect(pair.calls.at(-1)).toMatchObject({ method: 'GET', query: 'api_server%5Bpassphrase%5D=guess' });
  });
});

describe('lists', () => {
  it('[paging] a list continues after an id and has the requested length', async () => {
    // With a limit of its own, the API shows no more than four rows at once.
    await pair.renew({ clampedLimit: 4 });
    type Page = {
      readonly it: { readonly nodes: { databaseId: number }[]; readonly pageInfo: { endCursor: string } };
    };
    const page = (after = '') =>
      pair.ask<Page>(`{ it: components(first: 2${after}) { nodes { databaseId } pageInfo { endCursor } } }`);
    const first = await page();
    const second = await page(`, after: "${first.data?.it.pageInfo.endCursor}"`);
    const third = await page(`, after: "${second.data?.it.pageInfo.endCursor}"`);
    expect(
      [first, second, third].map(({ data }) => data?.it.nodes.map(({ databaseId }) => databaseId)),
    ).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    const sent = pair.calls.map(({ query }) => new URLSearchParams(query));
    expect(sent.map((query) => query.get('component[from_id]'))).toContain('4');
    expect(sent[0]?.get('component[limit]')).toBe('3');
  });

  for (const name of ['from_id', 'limit']) {
    it(`[limit/${name}] a list refuses a negative ${name}`, async () => {
      const { errors } = await pair.ask('{ components(first: -1) { nodes { id } } }');
      expect([errors.length, pair.calls.length]).toEqual([1, 0]);
      const { envelope } = await send(pair.sandbox, `/v7.0/components?component[${name}]=-1`);
      expect(envelope).toMatchObject({
        status: false,
        errors: { [name]: [expect.stringMatching(/^has to be (minimally 0|in range <0, 1000>)$/)] },
      });
    });
  }

  for (const [row, field, target, parameter] of [
    [
      'action_state#index/order/others',
      'actionStates(filter: { order: RANDOM })',
      'action_states?action_state[order]=random',
      'order',
    ],
    ['dataset#index/role/others', 'datasets(filter: { role: TAPE })', 'datasets?dataset[role]=tape', 'role'],
  ] as const) {
    it(`[${row}] a list refuses a value of ${parameter} that is not a choice`, async () => {
      const { errors } = await pair.ask(`{ ${field} { nodes { id } } }`);
      expect([errors.length, pair.calls.length]).toEqual([1, 0]);
      const { envelope } = await send(pair.sandbox, `/v7.0/${target}`);
      expect(envelope).toMatchObject({
        status: false,
        errors: { [parameter]: [expect.stringMatching(/^\w+ cannot be used$/)] },
      });
    });
  }

  it('[limit/property-history] a page of property history has 25 rows unless the request asks for more', async () => {
    const { envelope } = await send(pair.sandbox, '/v7.0/datasets/1/property_history');
    const rows = envelope['response']?.['property_histories'] as unknown as readonly unknown[];
    expect(rows).toHaveLength(25);
    const { data } = await pair.ask<{ it: { list: { nodes: object[] } } }>(
      '{ it: dataset(id: 1) { list: propertyHistories(first: 30) { nodes { id } } } }',
    );
    expect(data?.it.list.nodes).toHaveLength(30);
    expect(pair.calls.at(-1)?.query).toContain('%5Blimit%5D=31');
  });
});
