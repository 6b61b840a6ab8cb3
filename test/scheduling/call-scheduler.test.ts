// Tests how callers share the connections to the management API.
import { describe, expect, it } from 'vitest';
import { listenSandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import { createFacade } from '../../src/facade/facade.ts';
import { CallScheduler } from '../../src/scheduling/call-scheduler.ts';
import type { Client } from '../../src/scheduling/client.ts';
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
    await upstream.waitForHeld(8);
    expect((await ask(facade, '{ userCurrent { login } }', admin)).data).toEqual({
      userCurrent: { login: 'admin' },
    });
    expect(upstream.held).toHaveLength(8);
    for (let released = 0; released < many.length; released += 1) {
      const held = await upstream.waitForHeld(released + 1);
      expect(upstream.held.length - released).toBeLessThanOrEqual(8);
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
    countsOf: (names: readonly string[]) => names.map((name) => begun.filter((one) => one === name).length),
    call(name: string, client: Client, signal?: AbortSignal): Promise<string> {
      const run = async (): Promise<string> => {
        begun.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        return name;
      };
      return scheduler.run({ client, signal }, run);
    },
  };
}

const clientOf = (key: string, network = '192.0.2.1'): Client => ({ network, key });
const repeat = (count: number, start: () => Promise<unknown>): void => {
  for (let index = 0; index < count; index += 1) start().catch(() => undefined);
};

const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `${from + index}`);

/** Ends a call, and waits until the next one has begun. */
async function endNext(
  begun: readonly string[],
  ends: readonly (() => void)[],
  index: number,
): Promise<void> {
  const { length } = begun;
  ends[index]?.();
  await expect.poll(() => begun.length).toBe(length + 1);
}

describe('the scheduler', () => {
  it('gives a client alone half of the connections, and later networks a share of the rest', async () => {
    const { call, countsOf } = createCalls(new CallScheduler());
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
    for (const [index, name] of names.entries())
      repeat(100, () => call(name, clientOf(name, `192.0.2.${index}`)));
    expect(countsOf(names)).toEqual([32, 16, 8, 4, 2, 1, 1, 0, 0, 0]);
  });

  it('leaves a connection to the eleventh token of a network whose ten tokens have calls that hang', async () => {
    const { begun, call, countsOf } = createCalls(new CallScheduler());
    const tokens = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];
    for (const token of tokens) repeat(100, () => call(token, clientOf(token)));
    expect(countsOf(tokens)).toEqual([32, 11, 4, 1, 1, 1, 1, 1, 1, 1]);
    repeat(3, () => call('eleventh', clientOf('eleventh')));
    expect(begun.at(-1)).toBe('eleventh');
  });

  it('begins a call of the eleventh token before the ten get more, when the network has all that it may have', async () => {
    const { begun, ends, call } = createCalls(new CallScheduler());
    for (let token = 0; token < 30; token += 1) repeat(10, () => call(`${token}`, clientOf(`${token}`)));
    // The other nine are for other networks.
    expect(begun).toHaveLength(55);
    repeat(3, () => call('late', clientOf('late')));
    for (let ended = 0; ended < 18; ended += 1) await endNext(begun, ends, ended);
    // Those who have waited longer, and have nothing in progress either, come first.
    expect(begun.slice(55)).toEqual([...range(13, 30), 'late']);
  });

  it('leaves connections to other networks, however many tokens one network has', async () => {
    const { begun, call, countsOf } = createCalls(new CallScheduler());
    for (let token = 0; token < 1_000; token += 1) repeat(2, () => call('many', clientOf(`${token}`)));
    expect(begun).toHaveLength(55);
    for (const network of [2, 3, 4, 5, 6])
      repeat(100, () => call(`${network}`, clientOf('a', `192.0.2.${network}`)));
    expect(countsOf(['2', '3', '4', '5', '6'])).toEqual([4, 2, 1, 1, 1]);
  });

  it('gives networks that always have calls waiting similar parts, whatever their numbers of tokens', async () => {
    const { begun, ends, call } = createCalls(new CallScheduler());
    for (const [network, tokens] of [
      ['one', 10],
      ['two', 3],
    ] as const)
      for (let token = 0; token < tokens; token += 1)
        repeat(200, () => call(network, clientOf(`${token}`, network)));
    expect(begun.filter((network) => network === 'one')).toHaveLength(54);
    for (let ended = 0; ended < 300; ended += 1) {
      ends[ended]?.();
      await new Promise(setImmediate);
    }
    const inProgress = begun.slice(300);
    const countOf = (network: string): number => inProgress.filter((one) => one === network).length;
    expect([countOf('one'), countOf('two')]).toEqual([29, 23]);
  });

  it('starts waiting calls of callers in turn', async () => {
    const { begun, ends, call } = createCalls(new CallScheduler({ calls: 2 }));
    repeat(4, () => call('a', clientOf('a')));
    repeat(4, () => call('b', clientOf('b')));
    for (let ended = 0; ended < 6; ended += 1) {
      await expect.poll(() => ends.length).toBeGreaterThan(ended);
      ends[ended]?.();
    }
    await expect.poll(() => begun.length).toBe(8);
    expect(begun.join('')).toBe('aabababb');
  });

  it('counts anonymous callers of one network as one caller', async () => {
    const { begun, call } = createCalls(new CallScheduler({ calls: 9 }));
    repeat(9, () => call('a', clientOf('anonymous', '192.0.2.1')));
    repeat(9, () => call('b', clientOf('anonymous', '192.0.2.1')));
    repeat(9, () => call('c', clientOf('anonymous', '192.0.2.9')));
    expect(begun).toEqual(['a', 'a', 'a', 'a', 'a', 'c', 'c', 'c']);
  });

  it('refuses a call that waits too long or behind too many others, and forgets one whose client leaves', async () => {
    const scheduler = new CallScheduler({ calls: 1, maxWait: 1, maxWaiting: 2 });
    const { begun, ends, call } = createCalls(scheduler);
    const first = call('first', clientOf('a'));
    const leave = new AbortController();
    const left = call('left', clientOf('a'), leave.signal);
    const late = call('late', clientOf('b'));
    await expect(call('crowded', clientOf('c'))).rejects.toMatchObject({
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
    const { begun, ends, call } = createCalls(new CallScheduler({ calls: 1, maxWaiting: 10 }));
    repeat(50, () => call('a', clientOf('a')));
    const other = call('b', clientOf('b', '198.51.100.7'));
    ends[0]?.();
    await expect.poll(() => begun.length).toBe(2);
    ends[1]?.();
    await expect.poll(() => begun).toContain('b');
    for (let index = 2; index < ends.length; index += 1) ends[index]?.();
    expect(await other).toBe('b');
  });
});
