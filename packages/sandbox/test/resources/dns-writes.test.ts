// Tests how DNS records are created, updated, deleted and updated dynamically.

import { describe, expect, test, vi } from 'vitest';
import {
  admin,
  type Json,
  ordinaryUser,
  readFailure,
  readObject,
  readProgress,
  send,
  stateId,
  write,
} from '../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox, type Sandbox } from '../../src/listen-sandbox.ts';

const manual = () => listenSandbox({ step: 'manual' });
const instant = () => listenSandbox({ step: 0 });
const create = (sandbox: Sandbox, dns_record: unknown, user = ordinaryUser(sandbox)) =>
  write(sandbox, 'POST', '/v7.0/dns_records', user, { dns_record });
/** The ordinary user owns zone 4. Zone 5 has no owner. */
const HOST_RECORD = { dns_zone: 4, name: 'host', type: 'A', content: '192.0.2.1' };

async function createHost(sandbox: Sandbox, fields = {}): Promise<Json> {
  const { envelope } = await create(sandbox, { ...HOST_RECORD, ...fields });
  const record = envelope['response']?.['dns_record'];
  if (!record) throw new Error(`expected a record, got ${JSON.stringify(envelope)}`);
  return record;
}

describe('DNS records', () => {
  test('are readable at once after creation, with the defaults of the server', async () => {
    await using sandbox = await manual();
    const reply = await create(sandbox, HOST_RECORD);
    const record = reply.envelope['response']?.['dns_record'];
    expect(record).toMatchObject({
      name: 'host',
      type: 'A',
      content: '192.0.2.1',
      ttl: null,
      priority: null,
      enabled: true,
      dynamic_update_enabled: false,
      dynamic_update_url: null,
      managed: false,
    });
    expect(await readProgress(sandbox, stateId(reply), ordinaryUser(sandbox))).toBe('running 0/3');
    expect(await readObject(sandbox, `/v7.0/dns_records/${record?.['id']}`)).toMatchObject({ name: 'host' });
    const again = await create(sandbox, HOST_RECORD);
    expect(readFailure(again)).toEqual([409, false, 'record host A 192.0.2.1 already exists']);
  });

  test('are rejected for invalid input and for zones of other users', async () => {
    await using sandbox = await instant();
    const errors = async (fields: object) =>
      (await create(sandbox, { ...HOST_RECORD, ...fields })).envelope['errors'];
    expect(await errors({ type: 'X', content: ' ', comment: 'x'.repeat(256), ttl: 1.5 })).toEqual({
      type: ['X cannot be used'],
      content: ['must be present and non-empty'],
      comment: ['length has to be maximally 255'],
      ttl: ['not a valid integer: 1.5'],
    });
    expect(await errors({ content: 'nowhere' })).toEqual({ content: ['is not an IPv4 address'] });
    expect(await errors({ type: 'TXT', dynamic_update_enabled: true })).toEqual({
      dynamic_update_enabled: ['is only for A and AAAA records'],
    });
    expect(readFailure(await create(sandbox, { ...HOST_RECORD, dns_zone: 5 }))).toEqual([
      403,
      false,
      'Access denied: the zone is not yours',
    ]);
    const { envelope } = await send(sandbox, '/v7.0/dns_records');
    const records = envelope['response']?.['dns_records'] as unknown as readonly Json[];
    const managed = records.find((record) => record['managed'] as unknown);
    const reply = await write(sandbox, 'DELETE', `/v7.0/dns_records/${managed?.['id']}`);
    expect(readFailure(reply)).toEqual([200, false, 'managed records cannot be changed']);
  });

  test('are updated at once, and restored when the action fails', async () => {
    await using sandbox = await manual();
    const { id } = await createHost(sandbox, { ttl: 60, priority: 5 });
    sandbox.advance(3);
    const update = (dns_record: unknown) =>
      write(sandbox, 'PUT', `/v7.0/dns_records/${id}`, ordinaryUser(sandbox), { dns_record });
    sandbox.failNext('at-total');
    const reply = await update({ ttl: null, content: '192.0.2.2' });
    expect(reply.envelope['response']?.['dns_record']).toMatchObject({
      content: '192.0.2.2',
      ttl: null,
      priority: 5,
    });
    expect((await update({ ttl: 1 })).status).toBe(423);
    sandbox.advance(3);
    expect(await readObject(sandbox, `/v7.0/dns_records/${id}`)).toMatchObject({
      content: '192.0.2.1',
      ttl: 60,
    });
    await update({ ttl: null });
    sandbox.advance(3);
    expect(await readObject(sandbox, `/v7.0/dns_records/${id}`)).toMatchObject({ ttl: null, priority: 5 });
    expect(stateId(await update({ ttl: null }))).toBeNull();
    expect((await update({ comment: null })).envelope['errors']).toEqual({ comment: ['cannot be null'] });
  });
});

describe('a dynamic update', () => {
  const sendUpdate = (record: Json, headers: Record<string, string>, sandbox: Sandbox) =>
    send(sandbox, new URL(String(record['dynamic_update_url'])).pathname, null, { headers });

  test('sets the record to the client address that a proxy names, and returns it', async () => {
    await using sandbox = await manual();
    const record = await createHost(sandbox, { dynamic_update_enabled: true });
    expect(record['dynamic_update_url']).toMatch(
      new RegExp(`^${sandbox.url}/v7.0/dns_records/dynamic_update/[0-9a-f]{40}$`),
    );
    sandbox.advance(3);
    const reply = await sendUpdate(record, { 'client-ip': '198.51.100.7' }, sandbox);
    expect(reply.envelope['response']?.['dns_record']).toEqual({ content: '198.51.100.7' });
    expect((await sendUpdate(record, { 'client-ip': '198.51.100.8' }, sandbox)).status).toBe(423);
    sandbox.advance();
    expect((await readObject(sandbox, `/v7.0/dns_records/${record['id']}`))?.['content']).toBe(
      '198.51.100.7',
    );
    expect(stateId(await sendUpdate(record, { 'client-ip': '198.51.100.7' }, sandbox))).toBeNull();
  });

  test('of an anonymous caller has an action state that everybody can read by id, but nobody can list', async () => {
    await using sandbox = await manual();
    const record = await createHost(sandbox, { dynamic_update_enabled: true });
    sandbox.advance(3);
    const id = stateId(await sendUpdate(record, { 'client-ip': '198.51.100.7' }, sandbox));
    const target = `/v7.0/action_states/${id}`;
    for (const user of [null, ordinaryUser(sandbox), admin(sandbox)]) {
      expect(await readProgress(sandbox, id, user)).toBe('running 0/1');
      const index = await send(sandbox, '/v7.0/action_states', user);
      const listed = index.envelope['response']?.['action_states'] as unknown as readonly Json[];
      expect(listed.map((state) => state['id'])).not.toContain(id);
      const cancel = await write(sandbox, 'POST', `${target}/cancel`, user);
      expect(readFailure(cancel)).toEqual([200, false, 'This action cannot be cancelled']);
    }
    const poll = send(sandbox, `${target}/poll?action_state[timeout]=10`, null);
    await vi.waitUntil(() => sandbox.openPolls === 1);
    sandbox.advance();
    expect((await poll).envelope['response']?.['action_state']).toMatchObject({
      finished: true,
      status: true,
    });
  });

  test.each([
    ['7.0', '5.0'],
    ['5.0', '7.0'],
  ])(
    'has a URL in the API version of the request: a record created in %s has one in %s too',
    async (version, otherVersion) => {
      await using sandbox = await instant();
      const body = { dns_record: { ...HOST_RECORD, dynamic_update_enabled: true } };
      const reply = await write(sandbox, 'POST', `/v${version}/dns_records`, ordinaryUser(sandbox), body);
      const { id, dynamic_update_url: url } = reply.envelope['response']?.['dns_record'] ?? {};
      expect(url).toMatch(new RegExp(`^${sandbox.url}/v${version}/dns_records/dynamic_update/[0-9a-f]{40}$`));
      const record = (await readObject(sandbox, `/v${otherVersion}/dns_records/${id}`)) ?? {};
      expect(record['dynamic_update_url']).toBe(String(url).replace(`/v${version}/`, `/v${otherVersion}/`));
      expect((await sendUpdate(record, { 'client-ip': '198.51.100.9' }, sandbox)).status).toBe(200);
      expect(await readObject(sandbox, `/v${version}/dns_records/${id}`)).toMatchObject({
        content: '198.51.100.9',
      });
    },
  );

  test.each([
    ['Client-IP', { 'client-ip': '198.51.100.7', 'x-real-ip': '198.51.100.8' }, '198.51.100.7'],
    [
      'X-Real-IP without it',
      { 'client-ip': 'somewhere', 'x-real-ip': '::ffff:198.51.100.8' },
      '198.51.100.8',
    ],
    ['the connection without both', { 'x-real-ip': '', 'x-forwarded-for': '198.51.100.9' }, '127.0.0.1'],
  ])('takes the address of %s', async (_source, headers, content) => {
    await using sandbox = await instant();
    const record = await createHost(sandbox, { dynamic_update_enabled: true });
    const { envelope } = await sendUpdate(record, headers, sandbox);
    expect(envelope['response']?.['dns_record']).toEqual({ content });
  });

  test('behind a proxy takes the address that connects in place of a stated X-Real-IP', async () => {
    await using sandbox = await listenSandbox({ step: 0, behindProxy: true });
    const record = await createHost(sandbox, { dynamic_update_enabled: true });
    for (const [headers, content] of [
      [{ 'x-real-ip': '198.51.100.8' }, '127.0.0.1'],
      [{ 'client-ip': '198.51.100.7' }, '198.51.100.7'],
    ] as const) {
      const { envelope } = await sendUpdate(record, headers, sandbox);
      expect(envelope['response']?.['dns_record']).toEqual({ content });
    }
  });

  test('refuses an address of another family than the record', async () => {
    await using sandbox = await instant();
    const record = await createHost(sandbox, { dynamic_update_enabled: true });
    expect(readFailure(await sendUpdate(record, { 'client-ip': '2001:db8::1' }, sandbox))).toEqual([
      200,
      false,
      'the record is not valid',
    ]);
  });

  test('has a secret that differs between sandboxes and changes when it is enabled again', async () => {
    await using sandbox = await instant();
    await using other = await instant();
    const record = await createHost(sandbox, { dynamic_update_enabled: true });
    const otherRecord = await createHost(other, { dynamic_update_enabled: true });
    const updatePath = ({ dynamic_update_url }: Json) => new URL(String(dynamic_update_url)).pathname;
    expect(otherRecord['id']).toBe(record['id']);
    expect(updatePath(otherRecord)).not.toBe(updatePath(record));
    const change = async (fields: object) =>
      (
        await write(sandbox, 'PUT', `/v7.0/dns_records/${record['id']}`, ordinaryUser(sandbox), {
          dns_record: fields,
        })
      ).envelope['response']?.['dns_record'] ?? {};
    expect(updatePath(await change({ content: '192.0.2.7' }))).toBe(updatePath(record));
    expect(await change({ dynamic_update_enabled: false })).toMatchObject({ dynamic_update_url: null });
    expect(updatePath(await change({ dynamic_update_enabled: true }))).not.toBe(updatePath(record));
    expect((await sendUpdate(record, {}, sandbox)).status).toBe(404);
  });

  test('works for seeded records, but not for records with dynamic updates disabled', async () => {
    await using sandbox = await instant();
    const { envelope } = await send(sandbox, '/v7.0/dns_records');
    const records = envelope['response']?.['dns_records'] as unknown as readonly Json[];
    const record = records.find((row) => row['dynamic_update_enabled'] as unknown);
    if (!record) throw new Error('expected a record with dynamic updates enabled');
    expect((await sendUpdate(record, { 'client-ip': '198.51.100.9' }, sandbox)).status).toBe(200);
    const disabled = { dns_record: { dynamic_update_enabled: false } };
    await write(sandbox, 'PUT', `/v7.0/dns_records/${record['id']}`, admin(sandbox), disabled);
    expect((await sendUpdate(record, {}, sandbox)).status).toBe(404);
    expect((await send(sandbox, '/v7.0/dns_records/dynamic_update/guess', null)).status).toBe(404);
  });
});
