// Tests what replicas share through Redis, and how they go on without it.
import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Observer } from '../../../src/observer.ts';
import type { Replicas } from '../../../src/sharing/replicas.ts';
import { hasRedis, REPLICAS_SECRET, startRedis } from '../../helpers/redis.ts';

type SharingChange = Parameters<NonNullable<Observer['sharing']>>[0];

const MINUTE = 60_000;
/** Whether a replica reaches the others. */
const isHeard = (replica: Replicas): Promise<boolean> => replica.store('value', {}, MINUTE);

/** Observes one replica: each change, and a promise for the next one. */
function observeSharing() {
  const changes: SharingChange[] = [];
  let wake: (() => void) | null = null;
  return {
    observer: {
      sharing: (change: SharingChange) => {
        changes.push(change);
        wake?.();
      },
    },
    async until(isAlone: boolean): Promise<SharingChange> {
      for (;;) {
        const last = changes.at(-1);
        if (last?.isAlone === isAlone) return last;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** Collects the messages of a channel. */
function listen(replica: Replicas, name: string) {
  const received: unknown[] = [];
  let wake: (() => void) | null = null;
  const channel = replica.open(name, (message) => {
    received.push(message);
    wake?.();
  });
  return {
    channel,
    async until(count: number): Promise<readonly unknown[]> {
      while (received.length < count)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return received;
    },
  };
}

describe.skipIf(!hasRedis)('a channel', () => {
  it('brings the messages of the other replicas in their order, and ends when it is closed', async () => {
    await using redis = await startRedis();
    const one = listen(await redis.join(), 'news');
    const other = listen(await redis.join(), 'news');
    const elsewhere = listen(await redis.join(), 'other news');
    // A message that comes back shows that both are open.
    void one.channel.send({ open: 1 });
    void other.channel.send({ open: 2 });
    void elsewhere.channel.send({ open: 3 });
    await Promise.race([one.until(1), other.until(1)]);
    for (let n = 1; n <= 20; n += 1) void one.channel.send({ n });
    const received = (await other.until(20)).filter((message) => !('open' in (message as object)));
    expect(received).toEqual(Array.from({ length: received.length }, (_, index) => ({ n: index + 1 })));
    expect(received.length).toBeGreaterThanOrEqual(19);
  });
});

describe.skipIf(!hasRedis)('a channel that is opened as Redis hangs and dies', () => {
  it('brings messages when Redis is back', async () => {
    await using redis = await startRedis();
    const sharing = observeSharing();
    const one = await redis.join();
    const other = await redis.join({ observer: sharing.observer });
    redis.pause();
    const received = listen(other, 'news');
    await sharing.until(true);
    await redis.stop();
    await redis.start();
    await sharing.until(false);
    await expect.poll(() => one.report, { timeout: 10_000 }).toMatchObject({ isAlone: false });
    const sender = one.open('news', () => undefined);
    void sender.send({ is: 'sent' });
    expect(await received.until(1)).toEqual([{ is: 'sent' }]);
  });
});

describe.skipIf(!hasRedis)('a value', () => {
  it('is added by one replica, and by none while Redis is away', async () => {
    await using redis = await startRedis();
    const one = await redis.join();
    const other = await redis.join();
    // On a busy machine, the first probe may take too long.
    await expect.poll(() => [one, other].map(({ report }) => report?.isAlone)).toEqual([false, false]);
    expect(await one.add('name', { of: 'one' }, MINUTE)).toBe(true);
    expect(await other.add('name', { of: 'other' }, MINUTE)).toBe(false);
    expect(await other.load('name')).toEqual({ of: 'one' });
    await redis.stop();
    expect(await other.add('another', { of: 'other' }, MINUTE)).toBe(false);
  });
});

describe.skipIf(!hasRedis)('Redis', () => {
  it('sees neither names nor messages, and nothing of another secret or prefix is taken for one', async () => {
    await using redis = await startRedis();
    const lines = await redis.record();
    const one = await redis.join();
    const same = listen(
      await redis.join({ secrets: ['another-secret-that-is-long-enough', REPLICAS_SECRET] }),
      'n',
    );
    await one.store('canary-name-of-a-record', { text: 'canary-text' }, MINUTE);
    const channel = listen(one, 'canary-name-of-a-channel');
    const answering = listen(await redis.join(), 'canary-name-of-a-channel');
    void answering.channel.send({ canary: 'canary-message' });
    while (!lines.some((line) => /"publish".*:channel:/i.test(line))) await nextTurn();
    channel.channel.close();
    same.channel.close();
    expect(lines.join('\n').toLowerCase()).not.toContain('canary');
    const keys = (await redis.send('KEYS', '*')) as readonly string[];
    expect(keys.every((key) => /^test:(value:[\w-]{43}|probe:[\w-]{36})$/.test(key))).toBe(true);
    for (const key of keys) expect(await redis.send('GET', key)).not.toContain('canary');
    expect(await one.load('canary-name-of-a-record')).toEqual({ text: 'canary-text' });
    const others = { prefix: 'other' };
    const stranger = { secrets: ['a-secret-of-nobody-that-is-long-enough'] };
    for (const options of [others, stranger])
      expect(await (await redis.join(options)).load('canary-name-of-a-record')).toBeUndefined();
  });

  it('that goes away leaves each replica alone at once, and takes it back when it returns', async () => {
    await using redis = await startRedis();
    const { observer, until } = observeSharing();
    const one = await redis.join({ observer });
    expect(one.report).toEqual({ isAlone: false, since: 0, reason: null });
    await redis.stop();
    expect(await until(true)).toMatchObject({ reason: expect.stringMatching(/^[A-Z_a-z]+$/) });
    expect(await isHeard(one)).toBe(false);
    expect(one.report).toMatchObject({ isAlone: true });
    await redis.start();
    await until(false);
    expect(await isHeard(one)).toBe(true);
  });

  it('that hangs delays a command by no more than its limit', async () => {
    await using redis = await startRedis();
    const { observer, until } = observeSharing();
    const one = await redis.join({ observer });
    redis.pause();
    expect(await isHeard(one)).toBe(false);
    expect(await until(true)).toEqual({ isAlone: true, reason: 'TIMEOUT' });
    redis.resume();
    await until(false);
    expect(await isHeard(one)).toBe(true);
  });

  it('that is full counts as away until it has room', async () => {
    await using redis = await startRedis();
    const { observer, until } = observeSharing();
    const one = await redis.join({ observer });
    await redis.send('CONFIG', 'SET', 'maxmemory', '1');
    expect(await until(true)).toEqual({ isAlone: true, reason: 'OOM' });
    await redis.send('CONFIG', 'SET', 'maxmemory', '0');
    await until(false);
    expect(await isHeard(one)).toBe(true);
  });

  it('that refuses the password leaves a replica alone from its start', async () => {
    await using redis = await startRedis();
    await redis.send('CONFIG', 'SET', 'requirepass', 'canary-password');
    const { observer, until } = observeSharing();
    const one = await redis.join({ observer });
    expect(await until(true)).toEqual({ isAlone: true, reason: 'NOAUTH' });
    expect(await isHeard(one)).toBe(false);
    const address = redis.url.replace('//', '//:canary-password@');
    expect(await isHeard(await redis.join({ address }))).toBe(true);
  });

  it('needs to allow its user no other commands than docs/operating.md names', async () => {
    const book = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8');
    const [, sentence = ''] = /The Redis user needs ([^.]*)\./.exec(book) ?? [];
    const commands = [...sentence.matchAll(/`([A-Z]+)`/g)].map(([, command = '']) => `+${command}`);
    await using redis = await startRedis();
    const rules = ['on', '>password', '~test:*', '&test:*', '-@all', ...commands];
    await redis.send('ACL', 'SETUSER', 'optiongraph', ...rules);
    const address = `${redis.url.replace('//', '//optiongraph:password@')}?db=1`;
    const [one, other] = [await redis.join({ address }), await redis.join({ address })];
    expect(one.report).toMatchObject({ isAlone: false, reason: null });
    const { channel, until } = listen(other, 'channel');
    await one.open('channel', () => undefined).send({ number: 1 });
    expect(await until(1)).toEqual([{ number: 1 }]);
    channel.close();
    await one.store('value', { number: 2 }, MINUTE);
    expect(await other.load('value')).toEqual({ number: 2 });
    await one.remove('value');
    expect(await one.add('value', { number: 3 }, MINUTE)).toBe(true);
    const limit = { points: 1, duration: 60 };
    await one.createLimiter('limit', limit).count('client');
    expect(await other.createLimiter('limit', limit).count('client')).toMatchObject({ isExceeded: true });
    expect([one.report?.isAlone, other.report?.isAlone]).toEqual([false, false]);
  });
});
