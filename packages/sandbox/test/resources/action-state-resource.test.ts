// Tests the long polls of action states.
import { describe, expect, test } from 'vitest';
import {
  admin,
  type Reply,
  readFailure,
  readObject,
  send,
  stateId,
  write,
} from '../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox, type Sandbox } from '../../src/listen-sandbox.ts';

const openManual = () => listenSandbox({ step: 'manual' });
const snapshot = async (sandbox: Sandbox) =>
  stateId(await write(sandbox, 'POST', '/v7.0/datasets/1/snapshots', admin(sandbox), {}));

function poll(sandbox: Sandbox, id: number | null, input: Record<string, unknown>): Promise<Reply> {
  const query = Object.entries(input).map(([name, value]) => `action_state[${name}]=${value}`);
  return send(sandbox, `/v7.0/action_states/${id}/poll?${query.join('&')}`);
}

const current = (reply: Reply) => reply.envelope['response']?.['action_state']?.['current'];
/** Waits until the given number of polls wait. */
const expectWaiting = (sandbox: Sandbox, count: number) => expect.poll(() => sandbox.openPolls).toBe(count);
const queued = { update_in: 1, status: true, current: 0, total: 5 };

describe('a poll', () => {
  test('returns at once when the action has ended', async () => {
    await using sandbox = await openManual();
    expect(current(await poll(sandbox, 101, {}))).toBe(4);
    expect(current(await poll(sandbox, 107, { ...queued, current: 3, total: 5, status: false }))).toBe(3);
  });

  test('returns when its timeout expires', async () => {
    await using sandbox = await openManual();
    expect(current(await poll(sandbox, 103, { timeout: 0 }))).toBe(3);
    const before = performance.now();
    expect(current(await poll(sandbox, 103, { timeout: 0.05 }))).toBe(3);
    expect(performance.now() - before).toBeGreaterThanOrEqual(50);
    const same = { update_in: 1, status: true, current: 3, total: 12, timeout: 0.02 };
    expect(current(await poll(sandbox, 103, same))).toBe(3);
  });

  test('with update_in returns as soon as the progress differs from the sent progress', async () => {
    await using sandbox = await openManual();
    const id = await snapshot(sandbox);
    const reply = poll(sandbox, id, queued);
    await expectWaiting(sandbox, 1);
    sandbox.advance();
    expect(current(await reply)).toBe(1);
    expect(current(await poll(sandbox, id, queued))).toBe(1);
    const next = poll(sandbox, id, { ...queued, current: 1 });
    await expectWaiting(sandbox, 1);
    await write(sandbox, 'POST', `/v7.0/action_states/${id}/cancel`);
    expect((await next).envelope['response']?.['action_state']).toMatchObject({ status: false, current: 1 });
  });

  test('treats a missing parameter as a difference, and null as a value', async () => {
    await using sandbox = await openManual();
    const id = await snapshot(sandbox);
    for (const name of ['status', 'current', 'total'] as const) {
      const { [name]: _, ...rest } = queued;
      expect(current(await poll(sandbox, id, rest))).toBe(0);
    }
    expect(current(await poll(sandbox, 109, { update_in: 1, status: true, total: 3 }))).toBeNull();
    const reply = poll(sandbox, 109, { update_in: 1, status: true, total: 3, current: '' });
    await expectWaiting(sandbox, 1);
    await sandbox.close();
    await expect(reply).rejects.toThrow();
  });

  test('treats a null update_in as missing', async () => {
    await using sandbox = await openManual();
    const id = await snapshot(sandbox);
    const reply = poll(sandbox, id, { update_in: '' });
    await expectWaiting(sandbox, 1);
    sandbox.advance(5);
    expect(current(await reply)).toBe(5);
  });

  test('is refused for a timeout of more than 30 seconds', async () => {
    await using sandbox = await openManual();
    const reply = await poll(sandbox, 103, { timeout: 30.5 });
    expect(readFailure(reply)).toEqual([200, false, 'input parameters are not valid']);
    expect(reply.envelope['errors']).toEqual({ timeout: ['has to be in range <0, 30>'] });
  });

  test('describes its default timeout of 15 seconds', async () => {
    await using sandbox = await openManual();
    const { envelope } = await send(sandbox, '/v7.0/action_states/1/poll?method=GET', null, {
      method: 'OPTIONS',
    });
    expect(envelope['response']?.['input']?.['parameters']?.['timeout']).toMatchObject({ default: 15 });
  });

  test('ends when its client disconnects, and releases its resources', async () => {
    await using sandbox = await openManual();
    const seen: unknown[] = [];
    sandbox.onRequest(({ scope }) => seen.push(scope));
    const disconnect = new AbortController();
    const polls = Array.from({ length: 20 }, () =>
      fetch(`${sandbox.url}/v7.0/action_states/103/poll`, {
        headers: { [sandbox.tokenHeader]: admin(sandbox).token },
        signal: disconnect.signal,
      }),
    );
    await expectWaiting(sandbox, 20);
    disconnect.abort();
    expect(await Promise.allSettled(polls)).toHaveLength(20);
    await expectWaiting(sandbox, 0);
    await expect.poll(() => sandbox.openRequests).toBe(0);
    expect(seen).toEqual([]);
  });

  test('returns together with other polls, after the action has changed the data', async () => {
    await using sandbox = await openManual();
    const id = stateId(await write(sandbox, 'DELETE', '/v7.0/datasets/1'));
    const replies = Promise.all([poll(sandbox, id, {}), poll(sandbox, id, {})]);
    await expectWaiting(sandbox, 2);
    sandbox.advance(5);
    expect((await replies).map(current)).toEqual([5, 5]);
    expect(await readObject(sandbox, '/v7.0/datasets/1')).toBeUndefined();
  });

  test('answers not found when the state expires during the poll', async () => {
    await using sandbox = await listenSandbox({ step: 'manual', stateExpiry: 0 });
    const id = await snapshot(sandbox);
    const reply = poll(sandbox, id, {});
    await expectWaiting(sandbox, 1);
    sandbox.advance(5);
    expect(readFailure(await reply)).toEqual([200, false, 'Action state not found']);
  });
});
