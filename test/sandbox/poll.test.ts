import { describe, expect, test } from 'vitest';
import { listenSandbox, type Sandbox } from '../../src/sandbox/listen-sandbox.ts';
import { admin, type Reply, send } from '../helpers/sandbox-requests.ts';
import { progress, read, refusal, stateId, write } from '../helpers/sandbox-writes.ts';

const manual = () => listenSandbox({ step: 'manual' });
const snapshot = async (sandbox: Sandbox) =>
  stateId(await write(sandbox, 'POST', '/v7.0/datasets/1/snapshots', admin(sandbox), {}));

function poll(sandbox: Sandbox, id: number | null, input: Record<string, unknown>): Promise<Reply> {
  const query = Object.entries(input).map(([name, value]) => `action_state[${name}]=${value}`);
  return send(sandbox, `/v7.0/action_states/${id}/poll?${query.join('&')}`);
}

const current = (reply: Reply) => reply.envelope['response']?.['action_state']?.['current'];
/** Until so many polls wait. */
const waiting = (sandbox: Sandbox, count: number) => expect.poll(() => sandbox.openPolls).toBe(count);
const queued = { update_in: 1, status: true, current: 0, total: 5 };

describe('a poll', () => {
  test('without update_in returns when the action ends, not before', async () => {
    await using sandbox = await manual();
    const id = await snapshot(sandbox);
    const reply = poll(sandbox, id, {});
    await waiting(sandbox, 1);
    sandbox.advance();
    expect(await progress(sandbox, id)).toBe('goes 1/5');
    expect([sandbox.openPolls, sandbox.openRequests]).toEqual([1, 1]);
    sandbox.advance(4);
    expect(await reply.then(({ envelope }) => envelope['response']?.['action_state'])).toMatchObject({
      finished: true,
      status: true,
      current: 5,
    });
    expect(sandbox.openPolls).toBe(0);
  });

  test('returns at once when the action has ended', async () => {
    await using sandbox = await manual();
    expect(current(await poll(sandbox, 101, {}))).toBe(4);
    expect(current(await poll(sandbox, 107, { ...queued, current: 3, total: 5, status: false }))).toBe(3);
  });

  test('returns when its time is up', async () => {
    await using sandbox = await manual();
    expect(current(await poll(sandbox, 103, { timeout: 0 }))).toBe(3);
    const before = performance.now();
    expect(current(await poll(sandbox, 103, { timeout: 0.05 }))).toBe(3);
    expect(performance.now() - before).toBeGreaterThanOrEqual(50);
    const same = { update_in: 1, status: true, current: 3, total: 12, timeout: 0.02 };
    expect(current(await poll(sandbox, 103, same))).toBe(3);
  });

  test('with update_in returns as soon as the progress is another than the one sent', async () => {
    await using sandbox = await manual();
    const id = await snapshot(sandbox);
    const reply = poll(sandbox, id, queued);
    await waiting(sandbox, 1);
    sandbox.advance();
    expect(current(await reply)).toBe(1);
    expect(current(await poll(sandbox, id, queued))).toBe(1);
    const next = poll(sandbox, id, { ...queued, current: 1 });
    await waiting(sandbox, 1);
    await write(sandbox, 'POST', `/v7.0/action_states/${id}/cancel`);
    expect((await next).envelope['response']?.['action_state']).toMatchObject({ status: false, current: 1 });
  });

  test('takes what is not sent for another value, and null for one', async () => {
    await using sandbox = await manual();
    const id = await snapshot(sandbox);
    for (const name of ['status', 'current', 'total'] as const) {
      const { [name]: _, ...rest } = queued;
      expect(current(await poll(sandbox, id, rest))).toBe(0);
    }
    expect(current(await poll(sandbox, 109, { update_in: 1, status: true, total: 3 }))).toBeNull();
    const reply = poll(sandbox, 109, { update_in: 1, status: true, total: 3, current: '' });
    await waiting(sandbox, 1);
    await sandbox.close();
    await expect(reply).rejects.toThrow();
  });

  test('takes a null update_in for none', async () => {
    await using sandbox = await manual();
    const id = await snapshot(sandbox);
    const reply = poll(sandbox, id, { update_in: '' });
    await waiting(sandbox, 1);
    sandbox.advance(5);
    expect(current(await reply)).toBe(5);
  });

  test('is refused for more than 30 seconds', async () => {
    await using sandbox = await manual();
    const reply = await poll(sandbox, 103, { timeout: 30.5 });
    expect(refusal(reply)).toEqual([200, false, 'input parameters are not valid']);
    expect(reply.envelope['errors']).toEqual({ timeout: ['has to be in range <0, 30>'] });
  });

  test('describes its default of 15 seconds', async () => {
    await using sandbox = await manual();
    const { envelope } = await send(sandbox, '/v7.0/action_states/1/poll?method=GET', null, {
      method: 'OPTIONS',
    });
    expect(envelope['response']?.['input']?.['parameters']?.['timeout']).toMatchObject({ default: 15 });
  });

  test('is dropped when its client goes, and leaves nothing behind', async () => {
    await using sandbox = await manual();
    const seen: unknown[] = [];
    sandbox.onRequest(({ scope }) => seen.push(scope));
    const leave = new AbortController();
    const polls = Array.from({ length: 20 }, () =>
      fetch(`${sandbox.url}/v7.0/action_states/103/poll`, {
        headers: { [sandbox.tokenHeader]: admin(sandbox).token },
        signal: leave.signal,
      }),
    );
    await waiting(sandbox, 20);
    leave.abort();
    expect(await Promise.allSettled(polls)).toHaveLength(20);
    await waiting(sandbox, 0);
    await expect.poll(() => sandbox.openRequests).toBe(0);
    expect(seen).toEqual([]);
  });

  test('sees what a finished action did, all of them at the same moment', async () => {
    await using sandbox = await manual();
    const id = stateId(await write(sandbox, 'DELETE', '/v7.0/datasets/1'));
    const replies = Promise.all([poll(sandbox, id, {}), poll(sandbox, id, {})]);
    await waiting(sandbox, 2);
    sandbox.advance(5);
    expect((await replies).map(current)).toEqual([5, 5]);
    expect(await read(sandbox, '/v7.0/datasets/1')).toBeUndefined();
  });

  test('says not found when the state went while it waited', async () => {
    await using sandbox = await listenSandbox({ step: 'manual', stateExpiry: 0 });
    const id = await snapshot(sandbox);
    const reply = poll(sandbox, id, {});
    await waiting(sandbox, 1);
    sandbox.advance(5);
    expect(refusal(await reply)).toEqual([200, false, 'Action state not found']);
  });
});
