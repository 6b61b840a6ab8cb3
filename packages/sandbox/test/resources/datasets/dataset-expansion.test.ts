// Tests dataset expansions.

import { describe, expect, test } from 'vitest';
import {
  admin,
  findDataset,
  type Json,
  ordinaryUser,
  readFailure,
  readIds,
  readObject,
  write,
} from '../../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox, type Sandbox } from '../../../src/listen-sandbox.ts';

const manual = () => listenSandbox({ step: 'manual' });

interface Expansion {
  readonly id: number;
  readonly state: string;
  readonly dataset: { readonly id: number };
  readonly original_refquota: number;
  readonly added_space: number;
}

describe('dataset expansions', () => {
  const expand = (sandbox: Sandbox, dataset_expansion: unknown, route = '') =>
    write(sandbox, 'POST', `/v7.0/dataset_expansions${route}`, admin(sandbox), { dataset_expansion });

  /** Creates a dataset with a reference quota and without an expansion, and returns its id. */
  async function createDataset(sandbox: Sandbox): Promise<number> {
    const { id } = (await write(sandbox, 'POST', '/v7.0/datasets', admin(sandbox), {
      dataset: { name: 'expanding', refquota: 1000 },
    }).then(({ envelope }) => envelope['response']?.['dataset'])) as unknown as { id: number };
    sandbox.advance(4);
    return id;
  }

  test('are readable at once, and add their space when the action succeeds', async () => {
    await using sandbox = await manual();
    const dataset = await createDataset(sandbox);
    const input = { dataset, added_space: 500, stop_vps: true };
    const reply = await expand(sandbox, input);
    const created = reply.envelope['response']?.['dataset_expansion'];
    expect(created).toMatchObject({
      state: 'active',
      dataset: { id: dataset },
      original_refquota: 1000,
      added_space: 500,
      enable_notifications: true,
      enable_shrink: true,
      stop_vps: true,
      max_over_refquota_seconds: 2_592_000,
    });
    expect(await readObject(sandbox, `/v7.0/datasets/${dataset}`)).toMatchObject({
      refquota: 1000,
      dataset_expansion: { id: created?.['id'] },
    });
    sandbox.advance(5);
    expect(await readObject(sandbox, `/v7.0/datasets/${dataset}`)).toMatchObject({ refquota: 1500 });
    expect(readFailure(await expand(sandbox, input))).toEqual([
      409,
      false,
      "dataset 'expanding' is already expanded",
    ]);
    const list = `/v7.0/dataset_expansions/${created?.['id']}/history`;
    const added = await write(sandbox, 'POST', list, admin(sandbox), { history: { added_space: 100 } });
    expect(added.envelope['response']?.['history']).toMatchObject({
      added_space: 100,
      original_refquota: 1500,
      new_refquota: 1600,
      admin: { login: 'admin' },
    });
    expect((await write(sandbox, 'PUT', `/v7.0/dataset_expansions/${created?.['id']}`)).status).toBe(423);
    sandbox.advance(5);
    expect((await readObject(sandbox, `/v7.0/dataset_expansions/${created?.['id']}`))?.['added_space']).toBe(
      600,
    );
    expect(await readIds(sandbox, list)).toHaveLength(2);
  });

  test('are registered for expanded datasets and updated without an action state', async () => {
    await using sandbox = await manual();
    const dataset = await createDataset(sandbox);
    const reply = await expand(sandbox, { dataset, original_refquota: 400 }, '/register_expanded');
    const created = reply.envelope['response']?.['dataset_expansion'];
    expect(created).toMatchObject({ added_space: 600, original_refquota: 400 });
    expect(reply.envelope['response']?.['_meta']).not.toHaveProperty('action_state_id');
    const update = (dataset_expansion: unknown) =>
      write(sandbox, 'PUT', `/v7.0/dataset_expansions/${created?.['id']}`, admin(sandbox), {
        dataset_expansion,
      });
    const updated = await update({ enable_shrink: false, max_over_refquota_seconds: null });
    expect(updated.envelope['response']?.['dataset_expansion']).toMatchObject({
      enable_notifications: true,
      enable_shrink: false,
      max_over_refquota_seconds: null,
    });
    expect((await update({ stop_vps: null })).envelope['errors']).toEqual({ stop_vps: ['cannot be null'] });
  });

  test('name columns instead of parameters in errors, and are written only by administrators', async () => {
    await using sandbox = await manual();
    const errors = async (input: object, route?: string) =>
      (await expand(sandbox, input, route)).envelope['errors'];
    expect(await errors({ added_space: 1 })).toEqual({ dataset_id: ['must exist'] });
    const unlimited = { dataset: ['has no reference quota to expand'] };
    const { id } = await findDataset(sandbox, 'archive/home');
    expect(await errors({ dataset: id, added_space: 10 })).toEqual(unlimited);
    expect(await errors({ dataset: id, original_refquota: 10 }, '/register_expanded')).toEqual(unlimited);
    expect(await errors({ dataset: 1, added_space: 0 })).toEqual({ added_space: ['has to be minimally 1'] });
    expect(await errors({ dataset: 1 })).toEqual({ added_space: ["can't be blank"] });
    expect(await errors({ dataset: 106, original_refquota: 9e9 }, '/register_expanded')).toEqual({
      original_refquota: ['must be less than the reference quota'],
    });
    const forbidden = await write(sandbox, 'POST', '/v7.0/dataset_expansions', ordinaryUser(sandbox), {});
    expect(forbidden.status).toBe(403);
    const expansions = (await readObject(sandbox, '/v7.0/dataset_expansions')) as unknown as readonly Json[];
    const resolved = expansions.find(({ state }) => String(state) === 'resolved');
    const history = `/v7.0/dataset_expansions/${resolved?.['id']}/history`;
    const rejected = await write(sandbox, 'POST', history, admin(sandbox), { history: { added_space: 1 } });
    expect(readFailure(rejected)).toEqual([409, false, 'the expansion is resolved']);
  });

  test('of the seed match the quotas of their datasets, and can be expanded further', async () => {
    await using sandbox = await listenSandbox({ step: 0 });
    const expansions = (await readObject(
      sandbox,
      '/v7.0/dataset_expansions',
    )) as unknown as readonly Expansion[];
    expect(expansions).toHaveLength(45);
    for (const { id, state, dataset, original_refquota, added_space } of expansions) {
      const isActive = state === 'active';
      expect(await readObject(sandbox, `/v7.0/datasets/${dataset.id}`)).toMatchObject({
        refquota: original_refquota + (isActive ? added_space : 0),
        dataset_expansion: isActive ? { id } : null,
      });
    }
    const [first] = expansions;
    if (!first) throw new Error('expected an expansion');
    const { dataset, original_refquota, added_space } = first;
    const history = `/v7.0/dataset_expansions/${first.id}/history`;
    await write(sandbox, 'POST', history, admin(sandbox), { history: { added_space: 5 } });
    expect(await readObject(sandbox, `/v7.0/datasets/${dataset.id}`)).toMatchObject({
      refquota: original_refquota + added_space + 5,
    });
    const unlimited = { dataset: { refquota: 0 } };
    await write(sandbox, 'PUT', `/v7.0/datasets/${dataset.id}`, admin(sandbox), unlimited);
    const again = await write(sandbox, 'POST', history, admin(sandbox), { history: { added_space: 5 } });
    expect(again.envelope['errors']).toEqual({
      dataset: ['has no reference quota to expand'],
    });
  });
});
