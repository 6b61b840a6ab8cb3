// Tests how much space a dataset may get.

import { describe, expect, test } from 'vitest';
import {
  admin,
  findDataset,
  ordinaryUser,
  readIds,
  readObject,
  write,
} from '../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox, type Sandbox, type SandboxUser } from '../../src/listen-sandbox.ts';

const instant = () => listenSandbox({ step: 0 });

/** The response to a write that exceeds a quota. */
const EXCEEDED = {
  status: 400,
  envelope: {
    status: false,
    response: null,
    message: expect.stringMatching(/^Resource allocation error: you only have \d+ MiB of diskspace left$/),
    errors: null,
  },
};

/** Finds a dataset of the ordinary user. Its function `update` updates the dataset, and `errors` returns the errors as well. */
async function findUpdatableDataset(sandbox: Sandbox) {
  const { id } = await findDataset(sandbox, 'atlas/data');
  const path = `/v7.0/datasets/${id}`;
  const update = (dataset: unknown, user: SandboxUser = ordinaryUser(sandbox)) =>
    write(sandbox, 'PUT', path, user, { dataset });
  return {
    path,
    update,
    errors: async (dataset: unknown, user?: SandboxUser) => (await update(dataset, user)).envelope['errors'],
  };
}

describe('the space of a dataset', () => {
  test('is limited to the space of its owner, unless an administrator overrides the limit', async () => {
    await using sandbox = await instant();
    const { path, update, errors } = await findUpdatableDataset(sandbox);
    const refquota = 1024 ** 3;
    expect(await update({ refquota, admin_override: true })).toMatchObject(EXCEEDED);
    expect(await update({ refquota }, admin(sandbox))).toMatchObject(EXCEEDED);
    expect(await errors({ refquota, admin_override: true }, admin(sandbox))).toBeNull();
    expect(await readObject(sandbox, path)).toMatchObject({ refquota });
    expect(await errors({ refquota: 5 })).toBeNull();
    const created = await write(sandbox, 'POST', '/v7.0/datasets', admin(sandbox), {
      dataset: { name: 'huge', refquota },
    });
    expect(created).toMatchObject(EXCEEDED);
  });

  test('is limited by packages, or by the default of users where there are no packages', async () => {
    await using sandbox = await instant();
    const { update, errors } = await findUpdatableDataset(sandbox);
    const packages = '/v7.0/cluster_resource_packages';
    const query = 'cluster_resource_package[user]=2&cluster_resource_package[environment]=1';
    const [own] = await readIds(sandbox, `${packages}?${query}`);
    const defaults = '/v7.0/default_object_cluster_resources';
    const names = { environment: 1, cluster_resource: 4, class_name: 'User' };
    const filters = Object.entries(names).map(
      ([name, value]) => `default_object_cluster_resource[${name}]=${value}`,
    );
    const [userDefault] = await readIds(sandbox, `${defaults}?${filters.join('&')}`);
    const item = (await readIds(sandbox, `${packages}/${own}/items`))[3];
    await write(sandbox, 'PUT', `${packages}/${own}/items/${item}`, admin(sandbox), { item: { value: 1 } });
    expect(await update({ refquota: 5_000_000 })).toMatchObject(EXCEEDED);
    await write(sandbox, 'DELETE', `${packages}/${own}`);
    expect(await errors({ refquota: 5_000_000 })).toBeNull();
    await write(sandbox, 'PUT', `${defaults}/${userDefault}`, admin(sandbox), {
      default_object_cluster_resource: { value: 1 },
    });
    expect(await update({ refquota: 5_000_001 })).toMatchObject(EXCEEDED);
  });

  test('is never negative for any user, and frees no space for other datasets', async () => {
    await using sandbox = await instant();
    const { update, errors } = await findUpdatableDataset(sandbox);
    const input = { refquota: -999_999_999, quota: -1, recordsize: 0 };
    const refused = {
      recordsize: ['has to be minimally 1'],
      quota: ['has to be minimally 0'],
      refquota: ['has to be minimally 0'],
    };
    expect(await errors(input)).toEqual(refused);
    expect(await errors({ ...input, admin_override: true }, admin(sandbox))).toEqual(refused);
    const create = (name: string, fields: object) =>
      write(sandbox, 'POST', '/v7.0/datasets', ordinaryUser(sandbox), { dataset: { name, ...fields } });
    expect((await create('less', input)).envelope['errors']).toEqual(refused);
    expect((await create('least', { refquota: 0, quota: 0, recordsize: 1 })).envelope['errors']).toBeNull();
    expect(await update({ refquota: 999_999_999 })).toMatchObject(EXCEEDED);
  });

  const LOCKED = { refquota: ['is locked by an administrator'] };

  test.each([
    ['absolute', { 999: LOCKED, 1000: null, 1001: LOCKED, 0: LOCKED }],
    ['not_less', { 999: LOCKED, 1000: null, 1001: null, 0: null }],
    ['not_more', { 999: null, 1000: null, 1001: LOCKED, 0: LOCKED }],
    ['no_lock', { 999: null, 1000: null, 1001: null, 0: null }],
  ])('is restricted by the lock type %s, except for administrators', async (admin_lock_type, expected) => {
    await using sandbox = await instant();
    const { errors } = await findUpdatableDataset(sandbox);
    expect(await errors({ refquota: 1000, admin_lock_type }, admin(sandbox))).toBeNull();
    for (const [refquota, errorsOrNull] of Object.entries(expected)) {
      expect(await errors({ refquota: Number(refquota) }), refquota).toEqual(errorsOrNull);
    }
    expect(await errors({ atime: true })).toBeNull();
    expect(await errors({ refquota: 2000 }, admin(sandbox))).toBeNull();
  });

  test('stays locked at the value that an administrator sets later, and is unlocked by no_lock', async () => {
    await using sandbox = await instant();
    const { errors } = await findUpdatableDataset(sandbox);
    await errors({ refquota: 1000, admin_lock_type: 'absolute' }, admin(sandbox));
    await errors({ refquota: 2000 }, admin(sandbox));
    expect(await errors({ refquota: 1000 })).toEqual(LOCKED);
    await errors({ admin_lock_type: 'no_lock' }, admin(sandbox));
    expect(await errors({ refquota: 1000 })).toBeNull();
    expect(await errors({ admin_lock_type: 'soft' }, admin(sandbox))).toEqual({
      admin_lock_type: ['soft cannot be used'],
    });
  });
});
