import { describe, expect, test } from 'vitest';
import { listenSandbox, type Sandbox } from '../../src/sandbox/listen-sandbox.ts';
import { admin, ids, type Json, ordinary, send } from '../helpers/sandbox-requests.ts';
import { byName, progress, read, refusal, stateId, write } from '../helpers/sandbox-writes.ts';

const instant = () => listenSandbox({ step: 0 });
const migrate = (sandbox: Sandbox, id: unknown, dataset: unknown, user = admin(sandbox)) =>
  write(sandbox, 'POST', `/v7.0/datasets/${id}/migrate`, user, { dataset });
const list = async (sandbox: Sandbox, target: string) =>
  (await read(sandbox, target)) as unknown as readonly Json[];

/** Where each dataset is, and where the VPS that resides in it says to be: the ids of pool, node and environment. */
async function places(sandbox: Sandbox) {
  const environments = new Map<unknown, unknown>();
  for (const { id, location } of await list(sandbox, '/v7.0/nodes')) {
    const place = await read(sandbox, `/v7.0/locations/${location?.['id']}`);
    environments.set(id, place?.['environment']?.['id']);
  }
  const datasets = new Map<unknown, readonly unknown[]>();
  for (const { id, node } of await list(sandbox, '/v7.0/pools')) {
    const place = [id, node?.['id'], environments.get(node?.['id'])];
    for (const one of await ids(sandbox, `/v7.0/datasets?dataset[primary_pool]=${id}`))
      datasets.set(one, place);
  }
  const vpses = await list(sandbox, '/v7.0/vpses');
  return {
    datasets,
    vpses: new Map<unknown, readonly unknown[]>(
      vpses
        .filter(({ dataset }) => dataset?.['id'])
        .map(({ dataset, pool, node }) => [
          dataset?.['id'],
          [pool?.['id'], node?.['id'], environments.get(node?.['id'])],
        ]),
    ),
  };
}

/** Every dataset is on its parent's pool, in its environment, and a VPS is where its dataset is. */
async function expectAgreement(sandbox: Sandbox) {
  const { datasets, vpses } = await places(sandbox);
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
  test('agree about where they are, in the seed and after a migration', async () => {
    await using sandbox = await instant();
    await expectAgreement(sandbox);
    const { id } = await byName(sandbox, 'atlas');
    expect((await migrate(sandbox, id, { pool: 9 })).status).toBe(200);
    await expectAgreement(sandbox);
    expect((await places(sandbox)).vpses.get(id)?.slice(0, 2)).toEqual([9, 1]);
    expect(await ids(sandbox, `/v7.0/datasets/${id}/plans`)).toHaveLength(1);
  });

  test('agree where a migration leads into another environment, whose plans are others', async () => {
    await using sandbox = await instant();
    const { id } = await byName(sandbox, 'atlas');
    await migrate(sandbox, id, { pool: 3 });
    await expectAgreement(sandbox);
    expect(await ids(sandbox, `/v7.0/datasets/${id}/plans`)).toEqual([]);
  });
});

describe('migrating a dataset', () => {
  test('moves the subtree to a pool, for administrators', async () => {
    await using sandbox = await instant();
    const { id } = await byName(sandbox, 'atlas');
    const count = (await ids(sandbox, `/v7.0/datasets?dataset[dataset]=${id}`)).length;
    await migrate(sandbox, id, { pool: 9 });
    const query = `/v7.0/datasets?dataset[dataset]=${id}&dataset[primary_pool]=9`;
    expect(await ids(sandbox, query)).toHaveLength(count);
    expect(refusal(await migrate(sandbox, id, { pool: 9 }))).toEqual([
      409,
      false,
      "dataset 'atlas' is already on this pool",
    ]);
    const wrong = { pool: 99, finish_weekday: 7, finish_minutes: 1411 };
    expect((await migrate(sandbox, id, wrong)).envelope['errors']).toEqual({
      pool: ['resource not found'],
      finish_weekday: ['has to be in range <0, 6>'],
      finish_minutes: ['has to be in range <0, 1410>'],
    });
    expect((await migrate(sandbox, id, { pool: 1 }, ordinary(sandbox))).status).toBe(403);
  });

  /** Wednesday, 6 January 2027, at 10:00 UTC. */
  const wednesday = Date.UTC(2027, 0, 6, 10);
  const hour = 3_600_000;

  test.each([
    ['on Sunday, an hour after midnight', { finish_weekday: 0, finish_minutes: 60 }, 87],
    ['later this day', { finish_weekday: 3, finish_minutes: 630 }, 0.5],
    ['a week later, for that minute is over', { finish_weekday: 3, finish_minutes: 599 }, 7 * 24 - 1 / 60],
    ['at the next such minute of any day', { finish_minutes: 540 }, 23],
    ['at any time of a day', { finish_weekday: 4 }, 14],
  ])('prepares, waits and finishes %s', async (_when, finish, hours) => {
    const clock = { time: wednesday };
    await using sandbox = await listenSandbox({ step: 'manual', now: () => clock.time });
    const { id } = await byName(sandbox, 'atlas');
    const state = stateId(await migrate(sandbox, id, { pool: 9, ...finish }));
    const onTarget = () => ids(sandbox, '/v7.0/datasets?dataset[primary_pool]=9');
    sandbox.advance(20, Number(state));
    clock.time += hours * hour - 1;
    sandbox.advance(1, Number(state));
    expect(await read(sandbox, `/v7.0/action_states/${state}`)).toMatchObject({
      finished: false,
      status: true,
      current: 11,
      can_cancel: true,
    });
    expect(await onTarget()).not.toContain(id);
    clock.time += 1;
    sandbox.advance(1, Number(state));
    expect(await progress(sandbox, state)).toBe('done 12/12');
    expect(await onTarget()).toContain(id);
  });

  test('waits for no day that is today', async () => {
    await using sandbox = await listenSandbox({ step: 0, now: () => wednesday });
    const { id } = await byName(sandbox, 'atlas');
    const state = stateId(await migrate(sandbox, id, { pool: 9, finish_weekday: 3 }));
    expect(await progress(sandbox, state)).toBe('done 12/12');
  });

  test('finishes by itself when its time has come, also where steps take no time', async () => {
    const clock = { time: wednesday };
    await using sandbox = await listenSandbox({ step: 0, now: () => clock.time });
    const { id } = await byName(sandbox, 'atlas');
    const state = stateId(await migrate(sandbox, id, { pool: 9, finish_weekday: 5 }));
    expect(await progress(sandbox, state)).toBe('goes 11/12');
    clock.time += 48 * hour;
    const poll = await send(sandbox, `/v7.0/action_states/${state}/poll`);
    expect(poll.envelope['response']?.['action_state']).toMatchObject({ finished: true, current: 12 });
  });

  test('can be cancelled and can fail while it waits', async () => {
    await using sandbox = await listenSandbox({ step: 0, now: () => wednesday });
    const { id } = await byName(sandbox, 'atlas');
    const begin = () => migrate(sandbox, id, { pool: 9, finish_weekday: 5 });
    const waiting = stateId(await begin());
    await write(sandbox, 'POST', `/v7.0/action_states/${waiting}/cancel`);
    expect(await progress(sandbox, waiting)).toBe('failed 0/12');
    sandbox.failNext('below');
    expect(await progress(sandbox, stateId(await begin()))).toBe('failed 6/12');
  });

  test('leaves the data on the source pool where it is not to be cleaned up', async () => {
    await using sandbox = await instant();
    const { id } = await byName(sandbox, 'atlas');
    const on = async (pool: number) =>
      (await ids(sandbox, `/v7.0/datasets?dataset[primary_pool]=${pool}`)).includes(Number(id));
    const all = async () => [await on(5), await on(9), await on(10)];
    await migrate(sandbox, id, { pool: 9, cleanup_data: false });
    expect(await all()).toEqual([true, true, false]);
    await migrate(sandbox, id, { pool: 10 });
    expect(await all()).toEqual([true, false, true]);
    await migrate(sandbox, id, { pool: 5 });
    await migrate(sandbox, id, { pool: 10 });
    expect(await all()).toEqual([false, false, true]);
  });
});
