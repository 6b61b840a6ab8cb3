// Tests blocking actions, waits for them and their cancellation, through GraphQL.
import { describe, expect, it } from 'vitest';
import { type Json, send } from '../helpers/sandbox-requests.ts';
import { renewPair } from '../helpers/shared-pair.ts';

const STATE = 'databaseId finished status current total updatedAt canCancel';
const CREATE = `datasetSnapshotCreate(dataset: 12) { actionState { ${STATE} } }`;

interface State {
  readonly databaseId: number;
  readonly finished: boolean;
  readonly status: boolean;
  readonly current: number;
  readonly total: number;
  readonly updatedAt: string;
  readonly canCancel: boolean;
}

const pair = renewPair({ sandbox: { step: 'manual' } });

/** Starts a snapshot; its state. */
async function start(): Promise<State> {
  const { data } = await pair.ask<{ it: { actionState: State } }>(`mutation { it: ${CREATE} }`);
  if (!data) throw new Error('expected an action state');
  return data.it.actionState;
}

async function look(id: number): Promise<State | undefined> {
  return (await pair.ask<{ it: State }>(`{ it: actionState(id: ${id}) { ${STATE} } }`)).data?.it;
}

describe('blocking actions', () => {
  it('[blocking/result, state/none] a blocking action returns the id of its state, whose progress is below its total', async () => {
    const state = await start();
    expect(state).toMatchObject({ finished: false, status: true, current: 0 });
    expect(state.current).toBeLessThan(state.total);
    const { envelope } = await send(pair.sandbox, `/v7.0/action_states/${state.databaseId}`);
    expect(envelope['response']?.['action_state']).toMatchObject({ id: state.databaseId, finished: false });
  });

  it('[blocking/meta] a blocking action returns action_state_id in the global metadata', async () => {
    const headers = { 'content-type': 'application/json' };
    const reply = await send(pair.sandbox, '/v7.0/datasets/12/snapshots', undefined, {
      method: 'POST',
      headers,
      body: '{"snapshot":{}}',
    });
    const id = reply.envelope['response']?.['_meta']?.['action_state_id'];
    expect(id).toEqual(expect.any(Number));
    expect(await look(Number(id))).toMatchObject({ databaseId: id });
  });

  it('[blocking/null] a blocking action with nothing to wait for returns no state', async () => {
    await pair.renew({ step: 0 });
    const cancel =
      'mutation { it: actionStateCancel(id: 103) { actionState { databaseId } userErrors { message } } }';
    expect((await pair.ask(cancel)).data).toEqual({ it: { actionState: null, userErrors: [] } });
    expect(pair.calls.at(-1)).toMatchObject({
      method: 'POST',
      path: '/v7.0/action_states/103/cancel',
      status: 200,
    });
  });

  it('[state/progress] a running action advances its progress', async () => {
    const before = await start();
    pair.sandbox.advance();
    const after = await look(before.databaseId);
    expect(after).toMatchObject({ current: before.current + 1, total: before.total, finished: false });
  });

  it('[state/finished] an action is finished when its progress equals its total', async () => {
    const { databaseId, total } = await start();
    pair.sandbox.advance(total);
    expect(await look(databaseId)).toMatchObject({
      finished: true,
      status: true,
      current: total,
      total,
    });
  });

  it('[state/failing] a failed action has the status false', async () => {
    pair.sandbox.failNext('below', 'dataset.snapshot#create');
    const { databaseId, total } = await start();
    pair.sandbox.advance(total * 2);
    expect(await look(databaseId)).toMatchObject({ finished: true, status: false });
  });
});

describe('waits', () => {
  const WAIT = CREATE.replace('dataset: 12', 'dataset: 12, wait: 20');

  it('[state/poll-answered, action_state#poll] a wait polls with the last seen progress until the action ends', async () => {
    const answer = pair.ask<{ it: { actionState: State } }>(`mutation { it: ${WAIT} }`);
    await expect.poll(() => pair.sandbox.openPolls).toBe(1);
    pair.sandbox.advance();
    await expect.poll(() => pair.calls.filter(({ scope }) => scope === 'action_state#poll').length).toBe(1);
    await expect.poll(() => pair.sandbox.openPolls).toBe(1);
    pair.sandbox.advance(20);
    expect((await answer).data?.it.actionState).toMatchObject({ finished: true, status: true });
    const polls = pair.calls.filter(({ scope }) => scope === 'action_state#poll');
    for (const { method, path } of polls)
      expect(`${method} ${path}`).toMatch(/^GET \/v7.0\/action_states\/\d+\/poll$/);
    const sent = polls.map(({ query }) => Object.fromEntries(new URLSearchParams(query)));
    expect(sent).toContainEqual({
      'action_state[status]': 'true',
      'action_state[current]': expect.any(String),
      'action_state[total]': expect.any(String),
      'action_state[update_in]': expect.any(String),
      'action_state[timeout]': expect.any(String),
    });
  });

  it('[action_state#poll/timeout/passes] a wait ends at its timeout with the unfinished state', async () => {
    const short = CREATE.replace('dataset: 12', 'dataset: 12, wait: 0.2');
    const { data } = await pair.ask<{ it: { actionState: State } }>(`mutation { it: ${short} }`);
    expect(data?.it.actionState).toMatchObject({ finished: false });
    const id = data?.it.actionState.databaseId;
    const { envelope } = await send(
      pair.sandbox,
      `/v7.0/action_states/${id}/poll?action_state[timeout]=0.05`,
    );
    expect(envelope['response']?.['action_state']).toMatchObject({ finished: false });
  });

  it('[limit/poll-timeout, action_state#poll/timeout/default] the description says that a poll waits 15 seconds by default and needs no credential', async () => {
    const { envelope } = await send(pair.sandbox, '/v7.0/action_states/103/poll?method=GET', null, {
      method: 'OPTIONS',
    });
    expect(envelope['response']).toMatchObject({
      auth: false,
      input: { parameters: { timeout: { type: 'Float', default: 15 }, update_in: { type: 'Float' } } },
    });
  });
});

describe('cancellations', () => {
  const CANCEL =
    'actionState { databaseId label } target { databaseId canCancel status } userErrors { message }';
  type Cancelled = { readonly it: Json };

  it('[state/cancel, action_state#cancel] a cancellation is a POST, and stops an action whose state allows it', async () => {
    const { databaseId, canCancel } = await start();
    expect(canCancel).toBe(true);
    pair.sandbox.advance();
    const { data } = await pair.ask<Cancelled>(
      `mutation { it: actionStateCancel(id: ${databaseId}) { ${CANCEL} } }`,
    );
    expect(data?.it['userErrors']).toEqual([]);
    expect(pair.calls.find(({ scope }) => scope === 'action_state#cancel')).toMatchObject({
      method: 'POST',
      path: `/v7.0/action_states/${databaseId}/cancel`,
    });
    expect(await look(databaseId)).toMatchObject({ status: false, finished: false });
  });

  it('[state/cancel-blocking] a cancellation is a blocking action with its own state', async () => {
    await pair.renew({ step: 'manual', cancelBlocks: true });
    const { databaseId } = await start();
    const { data } = await pair.ask<Cancelled>(
      `mutation { it: actionStateCancel(id: ${databaseId}) { ${CANCEL} } }`,
    );
    expect(data?.it['actionState']?.['databaseId']).not.toBe(databaseId);
    expect(data?.it['actionState']).toMatchObject({ databaseId: expect.any(Number) });
  });

  it('[state/cancel-refused] the sandbox refuses to cancel an action whose state does not allow it', async () => {
    const { data } = await pair.ask<Cancelled>(`mutation { it: actionStateCancel(id: 105) { ${CANCEL} } }`);
    expect(data?.it['userErrors']).toHaveLength(1);
    expect(pair.calls.find(({ scope }) => scope === 'action_state#cancel')).toMatchObject({ status: 200 });
  });
});

describe('the list of states', () => {
  it('[action_state#index/order] the list of states begins with the newest unless the request asks for the oldest', async () => {
    const ids = async (filter: string) =>
      (
        await pair.ask<{ it: { nodes: { databaseId: number }[] } }>(
          `{ it: actionStates${filter} { nodes { databaseId } } }`,
        )
      ).data?.it.nodes.map(({ databaseId }) => databaseId);
    const newest = await ids('');
    expect(newest).toEqual([113, 111, 109, 105, 103]);
    expect(await ids('(filter: { order: OLDEST })')).toEqual([...(newest ?? [])].reverse());
    expect(pair.calls.map(({ query }) => /order/.test(query))).toEqual([false, true]);
  });
});
