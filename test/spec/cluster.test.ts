import { describe, expect, it } from 'vitest';
import { startServer } from '../../src/server/server.ts';
import { startPair } from '../helpers/facade.ts';
import { send } from '../helpers/sandbox-requests.ts';

describe('the maintenance lock', () => {
  const set = (input: string) =>
    `mutation { clusterSetMaintenance(input: { ${input} }) { cluster { maintenanceLock maintenanceLockReason } userErrors { message } } }`;

  it('is set with its reason', async () => {
    await using pair = await startPair();
    const { data } = await pair.ask(set('lock: true, reason: "moving"'));
    const cluster = { maintenanceLock: true, maintenanceLockReason: 'moving' };
    expect(data).toEqual({ clusterSetMaintenance: { cluster, userErrors: [] } });
    const { envelope } = await send(pair.sandbox, '/v7.0/cluster');
    expect(envelope['response']?.['cluster']).toEqual({
      maintenance_lock: true,
      maintenance_lock_reason: 'moving',
    });
  });

  it('is set again with another reason', async () => {
    await using pair = await startPair();
    await pair.ask(set('lock: true, reason: "moving"'));
    await pair.ask(set('lock: true, reason: "burning"'));
    const { data } = await pair.ask('{ cluster { maintenanceLock maintenanceLockReason } }');
    expect(data).toEqual({ cluster: { maintenanceLock: true, maintenanceLockReason: 'burning' } });
  });

  it('is lifted with lock false', async () => {
    await using pair = await startPair();
    await pair.ask(set('lock: true, reason: "moving"'));
    await pair.ask(set('lock: false'));
    expect(pair.calls.findLast(({ method }) => method === 'POST')?.body).toEqual({
      cluster: { lock: false },
    });
    const { envelope } = await send(pair.sandbox, '/v7.0/cluster');
    expect(envelope['response']?.['cluster']).toMatchObject({ maintenance_lock: false });
  });

  it('needs a caller who is signed in', async () => {
    await using pair = await startPair();
    const { errors } = await pair.ask(set('lock: true'), { as: null });
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
  it('lists the counts of objects that the server holds', async () => {
    await using pair = await startPair();
    const { data } = await pair.ask<{ it: { object: string; count: number }[] }>(
      '{ it: debugListObjectCounts { object count } }',
    );
    expect(pair.calls).toMatchObject([{ method: 'GET', path: '/v7.0/debugs/list_object_counts', query: '' }]);
    expect(data?.it).toContainEqual({ object: 'users', count: 20 });
    expect((await send(pair.sandbox, '/v7.0/debugs/list_object_counts', null)).status).toBe(401);
  });

  it('tells at most ten of the largest arrays and hashes', async () => {
    await using pair = await startPair();
    type Top = readonly { readonly size: number }[];
    const { data } = await pair.ask<{ arrays: Top; hashes: Top; more: Top }>(
      '{ arrays: debugArrayTop { size } hashes: debugHashTop { size } more: debugArrayTop(limit: 12) { size } }',
    );
    expect([data?.arrays.length, data?.more.length]).toEqual([10, 12]);
    expect(data?.hashes.length).toBeLessThanOrEqual(10);
    const sizes = data?.arrays.map(({ size }) => size) ?? [];
    expect(sizes).toEqual([...sizes].sort((one, other) => other - one));
  });

  it('refuses a wrong passphrase', async () => {
    await using pair = await startPair();
    const { data } = await pair.ask<{ it: { userErrors: { message: string }[] } }>(
      'mutation { it: apiServerUnlockTransactionSigningKey(input: { passphrase: "guess" }) { userErrors { message } } }',
    );
    expect(data?.it.userErrors).toEqual([{ message: 'unable to unlock the key: wrong passphrase' }]);
    expect(pair.calls.at(-1)).toMatchObject({ method: 'GET', query: 'api_server%5Bpassphrase%5D=guess' });
  });
});

describe('lists', () => {
  it('go on after an id, and are as long as they are asked to be', async () => {
    await using pair = await startPair();
    type Page = {
      readonly it: { readonly nodes: { databaseId: number }[]; readonly pageInfo: { endCursor: string } };
    };
    const page = (after = '') =>
      pair.ask<Page>(`{ it: components(first: 2${after}) { nodes { databaseId } pageInfo { endCursor } } }`);
    const first = await page();
    const second = await page(`, after: "${first.data?.it.pageInfo.endCursor}"`);
    expect([first, second].map(({ data }) => data?.it.nodes.map(({ databaseId }) => databaseId))).toEqual([
      [1, 2],
      [3, 4],
    ]);
    const sent = pair.calls.map(({ query }) => new URLSearchParams(query));
    expect(sent.map((query) => query.get('component[from_id]'))).toEqual([null, '2']);
    expect(sent.map((query) => query.get('component[limit]'))).toEqual(['3', '3']);
  });

  it.each(['from_id', 'limit'])('refuse a negative %s', async (name) => {
    await using pair = await startPair();
    const { errors } = await pair.ask('{ components(first: -1) { nodes { id } } }');
    expect([errors.length, pair.calls.length]).toEqual([1, 0]);
    const { envelope } = await send(pair.sandbox, `/v7.0/components?component[${name}]=-1`);
    expect(envelope).toMatchObject({
      status: false,
      errors: { [name]: [expect.stringMatching(/^has to be (minimally 0|in range <0, 1000>)$/)] },
    });
  });

  it.each([
    [
      'an order',
      'actionStates(filter: { order: RANDOM })',
      'action_states?action_state[order]=random',
      'order',
    ],
    ['a role', 'datasets(filter: { role: TAPE })', 'datasets?dataset[role]=tape', 'role'],
  ])('refuse %s that is no choice', async (_name, field, target, parameter) => {
    await using pair = await startPair();
    const { errors } = await pair.ask(`{ ${field} { nodes { id } } }`);
    expect([errors.length, pair.calls.length]).toEqual([1, 0]);
    const { envelope } = await send(pair.sandbox, `/v7.0/${target}`);
    expect(envelope).toMatchObject({
      status: false,
      errors: { [parameter]: [expect.stringMatching(/^\w+ cannot be used$/)] },
    });
  });

  it('of property history hold 25 rows unless more are asked for', async () => {
    await using pair = await startPair();
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

describe('dynamic update', () => {
  it('sets a record to the address of the caller, who needs no credential', async () => {
    await using pair = await startPair({ sandbox: { step: 0 } });
    const made = await pair.ask<{ it: { dnsRecord: { databaseId: number; dynamicUpdateUrl: string } } }>(
      'mutation { it: dnsRecordCreate(input: { dnsZone: 1, name: "home", type: A, content: "192.0.2.1", dynamicUpdateEnabled: true }) { dnsRecord { databaseId dynamicUpdateUrl } } }',
    );
    const { databaseId, dynamicUpdateUrl } = made.data?.it.dnsRecord ?? {
      databaseId: 0,
      dynamicUpdateUrl: '',
    };
    const token = dynamicUpdateUrl.split('/').at(-1) ?? '';
    await using server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
    const query = `mutation { dnsRecordDynamicUpdate(accessToken: "${token}") { dnsRecord { content } userErrors { message } } }`;
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.7' },
      body: JSON.stringify({ query }),
    });
    expect(await response.json()).toMatchObject({
      data: { dnsRecordDynamicUpdate: { dnsRecord: { content: '198.51.100.7' }, userErrors: [] } },
    });
    expect(pair.calls.at(-1)).toMatchObject({
      method: 'GET',
      path: `/v7.0/dns_records/dynamic_update/${token}`,
    });
    const { envelope } = await send(pair.sandbox, `/v7.0/dns_records/${databaseId}`);
    expect(envelope['response']?.['dns_record']).toMatchObject({ content: '198.51.100.7' });
  });
});
