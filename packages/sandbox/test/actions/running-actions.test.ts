// Tests the states of blocking actions: their steps, failures, locks and cancellation.
import { describe, expect, test, vi } from 'vitest';
import {
  admin,
  ordinaryUser,
  readAllProgress,
  readFailure,
  readIds,
  readObject,
  readProgress,
  send,
  stateId,
  write,
} from '../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox } from '../../src/listen-sandbox.ts';

const openManual = () => listenSandbox({ step: 'manual' });
type Sandbox = Awaited<ReturnType<typeof openManual>>;
const snapshot = async (sandbox: Sandbox, dataset = 1) =>
  stateId(await write(sandbox, 'POST', `/v7.0/datasets/${dataset}/snapshots`, admin(sandbox), {}));
const migrate = async (sandbox: Sandbox) =>
  stateId(await write(sandbox, 'POST', '/v7.0/datasets/1/migrate', admin(sandbox), { dataset: { pool: 5 } }));

describe('a blocking action', () => {
  test('is queued and moves step by step to its end', async () => {
    await using sandbox = await openManual();
    const before = sandbox.runningActions;
    const id = await snapshot(sandbox);
    expect(id).toBe(115);
    expect(sandbox.runningActions).toBe(before + 1);
    expect(await readObject(sandbox, `/v7.0/action_states/${id}`)).toEqual({
      id,
      label: 'Snapshot',
      finished: false,
      status: true,
      current: 0,
      total: 5,
      unit: 'transactions',
      can_cancel: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect(await readIds(sandbox, '/v7.0/action_states')).toContain(id);
    expect(await readAllProgress(sandbox, id)).toEqual([
      'running 0/5',
      'running 1/5',
      'running 2/5',
      'running 3/5',
      'running 4/5',
      'done 5/5',
    ]);
    expect(await readIds(sandbox, '/v7.0/action_states')).not.toContain(id);
    sandbox.advance(2048);
    expect(sandbox.runningActions).toBe(0);
  });

  test('can be advanced alone, or by several steps at once', async () => {
    await using sandbox = await openManual();
    const [first, second] = [await snapshot(sandbox, 1), await snapshot(sandbox, 2)];
    sandbox.advance(1, Number(second));
    expect(await readProgress(sandbox, first)).toBe('running 0/5');
    expect(await readProgress(sandbox, second)).toBe('running 1/5');
    sandbox.advance(9);
    expect(await readProgress(sandbox, first)).toBe('done 5/5');
    expect(await readProgress(sandbox, second)).toBe('done 5/5');
  });

  test('fails below its total, at its total, or after a rollback', async () => {
    await using sandbox = await openManual();
    sandbox.failNext('below');
    const end = async () => (await readAllProgress(sandbox, await snapshot(sandbox))).slice(-3);
    expect(await end()).toEqual(['running 1/5', 'running 2/5', 'failed 2/5']);
    sandbox.failNext('at-total');
    expect(await end()).toEqual(['running 3/5', 'running 4/5', 'failed 5/5']);
    sandbox.failNext('rollback');
    expect(await end()).toEqual(['rolling back 2/5', 'rolling back 1/5', 'failed 0/5']);
    expect(await end()).toContain('done 5/5');
    expect(await readIds(sandbox, '/v7.0/datasets/1/snapshots')).toHaveLength(1);
  });

  test('fails when its scope is to fail, and other scopes succeed', async () => {
    await using sandbox = await openManual();
    sandbox.failNext('below', 'dataset#migrate');
    expect((await readAllProgress(sandbox, await snapshot(sandbox))).at(-1)).toBe('done 5/5');
    expect((await readAllProgress(sandbox, await migrate(sandbox))).at(-1)).toBe('failed 6/12');
    expect((await readAllProgress(sandbox, await migrate(sandbox))).at(-1)).toBe('done 12/12');
  });

  test('moves by a timer, and ends at once when a step takes 0 ms', async () => {
    await using sandbox = await listenSandbox({ step: 1 });
    const id = await snapshot(sandbox);
    const poll = await send(sandbox, `/v7.0/action_states/${id}/poll`);
    expect(poll.envelope['response']?.['action_state']).toMatchObject({ finished: true, current: 5 });
    await using instant = await listenSandbox({ step: 0 });
    expect(await readProgress(instant, await snapshot(instant))).toBe('done 5/5');
    instant.failNext('rollback');
    expect(await readProgress(instant, await snapshot(instant))).toBe('failed 0/5');
    expect(await readIds(instant, '/v7.0/datasets/1/snapshots')).toHaveLength(1);
  });

  test('is hidden from other users and anonymous callers', async () => {
    await using sandbox = await openManual();
    const id = await snapshot(sandbox);
    for (const user of [ordinaryUser(sandbox), null]) {
      expect(await readProgress(sandbox, id, user)).toBe('not found');
      for (const target of [`/v7.0/action_states/${id}/poll`, '/v7.0/action_states/x/poll']) {
        expect(readFailure(await send(sandbox, target, user))).toEqual([
          200,
          false,
          'Action state not found',
        ]);
      }
      const cancel = await write(sandbox, 'POST', `/v7.0/action_states/${id}/cancel`, user);
      expect(readFailure(cancel)).toEqual([200, false, 'Action state not found']);
    }
  });
});

describe('cancelling an action', () => {
  const cancel = (sandbox: Sandbox, id: number | null) =>
    write(sandbox, 'POST', `/v7.0/action_states/${id}/cancel`);

  test('rolls the action back, so that it fails', async () => {
    await using sandbox = await openManual();
    const id = await migrate(sandbox);
    sandbox.advance(3);
    const reply = await cancel(sandbox, id);
    expect(reply.envelope['response']).toEqual({ action_state: {}, _meta: { action_state_id: null } });
    expect(await readObject(sandbox, `/v7.0/action_states/${id}`)).toMatchObject({ can_cancel: false });
    expect(await readAllProgress(sandbox, id)).toEqual([
      'rolling back 3/12',
      'rolling back 2/12',
      'rolling back 1/12',
      'failed 0/12',
    ]);
    expect((await write(sandbox, 'DELETE', '/v7.0/datasets/1')).status).toBe(200);
  });

  test('takes one step when the action is queued', async () => {
    await using sandbox = await openManual();
    const id = await snapshot(sandbox);
    await cancel(sandbox, id);
    expect(await readAllProgress(sandbox, id)).toEqual(['rolling back 0/5', 'failed 0/5']);
    expect(await readIds(sandbox, '/v7.0/datasets/1/snapshots')).toEqual([]);
  });

  test('is refused when it is not supported, is in progress, or the action has finished', async () => {
    await using sandbox = await openManual();
    const removal = stateId(await write(sandbox, 'DELETE', '/v7.0/datasets/1'));
    expect(readFailure(await cancel(sandbox, removal))).toEqual([
      200,
      false,
      'This action cannot be cancelled',
    ]);
    const created = await snapshot(sandbox, 30);
    await cancel(sandbox, created);
    expect(readFailure(await cancel(sandbox, created))).toEqual([
      200,
      false,
      'This action is already being rolled back',
    ]);
    sandbox.advance(5);
    expect(readFailure(await cancel(sandbox, created))).toEqual([
      200,
      false,
      'This action has already finished',
    ]);
  });

  test('rolls back an action of the seed', async () => {
    await using sandbox = await openManual();
    await cancel(sandbox, 103);
    expect(await readAllProgress(sandbox, 103)).toEqual([
      'rolling back 3/12',
      'rolling back 2/12',
      'rolling back 1/12',
      'failed 0/12',
    ]);
  });

  test('returns its own action state when cancelling blocks', async () => {
    await using sandbox = await listenSandbox({ step: 'manual', cancelBlocks: true });
    const id = await migrate(sandbox);
    sandbox.advance(2);
    const cancellation = stateId(await cancel(sandbox, id));
    expect(await readAllProgress(sandbox, cancellation)).toEqual(['running 0/2', 'running 1/2', 'done 2/2']);
    expect(await readProgress(sandbox, id)).toBe('failed 0/12');
  });
});

describe('an unfinished action of the seed', () => {
  test.each([
    [103, 'admin', ['running 3/12', 'running 4/12'], 'done 12/12'],
    [104, 'user', ['running 0/5', 'running 1/5'], 'done 5/5'],
    [105, 'admin', ['rolling back 2/5', 'rolling back 1/5'], 'failed 0/5'],
    [109, 'admin', ['running null/3', 'running 1/3'], 'done 3/3'],
    [111, 'admin', ['running 0/0'], 'done 0/0'],
    [113, 'admin', ['running 512/2048', 'running 513/2048'], 'done 2048/2048'],
  ])('%i moves from its current step to its end', async (id, login, first, last) => {
    await using sandbox = await openManual();
    const user = login === 'admin' ? admin(sandbox) : ordinaryUser(sandbox);
    for (const expected of first) {
      expect(await readProgress(sandbox, id, user)).toBe(expected);
      sandbox.advance();
    }
    sandbox.advance(2048, id);
    expect(await readProgress(sandbox, id, user)).toBe(last);
    expect(await readIds(sandbox, '/v7.0/action_states', user)).not.toContain(id);
  });

  test('moves by a timer, can be polled, and does not move when a step takes 0 ms', async () => {
    await using sandbox = await listenSandbox({ step: 1 });
    const poll = await send(sandbox, '/v7.0/action_states/103/poll');
    expect(poll.envelope['response']?.['action_state']).toMatchObject({ finished: true, current: 12 });
    await using instant = await listenSandbox({ step: 0 });
    expect(await readProgress(instant, 103)).toBe('running 3/12');
    expect(instant.runningActions).toBe(0);
    await write(instant, 'POST', '/v7.0/action_states/103/cancel');
    expect(await readProgress(instant, 103)).toBe('failed 0/12');
  });
});

describe('a finished state', () => {
  test('is found until it expires, and states of the seed never expire', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      await using sandbox = await listenSandbox({ step: 0, stateExpiry: 5_000 });
      const id = await snapshot(sandbox);
      vi.setSystemTime(Date.now() + 4_999);
      expect(await readProgress(sandbox, id)).toBe('done 5/5');
      vi.setSystemTime(Date.now() + 1);
      expect(await readProgress(sandbox, id)).toBe('not found');
      expect(await readProgress(sandbox, 101)).toBe('done 4/4');
    } finally {
      vi.useRealTimers();
    }
  });
});
