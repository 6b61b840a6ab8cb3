// Tests dynamic updates of DNS records, and the times of updates.
import { describe, expect, it } from 'vitest';
import { readObject as held, type Json, send } from '../helpers/sandbox-requests.ts';
import { renewPair } from '../helpers/shared-pair.ts';
import { post } from '../helpers/transports.ts';

const ERRORS = 'userErrors { code message path }';
const good = { errors: [], data: { it: { userErrors: [] } } };

const pair = renewPair({ sandbox: { step: 0 } });
const write = (mutation: string) => pair.ask<{ it: Json }>(`mutation { it: ${mutation} }`);

describe('dynamic updates', () => {
  it('[dns_record#dynamic_update, dns_record#dynamic_update/content] a dynamic update sets a record to the address of an anonymous caller', async () => {
    const made = await pair.ask<{ it: { dnsRecord: { databaseId: number; dynamicUpdateUrl: string } } }>(
      'mutation { it: dnsRecordCreate(input: { dnsZone: 1, name: "home", type: A, content: "192.0.2.1", dynamicUpdateEnabled: true }) { dnsRecord { databaseId dynamicUpdateUrl } } }',
    );
    const { databaseId, dynamicUpdateUrl } = made.data?.it.dnsRecord ?? {
      databaseId: 0,
      dynamicUpdateUrl: '',
    };
    const token = dynamicUpdateUrl.split('/').at(-1) ?? '';
    const query = `mutation { dnsRecordDynamicUpdate(accessToken: "${token}") { dnsRecord: result { content } userErrors { message } } }`;
    const response = await post(pair.url, { query }, { 'x-forwarded-for': '198.51.100.7' });
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

  it('[dns_record#dynamic_update/blocking] an anonymous caller can follow the action of its dynamic update', async () => {
    await pair.renew({ step: 'manual' });
    const input = '{ dnsZone: 1, name: "dyn", type: A, content: "192.0.2.1", dynamicUpdateEnabled: true }';
    const create = `dnsRecordCreate(input: ${input}) { made: dnsRecord { databaseId dynamicUpdateUrl } ${ERRORS} }`;
    const made = (await write(create)).data?.it['made'];
    pair.sandbox.advance(10);
    const accessToken = String(made?.['dynamicUpdateUrl']).split('/').at(-1);
    const update = `mutation { it: dnsRecordDynamicUpdate(accessToken: "${accessToken}") { actionState { id finished } } }`;
    const { data } = await pair.ask<{ it: { actionState: Json } }>(update, { login: null });
    expect(data?.it.actionState).toMatchObject({ finished: false });
    pair.sandbox.advance(10);
    const look = `{ it: actionState(id: "${data?.it.actionState['id']}") { finished status } }`;
    expect((await pair.ask(look, { login: null })).data).toEqual({ it: { finished: true, status: true } });
    expect(await held(pair.sandbox, `/v7.0/dns_records/${made?.['databaseId']}`)).toMatchObject({
      content: '127.0.0.1',
    });
  });

  it('[dns_record#dynamic_update/secret] turning dynamic updates off ends the secret, and turning them on makes another', async () => {
    const record = `dnsRecord { databaseId dynamicUpdateUrl }`;
    const input = '{ dnsZone: 1, name: "dyn", type: A, content: "192.0.2.1", dynamicUpdateEnabled: true }';
    const made = (await write(`dnsRecordCreate(input: ${input}) { made: ${record} }`)).data?.it['made'];
    const id = made?.['databaseId'];
    const turn = (on: boolean) =>
      write(`dnsRecordUpdate(id: ${id}, input: { dynamicUpdateEnabled: ${on} }) { ${ERRORS} }`);
    const isUpdatedBy = async (url: unknown) => {
      const target = new URL(String(url)).pathname;
      return (await send(pair.sandbox, target, null)).status === 200;
    };
    const url = async () => (await held(pair.sandbox, `/v7.0/dns_records/${id}`))?.['dynamic_update_url'];
    const first = made?.['dynamicUpdateUrl'];
    expect(await turn(false)).toMatchObject(good);
    expect([await url(), await isUpdatedBy(first)]).toEqual([null, false]);
    expect(await held(pair.sandbox, `/v7.0/dns_records/${id}`)).toMatchObject({ content: '192.0.2.1' });
    expect(await turn(true)).toMatchObject(good);
    expect([await isUpdatedBy(first), await isUpdatedBy(await url())]).toEqual([false, true]);
    expect(await held(pair.sandbox, `/v7.0/dns_records/${id}`)).toMatchObject({ content: '127.0.0.1' });
  });
});

for (const [resource, update, path] of [
  [
    'cluster_resource_package',
    'clusterResourcePackageUpdate(id: 2, input: { label: "xy" })',
    'cluster_resource_packages/2',
  ],
  ['dns_record', 'dnsRecordUpdate(id: 2, input: { ttl: 7 })', 'dns_records/2'],
] as const) {
  it(`[${resource}/updated_at] an update of ${resource} changes updated_at and keeps created_at`, async () => {
    const times = async () => {
      const { created_at, updated_at } = (await held(pair.sandbox, `/v7.0/${path}`)) ?? {};
      return { created_at, updated: Date.parse(String(updated_at)) };
    };
    const before = await times();
    const begun = Date.now();
    expect(await write(`${update} { ${ERRORS} }`)).toMatchObject(good);
    const after = await times();
    expect(after.created_at).toBe(before.created_at);
    expect(before.updated).toBeLessThan(begun - 1_000);
    // Told to the second.
    expect(after.updated).toBeGreaterThan(begun - 1_000);
  });
}
