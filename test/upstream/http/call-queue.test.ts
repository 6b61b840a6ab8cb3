// Tests how callers share the connections to the management API.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CallQueue } from '../../../src/upstream/http/call-queue.ts';
import { action, resource } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { holdAnswers } from '../../helpers/held-answers.ts';
import { ok } from '../../helpers/stub-upstream.ts';

afterEach(() => void vi.useRealTimers());

describe('the connections to the API', () => {
  const TOOL = resource({
    show: action({ path: '/tools/{tool_id}', namespace: 'tool', output: { id: 'Integer', name: 'String' } }),
  });

  it('are never idle while a call waits, and serve clients in turn', async () => {
    const shows = holdAnswers(ok({ tool: { id: 5, name: 'saw' } }));
    await using api = await openDescribed(
      { tool: TOOL },
      { 'tool#show': shows.handler },
      { transport: { connections: 8 } },
    );
    const fields = Array.from({ length: 20 }, (_, index) => `a${index}: tool(id: ${index}) { name }`);
    const many = api.ask(`{ ${fields.join('\n')} }`, { token: 'one' });
    await shows.take(7);
    const other = api.ask('{ tool(id: 99) { name } }', { token: 'two' });
    // Takes as long as the other operation takes to reach its turn.
    await api.ask('{ session { authenticated } __schema { queryType { name } } }', { token: 'two' });
    expect(api.upstream.calls).toHaveLength(8);
    (await shows.take(0)).release();
    (await shows.take(1)).release();
    await shows.take(9);
    expect(api.upstream.calls.slice(8).some(({ path }) => path[0] === '99')).toBe(true);
    for (let index = 2; index < 21; index += 1) (await shows.take(index)).release();
    for (const { errors } of [await many, await other]) expect(errors).toEqual([]);
  });
});

/** Calls that end when the test says so. */
function createCalls(queue: CallQueue) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const run = (name: string): Promise<string> => {
    const [network = '', key = ''] = name.split(' ');
    return queue.run({ network, key }, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const endNext = async (): Promise<void> => {
    ends.shift()?.();
    await settle();
  };
  return { begun, run, endNext, settle };
}

describe('a queue', () => {
  it('serves networks in turn, and in each of them its clients', async () => {
    const { begun, run, endNext } = createCalls(new CallQueue({ calls: 1 }));
    const names = ['a one', 'a one', 'a one', 'a two', 'a two', 'b one', 'b one'];
    const results = names.map((name) => run(name));
    for (const _name of names) await endNext();
    expect(await Promise.all(results)).toEqual(names);
    expect(begun).toEqual(['a one', 'a one', 'b one', 'a two', 'b one', 'a one', 'a two']);
  });

  it('begins as many calls as may be under way', async () => {
    const { begun, run, endNext, settle } = createCalls(new CallQueue({ calls: 3 }));
    const results = Array.from({ length: 7 }, () => run('a one'));
    await settle();
    for (let ended = 0; ended < 7; ended += 1) {
      expect(begun).toHaveLength(Math.min(7, 3 + ended));
      await endNext();
    }
    await Promise.all(results);
  });

  it('goes on after a call that fails, and after one that leaves while it waits', async () => {
    const queue = new CallQueue({ calls: 1 });
    const failing = queue.run({ network: 'a', key: 'one' }, () => Promise.reject(new Error('no')));
    const { begun, run, endNext, settle } = createCalls(queue);
    const begin = vi.fn();
    const left = { client: { network: 'a', key: 'two' }, begin, refuse: () => undefined };
    queue.enter(left);
    const next = run('a three');
    queue.remove(left);
    await expect(failing).rejects.toThrow('no');
    await settle();
    await endNext();
    expect(await next).toBe('a three');
    expect(begun).toEqual(['a three']);
    expect(begin).not.toHaveBeenCalled();
  });

  it('refuses a call that has waited for too long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { run } = createCalls(new CallQueue({ calls: 1, maxWait: 10_000 }));
    run('a one').catch(() => undefined);
    const waiting = run('b one');
    const refused = expect(waiting).rejects.toMatchObject({ code: 'UPSTREAM_BUSY' });
    await vi.advanceTimersByTimeAsync(10_000);
    await refused;
  });

  it('keeps half of the free places for other networks', async () => {
    const { run } = createCalls(new CallQueue({ calls: 1, maxWaiting: 8 }));
    for (let index = 0; index < 5; index += 1) run('a one').catch(() => undefined);
    await expect(run('a two')).rejects.toMatchObject({ code: 'UPSTREAM_BUSY' });
    for (let index = 0; index < 2; index += 1) run('b one').catch(() => undefined);
    await expect(run('b one')).rejects.toMatchObject({ code: 'UPSTREAM_BUSY' });
  });
});
