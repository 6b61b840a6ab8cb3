// Tests how datasets are created, updated, deleted and made to inherit properties.

import { describe, expect, test } from 'vitest';
import {
  admin,
  findDataset,
  ordinaryUser,
  readFailure,
  readIds,
  readObject,
  send,
  stateId,
  write,
} from '../../../../../test/helpers/sandbox-requests.ts';
import type { RecordedRequest } from '../../../src/http/sandbox-server.ts';
import { listenSandbox, type Sandbox } from '../../../src/listen-sandbox.ts';

const manual = () => listenSandbox({ step: 'manual' });
const instant = () => listenSandbox({ step: 0 });

const create = (sandbox: Sandbox, dataset: unknown, user = admin(sandbox)) =>
  write(sandbox, 'POST', '/v7.0/datasets', user, { dataset });

describe('creating a dataset', () => {
  test('returns the new dataset with the defaults of the server, and makes it readable at once', async () => {
    await using sandbox = await manual();
    const user = ordinaryUser(sandbox);
    const parent = await findDataset(sandbox, 'atlas');
    const reply = await create(sandbox, { name: 'new', dataset: parent['id'], quota: 7 }, user);
    const created = reply.envelope['response']?.['dataset'];
    expect(created).toMatchObject({
      name: 'atlas/new',
      parent: { name: 'atlas' },
      user: { login: 'user' },
      atime: false,
      compression: true,
      recordsize: 131_072,
      quota: 7,
      refquota: 0,
      relatime: false,
      sync: 'standard',
      used: 0,
    });
    expect(reply.envelope['response']?.['_meta']).toMatchObject({ path_params: [created?.['id']] });
    expect((await readObject(sandbox, `/v7.0/datasets/${created?.['id']}`, user))?.['name']).toBe(
      'atlas/new',
    );
    expect((await write(sandbox, 'DELETE', `/v7.0/datasets/${created?.['id']}`)).status).toBe(423);
    expect((await write(sandbox, 'DELETE', `/v7.0/datasets/${parent['id']}`)).status).toBe(423);
  });

  test('leaves no rows when it fails or is cancelled, and never reuses an id', async () => {
    await using sandbox = await manual();
    const first = await create(sandbox, { name: 'gone' });
    const id = Number(first.envelope['response']?.['dataset']?.['id']);
    await write(sandbox, 'POST', `/v7.0/action_states/${stateId(first)}/cancel`);
    sandbox.advance(4);
    expect(await readObject(sandbox, `/v7.0/datasets/${id}`)).toBeUndefined();
    sandbox.failNext('at-total');
    const second = await create(sandbox, { name: 'gone' });
    expect(second.envelope['response']?.['dataset']?.['id']).toBe(id + 1);
    sandbox.advance(4);
    expect(await readObject(sandbox, `/v7.0/datasets/${id + 1}`)).toBeUndefined();
  });

  test('fails with a conflict when the name exists', async () => {
    await using sandbox = await instant();
    const parent = await findDataset(sandbox, 'atlas');
    expect(readFailure(await create(sandbox, { name: 'home', dataset: parent['id'] }))).toEqual([
      409,
      false,
      "dataset 'atlas/home' already exists",
    ]);
  });

  test('finds the parent by the prefix of the name', async () => {
    await using sandbox = await instant();
    const created = await create(sandbox, { name: 'atlas/home/new' }, ordinaryUser(sandbox));
    expect(created.envelope['response']?.['dataset']?.['parent']).toMatchObject({ name: 'atlas/home' });
    const missing = await create(sandbox, { name: 'nowhere/new' });
    expect(missing.envelope['errors']).toEqual({ name: ["dataset 'nowhere' not found"] });
  });

  test('reports all errors of its input', async () => {
    await using sandbox = await instant();
    const invalidInput = { name: '-x', dataset: 9999, atime: null, recordsize: 'many', sync: 'often' };
    const { status, envelope } = await create(sandbox, invalidInput);
    expect([status, envelope['message']]).toEqual([200, 'input parameters are not valid']);
    expect(envelope['errors']).toEqual({
      name: ["'-x' is not a valid dataset name"],
      dataset: ['resource not found'],
      atime: ['cannot be null'],
      recordsize: ['not a valid integer: "many"'],
      sync: ['often cannot be used'],
    });
    expect((await create(sandbox, {})).envelope['errors']).toEqual({
      name: ['required parameter is missing'],
    });
    expect(readFailure(await write(sandbox, 'POST', '/v7.0/datasets'))).toEqual([
      200,
      false,
      'invalid input layout',
    ]);
  });
});

describe('updating a dataset', () => {
  const update = (sandbox: Sandbox, dataset: unknown, user = admin(sandbox), id = 1) =>
    write(sandbox, 'PUT', `/v7.0/datasets/${id}`, user, { dataset });

  test('clears only nullable properties', async () => {
    await using sandbox = await instant();
    await update(sandbox, { sharenfs: 'on' });
    expect(await readObject(sandbox, '/v7.0/datasets/1')).toMatchObject({ sharenfs: 'on' });
    await update(sandbox, { quota: 1 });
    expect(await readObject(sandbox, '/v7.0/datasets/1')).toMatchObject({ sharenfs: 'on' });
    const requests: RecordedRequest[] = [];
    sandbox.onRequest((request) => requests.push(request));
    await update(sandbox, { sharenfs: null });
    expect(await readObject(sandbox, '/v7.0/datasets/1')).toMatchObject({ sharenfs: null });
    expect(requests[0]?.body).toEqual({ dataset: { sharenfs: null } });
    expect((await update(sandbox, { quota: null })).envelope['errors']).toEqual({
      quota: ['cannot be null'],
    });
  });

  test('does not block when nothing changes', async () => {
    await using sandbox = await manual();
    expect(stateId(await update(sandbox, {}))).toBeNull();
    expect(stateId(await update(sandbox, { quota: 88 }))).toBe(115);
  });

  test('silently ignores admin parameters of ordinary users', async () => {
    await using sandbox = await instant();
    const ownId = Number((await findDataset(sandbox, 'atlas'))['id']);
    const { envelope } = await update(
      sandbox,
      { sharenfs: 'on', admin_lock_type: 'odd' },
      ordinaryUser(sandbox),
      ownId,
    );
    expect(envelope['status']).toBe(true);
    expect((await readObject(sandbox, `/v7.0/datasets/${ownId}`))?.['sharenfs']).not.toBe('on');
    expect((await update(sandbox, { admin_lock_type: 'odd' })).envelope['errors']).toEqual({
      admin_lock_type: ['odd cannot be used'],
    });
    const accepted = await update(sandbox, { admin_lock_type: 'not_more', admin_override: true, quota: 3 });
    expect(accepted.envelope['status']).toBe(true);
    const otherId = Number((await findDataset(sandbox, 'archive'))['id']);
    expect((await update(sandbox, { quota: 3 }, ordinaryUser(sandbox), otherId)).status).toBe(404);
  });
});

describe('other writes of datasets', () => {
  test('delete removes the subtree and all dependent rows when the action succeeds', async () => {
    await using sandbox = await manual();
    const top = await findDataset(sandbox, 'atlas');
    const descendant = await findDataset(sandbox, 'atlas/data/db');
    const reply = await write(sandbox, 'DELETE', `/v7.0/datasets/${top['id']}`, ordinaryUser(sandbox));
    expect(reply.envelope['response']).toEqual({ dataset: {}, _meta: { action_state_id: 115 } });
    expect((await write(sandbox, 'POST', `/v7.0/datasets/${descendant['id']}/snapshots`)).status).toBe(423);
    expect(await readObject(sandbox, `/v7.0/datasets/${descendant['id']}/snapshots`)).toBeDefined();
    const count = (await readIds(sandbox, `/v7.0/datasets?dataset[dataset]=${top['id']}`)).length;
    const all = (await readIds(sandbox, '/v7.0/datasets')).length;
    sandbox.advance(5);
    expect((await readIds(sandbox, '/v7.0/datasets')).length).toBe(all - count);
    expect((await send(sandbox, `/v7.0/datasets/${descendant['id']}/snapshots`)).status).toBe(404);
    const expansions = await readObject(sandbox, '/v7.0/dataset_expansions');
    expect(JSON.stringify(expansions)).not.toContain('"dataset":null');
    expect(await readObject(sandbox, `/v7.0/vpses/${top['vps']?.['id']}`)).toMatchObject({ dataset: null });
  });

  test('inherit copies the values of the parent', async () => {
    await using sandbox = await instant();
    const child = await findDataset(sandbox, 'atlas/data');
    const parent = child['parent'];
    const put = (id: unknown, dataset: unknown) =>
      write(sandbox, 'PUT', `/v7.0/datasets/${id}`, admin(sandbox), { dataset });
    await put(parent?.['id'], { quota: 11, sync: 'disabled' });
    await put(child['id'], { quota: 12, sync: 'standard', refquota: 13 });
    const inherit = (property: string) =>
      write(sandbox, 'POST', `/v7.0/datasets/${child['id']}/inherit`, admin(sandbox), {
        dataset: { property },
      });
    expect((await inherit('quota, sync')).envelope['response']?.['dataset']).toEqual({});
    expect(await readObject(sandbox, `/v7.0/datasets/${child['id']}`)).toMatchObject({
      quota: 11,
      sync: 'disabled',
      refquota: 13,
    });
    expect((await inherit('quota,colour')).envelope).toMatchObject({
      message: 'inheritance failed',
      errors: { property: ["'colour' is not a property"] },
    });
    expect((await inherit(' ')).envelope['errors']).toEqual({ property: ['must be present and non-empty'] });
  });
});
