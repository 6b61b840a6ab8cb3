// Tests cluster resources, their packages and their default amounts.

import { describe, expect, test } from 'vitest';
import {
  admin,
  ordinaryUser,
  readFailure,
  readIds,
  readObject,
  send,
  write,
} from '../../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox, type Sandbox } from '../../../src/listen-sandbox.ts';

const manual = () => listenSandbox({ step: 'manual' });

describe('cluster resources', () => {
  test('are created with only an id in the response, and updated with all fields in it', async () => {
    await using sandbox = await manual();
    const create = (cluster_resource: unknown, user = admin(sandbox)) =>
      write(sandbox, 'POST', '/v7.0/cluster_resources', user, { cluster_resource });
    const reply = await create({ name: 'gpu', max: 4 });
    expect(reply.envelope['response']).toEqual({
      cluster_resource: {},
      _meta: { path_params: [7], resolved: true },
    });
    expect(await readObject(sandbox, '/v7.0/cluster_resources/7')).toEqual({
      id: 7,
      name: 'gpu',
      label: null,
      min: null,
      max: 4,
      stepsize: null,
    });
    const updated = await write(sandbox, 'PUT', '/v7.0/cluster_resources/7', admin(sandbox), {
      cluster_resource: { label: 'GPU' },
    });
    expect(updated.envelope['response']?.['cluster_resource']).toMatchObject({ label: 'GPU', max: 4 });
    expect(readFailure(await create({ name: 'cpu' }))).toEqual([
      409,
      false,
      "cluster resource 'cpu' already exists",
    ]);
    expect((await create({}, ordinaryUser(sandbox))).status).toBe(403);
  });

  test('have a maximum not less than the minimum, and a positive step', async () => {
    await using sandbox = await manual();
    const save = async (method: 'POST' | 'PUT', route: string, cluster_resource: unknown) =>
      (await write(sandbox, method, `/v7.0/cluster_resources${route}`, admin(sandbox), { cluster_resource }))
        .envelope['errors'];
    const errors = { max: ['has to be minimally 5'], stepsize: ['has to be minimally 1'] };
    expect(await save('POST', '', { name: 'gpu', min: 5, max: 4, stepsize: 0 })).toEqual(errors);
    expect(await save('POST', '', { name: 'gpu', min: 5, max: 5, stepsize: 1 })).toBeNull();
    expect(await save('PUT', '/7', { max: 4 })).toEqual({ max: ['has to be minimally 5'] });
    expect(await save('PUT', '/7', { min: 6, stepsize: -1 })).toEqual({
      max: ['has to be minimally 6'],
      stepsize: ['has to be minimally 1'],
    });
    expect(await save('PUT', '/7', { min: 1, max: 9, stepsize: 3 })).toBeNull();
  });
});

describe('packages of cluster resources', () => {
  const packages = '/v7.0/cluster_resource_packages';
  const create = (sandbox: Sandbox, input: unknown) =>
    write(sandbox, 'POST', packages, admin(sandbox), { cluster_resource_package: input });

  test('are created without an owner, renamed, and deleted with their items', async () => {
    await using sandbox = await manual();
    const reply = await create(sandbox, { label: 'Big', environment: 1 });
    const created = reply.envelope['response']?.['cluster_resource_package'];
    expect(created).toMatchObject({ label: 'Big', environment: null, user: null });
    expect(created?.['created_at']).toBe(created?.['updated_at']);
    const path = `${packages}/${created?.['id']}`;
    const renamed = await write(sandbox, 'PUT', path, admin(sandbox), {
      cluster_resource_package: { label: 'Bigger' },
    });
    expect(renamed.envelope['response']?.['cluster_resource_package']).toMatchObject({ label: 'Bigger' });
    await write(sandbox, 'POST', `${path}/items`, admin(sandbox), {
      item: { cluster_resource: 1, value: 2 },
    });
    const deleted = await write(sandbox, 'DELETE', path);
    expect(deleted.envelope['response']).toMatchObject({ cluster_resource_package: {} });
    for (const suffix of ['', '/items']) expect((await send(sandbox, path + suffix)).status).toBe(404);
  });

  test('contain each cluster resource at most once', async () => {
    await using sandbox = await manual();
    const { envelope } = await create(sandbox, { label: 'Mixed' });
    const items = `${packages}/${envelope['response']?.['cluster_resource_package']?.['id']}/items`;
    const add = (item: unknown) => write(sandbox, 'POST', items, admin(sandbox), { item });
    const reply = await add({ cluster_resource: 4, value: 512 });
    const item = reply.envelope['response']?.['item'];
    expect(item).toMatchObject({ cluster_resource: { id: 4, label: 'diskspace' }, value: 512 });
    expect(readFailure(await add({ cluster_resource: 4, value: 1 }))).toEqual([
      409,
      false,
      'the package already has this cluster resource',
    ]);
    const errors = async (input: unknown) => (await add(input)).envelope['errors'];
    expect(await errors({ value: 1 })).toEqual({ cluster_resource_id: ['must exist'] });
    expect(await errors({ cluster_resource: 5 })).toEqual({ value: ["can't be blank"] });
    expect(await errors({ cluster_resource: 99 })).toEqual({ cluster_resource: ['resource not found'] });
    const path = `${items}/${item?.['id']}`;
    await write(sandbox, 'PUT', path, admin(sandbox), { item: { value: 7, cluster_resource: 1 } });
    expect(await readObject(sandbox, path)).toMatchObject({ cluster_resource: { id: 4 }, value: 7 });
    expect((await send(sandbox, `${packages}/1/items/${item?.['id']}`)).status).toBe(404);
    await write(sandbox, 'DELETE', path);
    expect(await readIds(sandbox, items)).toEqual([]);
  });
});

describe('default amounts of objects', () => {
  const path = '/v7.0/default_object_cluster_resources';
  const save = (sandbox: Sandbox, method: 'POST' | 'PUT', target: string, body: unknown) =>
    write(sandbox, method, target, admin(sandbox), { default_object_cluster_resource: body });
  const input = { environment: 2, cluster_resource: 1, class_name: 'Export', value: 3 };

  test('are created once for each class, updated and deleted', async () => {
    await using sandbox = await manual();
    const { envelope } = await save(sandbox, 'POST', path, input);
    const created = envelope['response']?.['default_object_cluster_resource'];
    expect(created).toMatchObject({ environment: { id: 2 }, cluster_resource: { label: 'cpu' }, value: 3 });
    expect(readFailure(await save(sandbox, 'POST', path, input))).toEqual([
      409,
      false,
      'Export already has a default of this cluster resource',
    ]);
    const target = `${path}/${created?.['id']}`;
    const changed = await save(sandbox, 'PUT', target, { value: 4, class_name: 'Vps' });
    expect(changed.envelope['response']?.['default_object_cluster_resource']).toMatchObject({
      class_name: 'Export',
      value: 4,
    });
    expect((await save(sandbox, 'PUT', target, {})).envelope['errors']).toEqual({
      value: ['required parameter is missing'],
    });
    await write(sandbox, 'DELETE', target);
    expect(await readObject(sandbox, target)).toBeUndefined();
  });
});
