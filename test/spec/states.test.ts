// Tests action states: their list, their effects on the sandbox, and polls.
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  readObject as heldAt,
  readIds as idsAt,
  type Json,
  ordinaryUser as ordinary,
} from '../helpers/sandbox-requests.ts';
import { renewPair } from '../helpers/shared-pair.ts';

const ERRORS = 'userErrors { code message path }';
const good = { errors: [], data: { it: { userErrors: [] } } };
const SNAPSHOT = 'datasetSnapshotCreate(dataset: 12) { actionState { databaseId } }';

const pair = renewPair({ sandbox: { step: 'manual' } });
const held = (path: string) => heldAt(pair.sandbox, `/v7.0${path}`);
const ids = (path: string) => idsAt(pair.sandbox, `/v7.0${path}`);
const write = (mutation: string) => pair.ask<{ it: Json }>(`mutation { it: ${mutation} }`);

afterEach(() => void vi.useRealTimers());

describe('the states of actions', () => {
  it('[action_state#index/paging] the list of states pages by from_id and limit', async () => {
    const all = await ids('/action_states?action_state[order]=oldest');
    expect(all.length).toBeGreaterThan(4);
    const page = await ids(
      `/action_states?action_state[order]=oldest&action_state[from_id]=${all[1]}&action_state[limit]=2`,
    );
    expect(page).toEqual(all.slice(2, 4));
    const query = '{ it: actionStates(first: 100) { nodes { databaseId } } }';
    const { data } = await pair.ask<{ it: { nodes: readonly { databaseId: number }[] } }>(query);
    expect(data?.it.nodes.map(({ databaseId }) => databaseId)).toEqual([...all].reverse());
  });

  it('[action_state#poll/timeout/left-out] a poll without timeout waits 15 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    let answer: Json | undefined;
    const poll = held('/action_states/103/poll').then((told) => {
      answer = told;
    });
    while (pair.sandbox.openPolls === 0) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(14_900);
    await new Promise((resolve) => setImmediate(resolve));
    expect([pair.sandbox.openPolls, answer]).toEqual([1, undefined]);
    vi.advanceTimersByTime(200);
    await poll;
    expect(answer).toMatchObject({ id: 103, finished: false });
  });

  it('[blocking/updated] each step of an action changes its updated_at', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { data } = await write(SNAPSHOT);
    const path = `/action_states/${data?.it['actionState']?.['databaseId']}`;
    const before = await held(path);
    vi.setSystemTime(Date.now() + 1_000);
    pair.sandbox.advance();
    const after = await held(path);
    expect(Date.parse(String(after?.['updated_at']))).toBeGreaterThan(
      Date.parse(String(before?.['updated_at'])),
    );
    expect(after?.['created_at']).toBe(before?.['created_at']);
  });

  it('[blocking/lock] the sandbox rejects a write to the objects of a running action', async () => {
    const { data } = await write(SNAPSHOT);
    const id = data?.it['actionState']?.['databaseId'];
    const refused = await write(`datasetUpdate(id: 12, input: { atime: true }) { ${ERRORS} }`);
    expect(pair.calls.at(-1)).toMatchObject({ scope: 'dataset#update', status: 423 });
    expect(JSON.stringify(refused.data)).toContain(`action state ${id}`);
    expect(await write(`datasetUpdate(id: 145, input: { atime: false }) { ${ERRORS} }`)).toMatchObject(good);
    pair.sandbox.advance(10);
    expect(await write(`datasetUpdate(id: 12, input: { atime: true }) { ${ERRORS} }`)).toMatchObject(good);
  });

  it('[blocking/undo] a failed action leaves no snapshot', async () => {
    const before = await ids('/datasets/12/snapshots');
    pair.sandbox.failNext('below', 'dataset.snapshot#create');
    await write(`datasetSnapshotCreate(dataset: 12) { ${ERRORS} }`);
    expect((await ids('/datasets/12/snapshots')).length).toBe(before.length + 1);
    pair.sandbox.advance(20);
    expect(await ids('/datasets/12/snapshots')).toEqual(before);
  });

  it('[action_state#index/unfinished] the list of states has only the caller’s unfinished actions', async () => {
    const mine = await ids('/action_states');
    const others = await idsAt(pair.sandbox, '/v7.0/action_states', ordinary(pair.sandbox));
    expect(others.length).toBeGreaterThan(0);
    expect(mine.filter((id) => others.includes(id))).toEqual([]);
    for (const id of mine) expect(await held(`/action_states/${id}`)).toMatchObject({ finished: false });
    expect((await pair.ask(`{ it: actionState(id: ${others[0]}) { databaseId } }`)).data).toEqual({
      it: null,
    });
    const { data } = await write(SNAPSHOT);
    const id = Number(data?.it['actionState']?.['databaseId']);
    expect(await ids('/action_states')).toContain(id);
    pair.sandbox.advance(10);
    expect(await ids('/action_states')).not.toContain(id);
    expect(await held(`/action_states/${id}`)).toMatchObject({ finished: true });
  });

  it('[blocking/cancel] a cancelled action is rolled back until nothing is left', async () => {
    const before = await held('/datasets/12/snapshots');
    const id = (await write(SNAPSHOT)).data?.it['actionState']?.['databaseId'];
    pair.sandbox.advance(2);
    const cancel = () => write(`actionStateCancel(id: ${id}) { ${ERRORS} }`);
    expect(await cancel()).toMatchObject(good);
    const stopped = { status: false, can_cancel: false, finished: false };
    expect(await held(`/action_states/${id}`)).toMatchObject(stopped);
    expect((await cancel()).data?.it['userErrors']).toHaveLength(1);
    pair.sandbox.advance(10);
    const over = { status: false, can_cancel: false, finished: true, current: 0 };
    expect(await held(`/action_states/${id}`)).toMatchObject(over);
    expect(await held('/datasets/12/snapshots')).toEqual(before);
  });
});

describe('polls', () => {
  const SEEN = { status: true, current: 3, total: 12 };
  const poll = (input: object) => {
    const query = Object.entries(input).map(([name, value]) => `action_state[${name}]=${value}`);
    return held(`/action_states/103/poll?${query.join('&')}`);
  };

  for (const [name, other] of Object.entries({ status: false, current: 2, total: 13 })) {
    it(`[action_state#poll/${name}] a poll returns at once when its ${name} differs`, async () => {
      const begun = performance.now();
      expect(await poll({ ...SEEN, [name]: other, update_in: 1 })).toMatchObject({ id: 103, ...SEEN });
      expect(performance.now() - begun, 'a poll waits 15 seconds').toBeLessThan(10_000);
    });
  }

  it('[action_state#poll/update_in] a poll returns at the next progress when nothing differs', async () => {
    const answer = poll({ ...SEEN, update_in: 1 });
    await expect.poll(() => pair.sandbox.openPolls).toBe(1);
    pair.sandbox.advance();
    expect(await answer).toMatchObject({ current: 4, finished: false });
  });

  it('[action_state#poll/without-update_in] a poll that does not ask for progress returns only when the action ends', async () => {
    const answer = poll({ current: 2 });
    await expect.poll(() => pair.sandbox.openPolls).toBe(1);
    pair.sandbox.advance();
    // It looks, and goes on waiting.
    await expect.poll(() => pair.sandbox.openPolls).toBe(1);
    pair.sandbox.advance(20);
    expect(await answer).toMatchObject({ current: 12, finished: true });
  });
});
