// Tests what writes of datasets and expansions change beyond their response.
import { describe, expect, it } from 'vitest';
import { readObject as heldAt, readIds as idsAt, type Json } from '../helpers/sandbox-requests.ts';
import { renewPair } from '../helpers/shared-pair.ts';

const ERRORS = 'userErrors { code message path }';
const good = { errors: [], data: { it: { userErrors: [] } } };

const pair = renewPair({ sandbox: { step: 0 } });

const held = (path: string) => heldAt(pair.sandbox, `/v7.0${path}`);
const ids = (path: string) => idsAt(pair.sandbox, `/v7.0${path}`);
const write = (mutation: string, login: 'admin' | 'user' = 'admin') =>
  pair.ask<{ it: Json }>(`mutation { it: ${mutation} }`, { login });

/** Ids of a dataset and all below it. */
async function tree(id: number): Promise<readonly number[]> {
  return [
    id,
    ...(await ids(`/datasets?dataset[dataset]=${id}&dataset[limit]=100`)).filter((own) => own !== id),
  ];
}

describe('writes of datasets', () => {
  it('[dataset#create/automount/effect] the sandbox mounts a new dataset below its parent’s mounts only when asked to', async () => {
    const mounts = async () => ids('/vpses/1/mounts');
    const [mount] = (await held('/vpses/1/mounts')) as unknown as readonly Json[];
    const parent = mount?.['dataset']?.['id'];
    const before = await mounts();
    for (const [name, automount] of [
      ['quiet', false],
      ['mounted', true],
    ] as const) {
      const input = `{ name: "${name}", dataset: ${parent}, automount: ${automount} }`;
      expect(await write(`datasetCreate(input: ${input}) { ${ERRORS} }`)).toMatchObject(good);
      expect((await mounts()).length).toBe(before.length + Number(automount));
    }
  });

  it('[dataset#delete/subtree] the sandbox deletes a dataset with its subdatasets and their snapshots', async () => {
    const below = await tree(103);
    expect(below.length).toBeGreaterThan(2);
    const snapshots = (await Promise.all(below.map((id) => ids(`/datasets/${id}/snapshots`)))).flat();
    expect(snapshots.length).toBeGreaterThan(0);
    expect(await write(`datasetDelete(id: 103) { ${ERRORS} }`)).toMatchObject(good);
    for (const id of below) {
      expect(await held(`/datasets/${id}`)).toBeUndefined();
      expect(await held(`/datasets/${id}/snapshots`)).toBeUndefined();
    }
    expect(await held('/datasets/101')).toMatchObject({ name: 'archive' });
  });

  it('[dataset#inherit/effect] the sandbox gives a dataset the properties of its parent', async () => {
    const parent = await held('/datasets/103');
    expect(await held('/datasets/107')).toMatchObject({ sync: 'disabled', atime: false });
    expect(parent).toMatchObject({ sync: 'standard', atime: true });
    const inherit = `datasetInherit(id: 107, input: { property: "sync, atime" }) { ${ERRORS} }`;
    expect(await write(inherit)).toMatchObject(good);
    const after = await held('/datasets/107');
    expect(after).toMatchObject({ sync: 'standard', atime: true });
  });

  it('[dataset#migrate/effect] the sandbox moves a dataset and its subdatasets to another pool', async () => {
    const pool = async (id: number) => ids(`/datasets?dataset[primary_pool]=${id}&dataset[limit]=500`);
    const moving = await tree(12);
    expect(await pool(5)).toEqual(expect.arrayContaining([...moving]));
    expect(await write(`datasetMigrate(id: 12, input: { pool: 2 }) { ${ERRORS} }`)).toMatchObject(good);
    expect(await pool(2)).toEqual(expect.arrayContaining([...moving]));
    expect((await pool(5)).filter((id) => moving.includes(id))).toEqual([]);
  });

  it('[dataset#migrate/finish_weekday/effect, dataset#migrate/finish_minutes/effect] a migration finishes on the requested day and minute', async () => {
    const friday = '2027-01-15T08:00:00Z';
    for (const [input, ends] of [
      ['finishWeekday: 6, finishMinutes: 90', '2027-01-16T01:30:00Z'],
      ['finishMinutes: 540', '2027-01-15T09:00:00Z'],
      ['finishWeekday: 0', '2027-01-17T00:00:00Z'],
    ] as const) {
      let now = Date.parse(friday);
      await pair.renew({ step: 'manual', now: () => now });
      const isMoved = async () =>
        (await ids('/datasets?dataset[primary_pool]=2&dataset[limit]=1000')).includes(12);
      const begun = await write(`datasetMigrate(id: 12, input: { pool: 2, ${input} }) { ${ERRORS} }`);
      expect(begun).toMatchObject(good);
      for (const [time, moved] of [
        [now, false],
        [Date.parse(ends) - 1, false],
        [Date.parse(ends), true],
      ] as const) {
        now = time;
        pair.sandbox.advance(50);
        expect([input, time, await isMoved()]).toEqual([input, time, moved]);
      }
    }
  });

  it('[dataset#migrate/cleanup_data/effect] a migration without cleanup leaves the data on the old pool', async () => {
    const isOn = async (pool: number) =>
      (await ids(`/datasets?dataset[primary_pool]=${pool}&dataset[limit]=1000`)).includes(12);
    const migrate = (pool: number, cleanupData: boolean) =>
      write(`datasetMigrate(id: 12, input: { pool: ${pool}, cleanupData: ${cleanupData} }) { ${ERRORS} }`);
    expect(await migrate(2, false)).toMatchObject(good);
    expect([await isOn(5), await isOn(2)]).toEqual([true, true]);
    expect(await migrate(5, true)).toMatchObject(good);
    expect([await isOn(5), await isOn(2)]).toEqual([true, false]);
  });

  it('[dataset#find_by_name/user] the sandbox finds a dataset by its name among those of one user', async () => {
    const find = async (user: number) =>
      (await pair.ask<{ it: Json }>(`{ it: datasetByName(name: "atlas", user: ${user}) { databaseId } }`))
        .data?.it;
    expect(await find(2)).toEqual({ databaseId: 12 });
    expect(await find(4)).toBeNull();
    const start = '{ it: datasetByName(name: "atl", user: 2) { databaseId } }';
    expect((await pair.ask(start)).data).toEqual({ it: null });
  });

  it('[dataset#update/admin_override] only an administrator’s override assigns more space than a user has', async () => {
    const update = (login: 'admin' | 'user', more: string) =>
      write(`datasetUpdate(id: 12, input: { refquota: 900000000${more} }) { ${ERRORS} }`, login);
    const refused = { data: { it: { userErrors: [{ code: 'REFUSED' }] } } };
    expect(await update('user', '')).toMatchObject(refused);
    expect((await update('user', ', adminOverride: true')).errors[0]?.message).toContain('is not defined');
    expect(await held('/datasets/12')).toMatchObject({ refquota: 174_080 });
    expect(await update('admin', ', adminOverride: true')).toMatchObject(good);
    expect(await held('/datasets/12')).toMatchObject({ refquota: 900_000_000 });
  });

  it('[dataset.snapshot#rollback/effect] a rollback restores a dataset and removes its later snapshots', async () => {
    const [first = 0, second = 0, ...later] = await ids('/datasets/12/snapshots');
    expect(later.length).toBeGreaterThan(0);
    const id = `dataset/12/snapshot/${second}`;
    expect(await write(`datasetSnapshotRollback(id: "${id}") { ${ERRORS} }`)).toMatchObject(good);
    expect(await ids('/datasets/12/snapshots')).toEqual([first, second]);
    const { used, referenced } = (await held('/datasets/12')) ?? {};
    expect(used).toBe(referenced);
  });
});

describe('expansions', () => {
  it('[dataset_expansion#create/effect, dataset_expansion.history#create/effect] an expansion raises the quota by the added space', async () => {
    const quota = async () => (await held('/datasets/106'))?.['refquota'];
    const before = Number(await quota());
    const create = `datasetExpansionCreate(input: { dataset: 106, addedSpace: 1024 }) { made: datasetExpansion { databaseId originalRefquota } ${ERRORS} }`;
    const { data } = await write(create);
    expect(data?.it).toMatchObject({ made: { originalRefquota: before }, userErrors: [] });
    expect(await quota()).toBe(before + 1024);
    const id = data?.it['made']?.['databaseId'];
    expect(await held('/datasets/106')).toMatchObject({ dataset_expansion: { id } });
    const more = `datasetExpansionHistoryCreate(datasetExpansion: ${id}, input: { addedSpace: 512 }) { made: history { newRefquota } ${ERRORS} }`;
    expect((await write(more)).data?.it).toMatchObject({
      made: { newRefquota: before + 1536 },
      userErrors: [],
    });
    expect(await quota()).toBe(before + 1536);
    expect(await held(`/dataset_expansions/${id}`)).toMatchObject({ added_space: 1536 });
  });
});
