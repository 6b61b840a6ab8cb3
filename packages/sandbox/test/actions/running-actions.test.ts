// Tests the states of blocking actions: their steps, failures, locks and cancellation.
import { describe, expect, test, vi } from 'vitest';
import {
  admin,
  readAllProgress,
  readIds,
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
describe('a blocking action', () => {
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
});

describe('an unfinished action of the seed', () => {
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
