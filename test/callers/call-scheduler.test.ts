// Tests how callers share the connections to the management API.
import { describe, expect, it } from 'vitest';
import { listenSandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import { CallScheduler } from '../../src/callers/call-scheduler.ts';
import { createFacade } from '../../src/facade/facade.ts';
import { type Caller, createCaller, createCredential } from '../../src/upstream/http/caller.ts';
import { ask, collectLog } from '../helpers/facade.ts';
import { holdUpstream } from '../helpers/held-upstream.ts';

const isList = (target: string): boolean => target.includes('/datasets');

describe('a caller who sends more requests than the upstream answers', () => {
  it('leaves connections to others, and gets every response in turn', async () => {
    await using sandbox = await listenSandbox();
    await using upstream = await holdUpstream(sandbox, isList);
    const transport = { connections: 16 };
    await using facade = await createFacade({ upstream: upstream.url, transport, log: collectLog() });
    const [admin, user] = ['admin', 'user'].map((login) => ({
      headers: {
        [sandbox.tokenHeader]: sandbox.users.find((one) => one.login === login)?.token ?? '',
      },
    }));
    // Each asks for another page, because equal reads share a call.
    const many = Array.from({ length: 30 }, (_, index) =>
      ask(facade, `{ datasets(first: ${index + 1}) { nodes { id } } }`, user),
    );
    await upstream.waitForHeld(11);
    expect((await ask(facade, '{ userCurrent { login } }', admin)).data).toEqual({
      userCurrent: { login: 'admin' },
    });
    expect(upstream.held).toHaveLength(11);
    for (let released = 0; released < many.length; released += 1) {
      const held = await upstream.waitForHeld(released + 1);
      expect(upstream.held.length - released).toBeLessThanOrEqual(11);
      await held[released]?.release();
    }
    for (const { errors } of await Promise.all(many)) expect(errors).toEqual([]);
  });
});

/** Calls that end when the test says so. */
function createCalls(scheduler: CallScheduler) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  return {
    begun,
    ends,
    call(name: string, caller: Caller, signal?: AbortSignal): Promise<string> {
      const run = async (): Promise<string> => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        return name;
      };
      return scheduler.run({ caller, signal }, run);
    },
  };
}

const callerOf = (token: string, address = '192.0.2.1'): Caller =>
  createCaller(createCredential('token', 'x-token', token), address);
const repeat = (count: number, start: () => Promise<unknown>): void => {
  for (let index = 0; index < count; index += 1) start().catch(() => undefined);
};

describe('the scheduler', () => {
  it('gives a caller alone two thirds of the connections, and later callers a share of the rest', async () => {
    const { begun, call } = createCalls(new CallScheduler({ connections: 64 }));
    for (const [name, address] of [
      ['a', '192.0.2.1'],
      ['b', '192.0.2.2'],
      ['c', '192.0.2.3'],
      ['d', '192.0.2.4'],
    ] as const)
      repeat(100, () => call(name, callerOf(name, address)));
    const countOf = (name: string): number => begun.filter((one) => one === name).length;
    expect(['a', 'b', 'c', 'd'].map(countOf)).toEqual([43, 14, 5, 2]);
  });

  it('leaves connections to other networks when two tokens of one network have calls that hang', async () => {
    const { begun, call } = createCalls(new CallScheduler({ connections: 64 }));
    repeat(100, () => call('one', callerOf('one')));
    repeat(100, () => call('two', callerOf('two')));
    repeat(100, () => call('three', callerOf('three')));
    expect(begun.length).toBeLessThan(64);
    repeat(1, () => call('other', callerOf('other', '198.51.100.7')));
    expect(begun.at(-1)).toBe('other');
  });

  it('starts waiting calls of callers in turn', async () => {
    const { begun, ends, call } = createCalls(new CallScheduler({ connections: 2 }));
    repeat(4, () => call('a', callerOf('a')));
    repeat(4, () => call('b', callerOf('b')));
    for (let ended = 0; ended < 6; ended += 1) {
      await expect.poll(() => ends.length).toBeGreaterThan(ended);
      ends[ended]?.();
    }
    await expect.poll(() => begun.length).toBe(8);
    expect(begun.join('')).toBe('aaababbb');
  });

  it('counts anonymous callers of one network as one caller', async () => {
    const { begun, call } = createCalls(new CallScheduler({ connections: 9 }));
    repeat(9, () => call('a', createCaller(null, '192.0.2.1')));
    repeat(9, () => call('b', createCaller(null, '192.0.2.1')));
    repeat(9, () => call('c', createCaller(null, '192.0.2.9')));
    expect(begun).toEqual(['a', 'a', 'a', 'a', 'a', 'a', 'c', 'c']);
  });

  it('refuses a call that waits too long or behind too many others, and forgets one whose client leaves', async () => {
    const scheduler = new CallScheduler({ connections: 1, maxWait: 1, maxWaiting: 2 });
    const { begun, ends, call } = createCalls(scheduler);
    const first = call('first', callerOf('a'));
    const leave = new AbortController();
    const left = call('left', callerOf('a'), leave.signal);
    const late = call('late', callerOf('b'));
    await expect(call('crowded', callerOf('c'))).rejects.toMatchObject({
      code: 'UPSTREAM_BUSY',
      retryAfter: 1,
    });
    leave.abort();
    await expect(left).rejects.toMatchObject({ name: 'AbortError' });
    await expect(late).rejects.toMatchObject({ code: 'UPSTREAM_BUSY' });
    ends[0]?.();
    await first;
    expect(begun).toEqual(['first']);
  });
});

describe('the places of waiting calls', () => {
  it('are shared, so that one caller does not fill them', async () => {
    const { begun, ends, call } = createCalls(new CallScheduler({ connections: 1, maxWaiting: 10 }));
    repeat(50, () => call('a', callerOf('a')));
    const other = call('b', callerOf('b', '198.51.100.7'));
    ends[0]?.();
    await expect.poll(() => begun.length).toBe(2);
    ends[1]?.();
    await expect.poll(() => begun).toContain('b');
    for (let index = 2; index < ends.length; index += 1) ends[index]?.();
    expect(await other).toBe('b');
  });
});
