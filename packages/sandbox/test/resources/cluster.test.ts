// Tests the cluster and the API server.

import { describe, expect, test } from 'vitest';
import {
  admin,
  type Json,
  ordinaryUser,
  readObject,
  send,
} from '../../../../test/helpers/sandbox-requests.ts';
import { readFailure, readProgress, stateId, write } from '../../../../test/helpers/sandbox-writes.ts';
import { listenSandbox } from '../../src/listen-sandbox.ts';

const manual = () => listenSandbox({ step: 'manual' });

describe('the cluster', () => {
  test('stores a reason when it is locked, and none when it is unlocked', async () => {
    await using sandbox = await manual();
    const lock = (cluster: unknown, user = admin(sandbox)) =>
      write(sandbox, 'POST', '/v7.0/cluster/set_maintenance', user, { cluster });
    expect((await lock({ lock: true, reason: 'Údržba' })).envelope['response']).toEqual({
      cluster: {},
      _meta: {},
    });
    expect(await readObject(sandbox, '/v7.0/cluster')).toEqual({
      maintenance_lock: true,
      maintenance_lock_reason: 'Údržba',
    });
    await lock({ lock: true });
    expect(await readObject(sandbox, '/v7.0/cluster')).toEqual({
      maintenance_lock: true,
      maintenance_lock_reason: null,
    });
    await lock({ lock: false, reason: 'over' });
    expect(await readObject(sandbox, '/v7.0/cluster')).toEqual({
      maintenance_lock: false,
      maintenance_lock_reason: null,
    });
    expect((await lock({})).envelope['errors']).toEqual({ lock: ['required parameter is missing'] });
    expect((await lock({ lock: true }, ordinaryUser(sandbox))).status).toBe(403);
  });

  test('generates keys in a blocking action that locks nothing', async () => {
    await using sandbox = await manual();
    const generate = () => write(sandbox, 'POST', '/v7.0/cluster/generate_migration_keys');
    const first = stateId(await generate());
    const second = stateId(await generate());
    sandbox.advance(8);
    expect(await readProgress(sandbox, first)).toBe('done 8/8');
    expect(await readProgress(sandbox, second)).toBe('done 8/8');
  });

  test('shows full statistics to administrators and public statistics to everybody', async () => {
    await using sandbox = await manual();
    const full = await readObject(sandbox, '/v7.0/cluster/full_stats');
    const [vpses, users] = await Promise.all(
      ['vpses', 'users'].map(async (list) => {
        const { envelope } = await send(sandbox, `/v7.0/${list}?_meta[count]=true`);
        return envelope['response']?.['_meta']?.['total_count'];
      }),
    );
    expect(full).toMatchObject({ vps_count: vpses, user_count: users, user_suspended: 1 });
    const { envelope } = await send(sandbox, '/v7.0/vpses');
    const all = envelope['response']?.['vpses'] as unknown as readonly Json[];
    const active = all.filter(({ object_state }) => String(object_state) === 'active');
    const running = active.filter(({ is_running }) => String(is_running) === 'true');
    expect(full).toMatchObject({
      vps_running: running.length,
      vps_stopped: active.length - running.length,
      vps_suspended: all.length - active.length,
      vps_deleted: 0,
      vps_count: all.length,
      user_active: Number(users) - 1,
      user_deleted: 0,
      nodes_online: 7,
      node_count: 8,
      ipv4_used: 187,
      ipv4_count: 512,
    });
    const open = await send(sandbox, '/v7.0/cluster/public_stats', null);
    expect(open.envelope['response']?.['cluster']).toEqual({
      user_count: users,
      vps_count: vpses,
      ipv4_left: Number(full?.['ipv4_count']) - Number(full?.['ipv4_used']),
    });
    expect((await send(sandbox, '/v7.0/cluster/full_stats', ordinaryUser(sandbox))).status).toBe(403);
  });

  test('finds users and VPSes by names, owned objects and ids', async () => {
    await using sandbox = await manual();
    const search = async (value: unknown, user = admin(sandbox)) =>
      write(sandbox, 'POST', '/v7.0/cluster/search', user, { cluster: { value } });
    const found = async (value: string) =>
      (await search(value)).envelope['response']?.['clusters'] as unknown as readonly Json[];
    expect(await found('TANAKA')).toEqual([
      { resource: 'user', id: 11, attribute: 'login', value: 'tanaka' },
      { resource: 'user', id: 11, attribute: 'email', value: 'tanaka@example.test' },
    ]);
    expect(await found('zone17.')).toContainEqual({
      resource: 'dns_zone',
      id: 17,
      attribute: 'name',
      value: 'zone17.example.test.',
    });
    expect(await found('7')).toContainEqual({ resource: 'vps', id: 7, attribute: 'id', value: '7' });
    expect(await found('nothing of the kind')).toEqual([]);
    expect((await search(' ')).envelope['errors']).toEqual({ value: ['must be present and non-empty'] });
    expect((await search('x', ordinaryUser(sandbox))).status).toBe(403);
  });
});

describe('the API server', () => {
  const unlock = '/v7.0/api_servers/unlock_transaction_signing_key';

  test('unlocks its signing key for an administrator with the correct passphrase', async () => {
    await using sandbox = await manual();
    const reply = await send(sandbox, `${unlock}?api_server[passphrase]=sandbox`);
    expect(reply.envelope['response']).toEqual({ api_server: {}, _meta: {} });
    expect(readFailure(await send(sandbox, `${unlock}?api_server[passphrase]=guess`))).toEqual([
      200,
      false,
      'unable to unlock the key: wrong passphrase',
    ]);
    const blank = await send(sandbox, `${unlock}?api_server[passphrase]=`);
    expect(blank.envelope['errors']).toEqual({ passphrase: ['must be present and non-empty'] });
    expect(
      (await send(sandbox, `${unlock}?api_server[passphrase]=sandbox`, ordinaryUser(sandbox))).status,
    ).toBe(403);
  });
});
