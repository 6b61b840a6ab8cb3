// Tests how datasets move to other pools.

import { describe, expect, test } from 'vitest';
import {
  admin,
  findDataset,
  type Json,
  ordinaryUser,
  readFailure,
  readIds,
  readObject,
  readProgress,
  send,
  stateId,
  write,
} from '../../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox, type Sandbox } from '../../../src/listen-sandbox.ts';

const instant = () => listenSandbox({ step: 0 });
const migrate = (sandbox: Sandbox, id: unknown, dataset: unknown, user = admin(sandbox)) =>
  write(sandbox, 'POST', `/v7.0/datasets/${id}/migrate`, user, { dataset });
const list = async (sandbox: Sandbox, target: string) =>
  (await readObject(sandbox, target)) as unknown as readonly Json[];

/** For each dataset, the ids of its pool, node and environment, and the same ids for the VPS that resides in it. */
async function readPlaces(sandbox: Sandbox) {
  const environmentByNode = new Map<unknown, unknown>();
  for (const { id, location } of await list(sandbox, '/v7.0/nodes')) {
    const described = await readObject(sandbox, `/v7.0/locations/${location?.['id']}`);
    environmentByNode.set(id, described?.['environment']?.['id']);
  }
  const datasets = new Map<unknown, readonly unknown[]>();
  for (const { id, node } of await list(sandbox, '/v7.0/pools')) {
    const place = [id, node?.['id'], environmentByNode.get(node?.['id'])];
    for (const dataset of await readIds(sandbox, `/v7.0/datasets?dataset[primary_pool]=${id}`))
      datasets.set(dataset, place);
  }
  const vpses = await list(sandbox, '/v7.0/vpses');
  return {
    datasets,
    vpses: new Map<unknown, readonly unknown[]>(
      vpses
        .filter(({ dataset }) => dataset?.['id'])
        .map(({ dataset, pool, node }) => [
          dataset?.['id'],
          [pool?.['id'], node?.['id'], environmentByNode.get(node?.['id'])],
        ]),
    ),
  };
}

/** Expects each dataset on the pool of its parent, with the pool's environment, and each VPS on the pool of its dataset. */
async function expectConsistentPlaces(sandbox: Sandbox) {
  const { datasets, vpses } = await readPlaces(sandbox);
  const all = await list(sandbox, '/v7.0/datasets');
  expect(datasets.size).toBe(all.length);
  expect(vpses.size).toBeGreaterThan(20);
  for (const { id, parent, environment } of all) {
    const place = datasets.get(id) ?? [];
    expect(place[2]).toBe(environment?.['id']);
    if (parent) expect(place).toEqual(datasets.get(parent['id']));
    if (vpses.has(id)) expect(vpses.get(id)).toEqual(place);
  }
}

describe('datasets, pools, nodes and VPSes', () => {
  test('have consistent places in the seed and after a migration', async () => {
    await using sandbox = await instant();
    await expectConsistentPlaces(sandbox);
    const { id } = await findDataset(sandbox, 'atlas');
    expect((await migrate(sandbox, id, { pool: 9 })).status).toBe(200);
    await expectConsistentPlaces(sandbox);
    expect((await readPlaces(sandbox)).vpses.get(id)?.slice(0, 2)).toEqual([9, 1]);
    expect(await readIds(sandbox, `/v7.0/datasets/${id}/plans`)).toHaveLength(1);
  });

  test('have consistent places after a migration to another environment, which removes the plans', async () => {
    await using sandbox = await instant();
    const { id } = await findDataset(sandbox, 'atlas');
    await migrate(sandbox, id, { pool: 3 });
    await expectConsistentPlaces(sandbox);
    expect(await readIds(sandbox, `/v7.0/datasets/${id}/plans`)).toEqual([]);
  });
});

describe('migrating a dataset', () => {
  test('moves the subtree to a pool, and is only for administrators', async () => {
    await using sandbox = await instant();
    const { id } = await findDataset(sandbox, 'atlas');
    const count = (await readIds(sandbox, `/v7.0/datasets?dataset[dataset]=${id}`)).length;
    await migrate(sandbox, id, { pool: 9 });
    const query = `/v7.0/datasets?dataset[dataset]=${id}&dataset[primary_pool]=9`;
    expect(await readIds(sandbox, query)).toHaveLength(count);
    expect(readFailure(await migrate(sandbox, id, { pool: 9 }))).toEqual([
      409,
      false,
      "dataset 'atlas' is already on this pool",
    ]);
    const invalidInput = { pool: 99, finish_weekday: 7, finish_minutes: 1411 };
    expect((await migrate(sandbox, id, invalidInput)).envelope['errors']).toEqual({
      pool: ['resource not found'],
      finish_weekday: ['has to be in range <0, 6>'],
      finish_minutes: ['has to be in range <0, 1410>'],
    });
    expect((await migrate(sandbox, id, { pool: 1 }, ordinaryUser(sandbox))).status).toBe(403);
  });

  /** Wednesday, 6 January 2027, at 10:00 UTC. */
  const WEDNESDAY = Date.UTC(2027, 0, 6, 10);
  const HOUR_MS = 3_600_000;

  test.each([
    ['on Sunday, an hour after midnight', { finish_weekday: 0, finish_minutes: 60 }, 87],
    ['later on the same day', { finish_weekday: 3, finish_minutes: 630 }, 0.5],
    ['a week later when the minute has passed', { finish_weekday: 3, finish_minutes: 599 }, 7 * 24 - 1 / 60],
    ['at the given minute of the next day', { finish_minutes: 540 }, 23],
    ['at the start of the given weekday', { finish_weekday: 4 }, 14],
  ])('waits before its last step and finishes %s', async (_time, finish, hours) => {
    const clock = { time: WEDNESDAY };
    await using sandbox = await listenSandbox({ step: 'manual', now: () => clock.time });
    const { id } = await findDataset(sandbox, 'atlas');
    const state = stateId(await migrate(sandbox, id, { pool: 9, ...finish }));
    const onTarget = () => readIds(sandbox, '/v7.0/datasets?dataset[primary_pool]=9');
    sandbox.advance(20, Number(state));
    clock.time += hours * HOUR_MS - 1;
    sandbox.advance(1, Number(state));
    expect(await readObject(sandbox, `/v7.0/action_states/${state}`)).toMatchObject({
      finished: false,
      status: true,
      current: 11,
      can_cancel: true,
    });
    expect(await onTarget()).not.toContain(id);
    clock.time += 1;
    sandbox.advance(1, Number(state));
    expect(await readProgress(sandbox, state)).toBe('done 12/12');
    expect(await onTarget()).toContain(id);
  });

  test('does not wait when the weekday is today', async () => {
    await using sandbox = await listenSandbox({ step: 0, now: () => WEDNESDAY });
    const { id } = await findDataset(sandbox, 'atlas');
    const state = stateId(await migrate(sandbox, id, { pool: 9, finish_weekday: 3 }));
    expect(await readProgress(sandbox, state)).toBe('done 12/12');
  });

  test('finishes by itself at its time when steps take no time', async () => {
    const clock = { time: WEDNESDAY };
    await using sandbox = await listenSandbox({ step: 0, now: () => clock.time });
    const { id } = await findDataset(sandbox, 'atlas');
    const state = stateId(await migrate(sandbox, id, { pool: 9, finish_weekday: 5 }));
    expect(await readProgress(sandbox, state)).toBe('running 11/12');
    clock.time += 48 * HOUR_MS;
    const poll = await send(sandbox, `/v7.0/action_states/${state}/poll`);
    expect(poll.envelope['response']?.['action_state']).toMatchObject({ finished: true, current: 12 });
  });

  test('can be cancelled while it waits, and can fail before', async () => {
    await using sandbox = await listenSandbox({ step: 0, now: () => WEDNESDAY });
    const { id } = await findDataset(sandbox, 'atlas');
    const begin = () => migrate(sandbox, id, { pool: 9, finish_weekday: 5 });
    const waiting = stateId(await begin());
    await write(sandbox, 'POST', `/v7.0/action_states/${waiting}/cancel`);
    expect(await readProgress(sandbox, waiting)).toBe('failed 0/12');
    sandbox.failNext('below');
    expect(await readProgress(sandbox, stateId(await begin()))).toBe('failed 6/12');
  });
});
