import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { type Pair, startPair } from '../helpers/facade.ts';
import {
  readObject as heldAt,
  readIds as idsAt,
  type Json,
  ordinaryUser as ordinary,
} from '../helpers/sandbox-requests.ts';

const ERRORS = 'userErrors { code message path }';
const good = { errors: [], data: { it: { userErrors: [] } } };
const SNAPSHOT = 'datasetSnapshotCreate(dataset: 12) { actionState { databaseId } }';

const manual = () => startPair({ sandbox: { step: 'manual' } });
const held = ({ sandbox }: Pair, path: string) => heldAt(sandbox, `/v7.0${path}`);
const ids = ({ sandbox }: Pair, path: string) => idsAt(sandbox, `/v7.0${path}`);
const write = (pair: Pair, mutation: string) => pair.ask<{ it: Json }>(`mutation { it: ${mutation} }`);

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
    const { data } = await write(pair, SNAPSHOT);
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
    const { data } = await write(pair, SNAPSHOT);
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

  it('list what has not ended, and nobody else’s', async () => {
    await using pair = await manual();
    const mine = await ids(pair, '/action_states');
    const others = await idsAt(pair.sandbox, '/v7.0/action_states', ordinary(pair.sandbox));
    expect(others.length).toBeGreaterThan(0);
    expect(mine.filter((id) => others.includes(id))).toEqual([]);
    for (const id of mine)
      expect(await held(pair, `/action_states/${id}`)).toMatchObject({ finished: false });
    expect((await pair.ask(`{ it: actionState(id: ${others[0]}) { databaseId } }`)).data).toEqual({
      it: null,
    });
    const { data } = await write(pair, SNAPSHOT);
    const id = Number(data?.it['actionState']?.['databaseId']);
    expect(await ids(pair, '/action_states')).toContain(id);
    pair.sandbox.advance(10);
    expect(await ids(pair, '/action_states')).not.toContain(id);
    expect(await held(pair, `/action_states/${id}`)).toMatchObject({ finished: true });
  });

  it('that are cancelled are rolled back to nothing', async () => {
    await using pair = await manual();
    const before = await held(pair, '/datasets/12/snapshots');
    const id = (await write(pair, SNAPSHOT)).data?.it['actionState']?.['databaseId'];
    pair.sandbox.advance(2);
    const cancel = () => write(pair, `actionStateCancel(id: ${id}) { ${ERRORS} }`);
    expect(await cancel()).toMatchObject(good);
    const stopped = { status: false, can_cancel: false, finished: false };
    expect(await held(pair, `/action_states/${id}`)).toMatchObject(stopped);
    expect((await cancel()).data?.it['userErrors']).toHaveLength(1);
    pair.sandbox.advance(10);
    const over = { status: false, can_cancel: false, finished: true, current: 0 };
    expect(await held(pair, `/action_states/${id}`)).toMatchObject(over);
    expect(await held(pair, '/datasets/12/snapshots')).toEqual(before);
  });
});

describe('a poll', () => {
  const SEEN = { status: true, current: 3, total: 12 };
  const poll = (pair: Pair, input: object) => {
    const query = Object.entries(input).map(([name, value]) => `action_state[${name}]=${value}`);
    return held(pair, `/action_states/103/poll?${query.join('&')}`);
  };

  it.each(Object.entries({ status: false, current: 2, total: 13 }))(
    'is answered at once where its %s is another',
    async (name, other) => {
      await using pair = await manual();
      const answer = poll(pair, { ...SEEN, [name]: other, update_in: 1 });
      expect(await Promise.race([answer, pause(2_000)])).toMatchObject({ id: 103, ...SEEN });
    },
  );

  it('is answered by the next progress where all is as it was seen', async () => {
    await using pair = await manual();
    const answer = poll(pair, { ...SEEN, update_in: 1 });
    await expect.poll(() => pair.sandbox.openPolls).toBe(1);
    pair.sandbox.advance();
    expect(await answer).toMatchObject({ current: 4, finished: false });
  });

  it('is answered by the end alone where it does not ask for progress', async () => {
    await using pair = await manual();
    const answer = poll(pair, { current: 2 });
    await expect.poll(() => pair.sandbox.openPolls).toBe(1);
    pair.sandbox.advance();
    // It looks, and goes on waiting.
    await expect.poll(() => pair.sandbox.openPolls).toBe(1);
    pair.sandbox.advance(20);
    expect(await answer).toMatchObject({ current: 12, finished: true });
  });
});
