// Tests how snapshots and plans of datasets are created and deleted.

import { describe, expect, test } from 'vitest';
import {
  admin,
  findDataset,
  ordinaryUser,
  readFailure,
  readIds,
  readProgress,
  stateId,
  write,
} from '../../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox } from '../../../src/listen-sandbox.ts';

const manual = () => listenSandbox({ step: 'manual' });

describe('snapshots', () => {
  test('are readable at once after creation, and disappear when a deletion succeeds', async () => {
    await using sandbox = await manual();
    const list = '/v7.0/datasets/2/snapshots';
    const created = await write(sandbox, 'POST', list, admin(sandbox), { snapshot: { label: 'před' } });
    const snapshot = created.envelope['response']?.['snapshot'];
    expect(snapshot).toMatchObject({ label: 'před', dataset: { id: 2 }, mount: null });
    expect(created.envelope['response']?.['_meta']).toMatchObject({ path_params: [2, snapshot?.['id']] });
    expect(await readIds(sandbox, list)).toHaveLength(151);
    sandbox.advance(5);
    const removal = await write(sandbox, 'DELETE', `${list}/${snapshot?.['id']}`);
    expect(await readIds(sandbox, list)).toHaveLength(151);
    sandbox.advance(3);
    expect(await readProgress(sandbox, stateId(removal))).toBe('done 3/3');
    expect(await readIds(sandbox, list)).toHaveLength(150);
    expect((await write(sandbox, 'POST', '/v7.0/datasets/9999/snapshots')).status).toBe(404);
    expect((await write(sandbox, 'DELETE', `${list}/999999`)).status).toBe(404);
  });
});

describe('plans of a dataset', () => {
  test('are assigned and removed without an action state', async () => {
    await using sandbox = await manual();
    const { id } = await findDataset(sandbox, 'atlas');
    const list = `/v7.0/datasets/${id}/plans`;
    for (const plan of await readIds(sandbox, list)) await write(sandbox, 'DELETE', `${list}/${plan}`);
    expect(await readIds(sandbox, list)).toEqual([]);
    const user = ordinaryUser(sandbox);
    const assign = (plan?: number) =>
      write(sandbox, 'POST', list, user, { plan: { environment_dataset_plan: plan } });
    const reply = await assign(1);
    const plan = reply.envelope['response']?.['plan'];
    expect(plan?.['environment_dataset_plan']).toMatchObject({ id: 1 });
    expect(reply.envelope['response']?.['_meta']).not.toHaveProperty('action_state_id');
    expect(readFailure(await assign(1))).toEqual([409, false, "dataset 'atlas' already has the plan"]);
    expect((await assign(99)).envelope['errors']).toEqual({
      environment_dataset_plan: ['resource not found'],
    });
    expect((await assign()).envelope['errors']).toEqual({
      environment_dataset_plan: ['required parameter is missing'],
    });
    const removed = await write(sandbox, 'DELETE', `${list}/${plan?.['id']}`, user);
    expect(removed.envelope['response']).toEqual({ plan: {}, _meta: {} });
    expect(await readIds(sandbox, list)).toEqual([]);
  });

  test('must belong to the environment of the dataset, and for users must be ones that users may add', async () => {
    await using sandbox = await manual();
    const assign = async (name: string, environment_dataset_plan: number, user = ordinaryUser(sandbox)) => {
      const { id } = await findDataset(sandbox, name);
      const body = { plan: { environment_dataset_plan } };
      return write(sandbox, 'POST', `/v7.0/datasets/${id}/plans`, user, body);
    };
    for (const user of [ordinaryUser(sandbox), admin(sandbox)]) {
      expect((await assign('atlas', 4, user)).envelope['errors']).toEqual({
        environment_dataset_plan: ["does not belong to the dataset's environment"],
      });
    }
    expect((await assign('home-jan', 4)).status).toBe(200);
    expect((await assign('home-jan', 5)).status).toBe(403);
    expect((await assign('home-jan', 5, admin(sandbox))).status).toBe(200);
  });
});
