import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { type Pair, startPair } from '../helpers/facade.ts';
import { type Json, send } from '../helpers/sandbox-requests.ts';

const ERRORS = 'userErrors { code message path }';
const good = { errors: [], data: { it: { userErrors: [] } } };

const instant = () => startPair({ sandbox: { step: 0 } });
const manual = () => startPair({ sandbox: { step: 'manual' } });

/** What the sandbox holds at a path; undefined for nothing. */
async function held(pair: Pair, path: string): Promise<Json | undefined> {
  const { envelope } = await send(pair.sandbox, `/v7.0${path}`);
  return Object.entries(envelope['response'] ?? {}).find(([name]) => name !== '_meta')?.[1];
}

/** Ids of a list's rows. */
async function ids(pair: Pair, path: string): Promise<readonly number[]> {
  return ((await held(pair, path)) as unknown as readonly { id: number }[]).map(({ id }) => id);
}

const write = (pair: Pair, mutation: string, as: 'admin' | 'user' = 'admin') =>
  pair.ask<{ it: Json }>(`mutation { it: ${mutation} }`, { as });

/** Ids of a dataset and all below it. */
async function tree(pair: Pair, id: number): Promise<readonly number[]> {
  return [
    id,
    ...(await ids(pair, `/datasets?dataset[dataset]=${id}&dataset[limit]=100`)).filter((own) => own !== id),
  ];
}

describe('a write of a dataset', () => {
  it('mounts a new dataset below its parent’s mounts, only where asked to', async () => {
    await using pair = await instant();
    const mounts = async () => ids(pair, '/vpses/1/mounts');
    const [mount] = (await held(pair, '/vpses/1/mounts')) as unknown as readonly Json[];
    const parent = mount?.['dataset']?.['id'];
    const before = await mounts();
    for (const [name, automount] of [
      ['quiet', false],
      ['mounted', true],
    ] as const) {
      const input = `{ name: "${name}", dataset: ${parent}, automount: ${automount} }`;
      expect(await write(pair, `datasetCreate(input: ${input}) { ${ERRORS} }`)).toMatchObject(good);
      expect((await mounts()).length).toBe(before.length + Number(automount));
    }
  });

  it('deletes a dataset with all that is below it, and their snapshots', async () => {
    await using pair = await instant();
    const below = await tree(pair, 103);
    expect(below.length).toBeGreaterThan(2);
    const snapshots = (await Promise.all(below.map((id) => ids(pair, `/datasets/${id}/snapshots`)))).flat();
    expect(snapshots.length).toBeGreaterThan(0);
    expect(await write(pair, `datasetDelete(id: 103) { ${ERRORS} }`)).toMatchObject(good);
    for (const id of below) {
      expect(await held(pair, `/datasets/${id}`)).toBeUndefined();
      expect(await held(pair, `/datasets/${id}/snapshots`)).toBeUndefined();
    }
    expect(await held(pair, '/datasets/101')).toMatchObject({ name: 'archive' });
  });

  it('gives a dataset the properties of its parent', async () => {
    await using pair = await instant();
    const parent = await held(pair, '/datasets/103');
    expect(await held(pair, '/datasets/107')).toMatchObject({ sync: 'disabled', atime: false });
    expect(parent).toMatchObject({ sync: 'standard', atime: true });
    const inherit = `datasetInherit(id: 107, input: { property: "sync, atime" }) { ${ERRORS} }`;
    expect(await write(pair, inherit)).toMatchObject(good);
    const after = await held(pair, '/datasets/107');
    expect(after).toMatchObject({ sync: 'standard', atime: true });
  });

  it('moves a dataset and what is below it to another pool', async () => {
    await using pair = await instant();
    const pool = async (id: number) => ids(pair, `/datasets?dataset[primary_pool]=${id}&dataset[limit]=500`);
    const moving = await tree(pair, 12);
    expect(await pool(5)).toEqual(expect.arrayContaining([...moving]));
    expect(await write(pair, `datasetMigrate(id: 12, input: { pool: 2 }) { ${ERRORS} }`)).toMatchObject(good);
    expect(await pool(2)).toEqual(expect.arrayContaining([...moving]));
    expect((await pool(5)).filter((id) => moving.includes(id))).toEqual([]);
  });

  it('finds a dataset among those of one user', async () => {
    await using pair = await instant();
    const find = async (user: number) =>
      (await pair.ask<{ it: Json }>(`{ it: datasetFindByName(name: "atlas", user: ${user}) { databaseId } }`))
        .data?.it;
    expect(await find(2)).toEqual({ databaseId: 12 });
    expect(await find(4)).toBeNull();
  });

  it('assigns more space than a user has by an administrator’s override alone', async () => {
    await using pair = await instant();
    const update = (as: 'admin' | 'user', more: string) =>
      write(pair, `datasetUpdate(id: 12, input: { refquota: 900000000${more} }) { ${ERRORS} }`, as);
    const refused = { data: { it: { userErrors: [{ path: ['input', 'refquota'] }] } } };
    expect(await update('user', '')).toMatchObject(refused);
    expect((await update('user', ', adminOverride: true')).errors[0]?.message).toContain('is not defined');
    expect(await held(pair, '/datasets/12')).toMatchObject({ refquota: 174_080 });
    expect(await update('admin', ', adminOverride: true')).toMatchObject(good);
    expect(await held(pair, '/datasets/12')).toMatchObject({ refquota: 900_000_000 });
  });

  it('binds others to the quota that an administrator has locked', async () => {
    await using pair = await instant();
    const update = (as: 'admin' | 'user', input: string) =>
      write(pair, `datasetUpdate(id: 15, input: { ${input} }) { ${ERRORS} }`, as);
    expect(await update('admin', 'refquota: 1000, adminLockType: ABSOLUTE')).toMatchObject(good);
    expect(await update('user', 'refquota: 1001')).toMatchObject({
      data: { it: { userErrors: [{ path: ['input', 'refquota'] }] } },
    });
    expect(await update('user', 'atime: true')).toMatchObject(good);
    expect(await update('admin', 'refquota: 2000')).toMatchObject(good);
    expect(await held(pair, '/datasets/15')).toMatchObject({ refquota: 2000, atime: true });
  });

  it('rolls a dataset back, and later snapshots go', async () => {
    await using pair = await instant();
    const [first = 0, second = 0, ...later] = await ids(pair, '/datasets/12/snapshots');
    expect(later.length).toBeGreaterThan(0);
    const id = `dataset/12/snapshot/${second}`;
    expect(await write(pair, `datasetSnapshotRollback(id: "${id}") { ${ERRORS} }`)).toMatchObject(good);
    expect(await ids(pair, '/datasets/12/snapshots')).toEqual([first, second]);
  });
});

describe('an expansion', () => {
  it('expands the quota by the space that is added', async () => {
    await using pair = await instant();
    const quota = async () => (await held(pair, '/datasets/106'))?.['refquota'];
    const before = Number(await quota());
    const create = `datasetExpansionCreate(input: { dataset: 106, addedSpace: 1024 }) { made: datasetExpansion { databaseId originalRefquota } ${ERRORS} }`;
    const { data } = await write(pair, create);
    expect(data?.it).toMatchObject({ made: { originalRefquota: before }, userErrors: [] });
    expect(await quota()).toBe(before + 1024);
    const id = data?.it['made']?.['databaseId'];
    const more = `datasetExpansionHistoryCreate(datasetExpansion: ${id}, input: { addedSpace: 512 }) { made: history { newRefquota } ${ERRORS} }`;
    expect((await write(pair, more)).data?.it).toMatchObject({
      made: { newRefquota: before + 1536 },
      userErrors: [],
    });
    expect(await quota()).toBe(before + 1536);
    expect(await held(pair, `/dataset_expansions/${id}`)).toMatchObject({ added_space: 1536 });
  });
});

describe('the cluster', () => {
  it('counts each VPS and user in one state', async () => {
    await using pair = await instant();
    const counts = await held(pair, '/cluster/full_stats');
    const of = (...names: string[]) => names.reduce((sum, name) => sum + Number(counts?.[name]), 0);
    const vpses = (await held(pair, '/vpses')) as unknown as readonly Json[];
    const are = (state: string) => vpses.filter((vps) => String(vps['object_state']) === state).length;
    expect(of('vps_count')).toBe(vpses.length);
    expect(of('vps_running', 'vps_stopped', 'vps_suspended', 'vps_deleted')).toBe(vpses.length);
    expect([of('vps_suspended'), of('vps_deleted')]).toEqual([are('suspended'), are('deleted')]);
    expect(of('vps_running')).toBe(
      vpses.filter((vps) => String(vps['object_state']) === 'active' && String(vps['is_running']) === 'true')
        .length,
    );
    expect(of('user_active', 'user_suspended', 'user_deleted')).toBe(of('user_count'));
    expect(of('user_count')).toBe((await ids(pair, '/users')).length);
    expect(of('user_suspended')).toBeGreaterThan(0);
  });
});

describe('the states of actions', () => {
  it('pages the states of actions', async () => {
    await using pair = await manual();
    const all = await ids(pair, '/action_states?action_state[order]=oldest');
    expect(all.length).toBeGreaterThan(4);
    const page = await ids(
      pair,
      `/action_states?action_state[order]=oldest&action_state[from_id]=${all[1]}&action_state[limit]=2`,
    );
    expect(page).toEqual(all.slice(2, 4));
    const query = '{ it: actionStates(first: 100) { nodes { databaseId } } }';
    const { data } = await pair.ask<{ it: { nodes: readonly { databaseId: number }[] } }>(query);
    expect(data?.it.nodes.map(({ databaseId }) => databaseId)).toEqual([...all].reverse());
  });

  it('waits for 15 seconds when nobody says how long', async () => {
    await using pair = await manual();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      let answer: Json | undefined;
      const poll = held(pair, '/action_states/103/poll').then((told) => {
        answer = told;
      });
      while (pair.sandbox.openPolls === 0) await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(14_900);
      await new Promise((resolve) => setImmediate(resolve));
      expect([pair.sandbox.openPolls, answer]).toEqual([1, undefined]);
      vi.advanceTimersByTime(200);
      await poll;
      expect(answer).toMatchObject({ id: 103, finished: false });
    } finally {
      vi.useRealTimers();
    }
  });

  it('tells the time of each step', async () => {
    await using pair = await manual();
    const { data } = await write(pair, 'datasetSnapshotCreate(dataset: 12) { actionState { databaseId } }');
    const path = `/action_states/${data?.it['actionState']?.['databaseId']}`;
    const before = await held(pair, path);
    await pause(1_100);
    pair.sandbox.advance();
    const after = await held(pair, path);
    expect(Date.parse(String(after?.['updated_at']))).toBeGreaterThan(
      Date.parse(String(before?.['updated_at'])),
    );
    expect(after?.['created_at']).toBe(before?.['created_at']);
  });

  it('keeps others from what an action touches', async () => {
    await using pair = await manual();
    const begun = 'datasetSnapshotCreate(dataset: 12) { actionState { databaseId } }';
    const { data } = await write(pair, begun);
    const id = data?.it['actionState']?.['databaseId'];
    const refused = await write(pair, `datasetUpdate(id: 12, input: { atime: true }) { ${ERRORS} }`);
    expect(pair.calls.at(-1)).toMatchObject({ scope: 'dataset#update', status: 423 });
    expect(JSON.stringify(refused.data)).toContain(`action state ${id}`);
    expect(await write(pair, `datasetUpdate(id: 145, input: { atime: false }) { ${ERRORS} }`)).toMatchObject(
      good,
    );
    pair.sandbox.advance(10);
    expect(await write(pair, `datasetUpdate(id: 12, input: { atime: true }) { ${ERRORS} }`)).toMatchObject(
      good,
    );
  });

  it('leaves nothing of an action that failed', async () => {
    await using pair = await manual();
    const before = await ids(pair, '/datasets/12/snapshots');
    pair.sandbox.failNext('below', 'dataset.snapshot#create');
    await write(pair, `datasetSnapshotCreate(dataset: 12) { ${ERRORS} }`);
    expect((await ids(pair, '/datasets/12/snapshots')).length).toBe(before.length + 1);
    pair.sandbox.advance(20);
    expect(await ids(pair, '/datasets/12/snapshots')).toEqual(before);
  });
});

describe('a dynamic update', () => {
  it('updates a record by an action that whoever began it can follow', async () => {
    await using pair = await manual();
    const input = '{ dnsZone: 1, name: "dyn", type: A, content: "192.0.2.1", dynamicUpdateEnabled: true }';
    const create = `dnsRecordCreate(input: ${input}) { made: dnsRecord { databaseId dynamicUpdateUrl } ${ERRORS} }`;
    const made = (await write(pair, create)).data?.it['made'];
    pair.sandbox.advance(10);
    const accessToken = String(made?.['dynamicUpdateUrl']).split('/').at(-1);
    const update = `mutation { it: dnsRecordDynamicUpdate(accessToken: "${accessToken}") { actionState { id finished } } }`;
    const { data } = await pair.ask<{ it: { actionState: Json } }>(update, { as: null });
    expect(data?.it.actionState).toMatchObject({ finished: false });
    pair.sandbox.advance(10);
    const look = `{ it: actionState(id: "${data?.it.actionState['id']}") { finished status } }`;
    expect((await pair.ask(look, { as: null })).data).toEqual({ it: { finished: true, status: true } });
    expect(await held(pair, `/dns_records/${made?.['databaseId']}`)).toMatchObject({ content: '127.0.0.1' });
  });
});
