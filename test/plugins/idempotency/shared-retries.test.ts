// Tests mutations with keys at replicas that share through Redis.
import { describe, expect, it } from 'vitest';
import { holdAnswers } from '../../helpers/held-answers.ts';
import { hasRedis, startRedis, type TestRedis } from '../../helpers/redis.ts';
import { ok } from '../../helpers/stub-upstream.ts';
import { openWorkshop, type Workshop } from '../../helpers/workshop.ts';

const STAMP = 'mutation { toolStamp(id: 5) { tool { name } } }';
const keyed = { headers: { 'idempotency-key': 'a-key' } };
const TOOL = ok({ tool: { id: 5, name: 'a hidden name', weight: 1, owner: null } });

const openReplica = async (redis: TestRedis, first: Workshop | null = null): Promise<Workshop> =>
  openWorkshop(
    {},
    { shared: { replicas: await redis.join() }, ...(first && { upstream: first.upstream.url }) },
  );

describe.skipIf(!hasRedis)('a mutation with a key', () => {
  it('is joined and answered by another replica, and Redis does not see its result', async () => {
    await using redis = await startRedis();
    await using one = await openReplica(redis);
    await using two = await openReplica(redis, one);
    const stamps = holdAnswers(TOOL);
    one.upstream.handlers.set('tool#stamp', stamps.handler);
    const first = one.ask(STAMP, keyed);
    const write = await stamps.take(0);
    const joined = two.ask(STAMP, keyed);
    const conflict = await two.ask('mutation { toolStamp(id: 6) { tool { name } } }', keyed);
    expect(conflict.errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }]);
    write.release();
    const data = { toolStamp: { tool: { name: 'a hidden name' } } };
    for (const result of [await first, await joined, await two.ask(STAMP, keyed)])
      expect(result.data).toEqual(data);
    expect(one.upstream.calls).toHaveLength(1);
    const keys = (await redis.send('KEYS', 'test:value:*')) as readonly string[];
    const values = await Promise.all(keys.map(async (key) => redis.send('GET', key)));
    expect(values.length).toBeGreaterThan(0);
    expect(JSON.stringify([keys, values])).not.toMatch(/hidden|a-key/);
  });

  it('is not sent while Redis is away, and can be sent again when it is back', async () => {
    await using redis = await startRedis();
    await using shop = await openReplica(redis);
    await redis.stop();
    const refused = await shop.ask(STAMP, keyed);
    expect(refused.errors).toMatchObject([{ extensions: { code: 'WRITE_UNRECORDED', retryable: true } }]);
    expect(shop.upstream.calls).toEqual([]);
    // Without a key, it is sent.
    expect((await shop.ask(STAMP)).errors).toEqual([]);
    await redis.start();
    await expect.poll(async () => (await shop.ask(STAMP, keyed)).errors, { timeout: 10_000 }).toEqual([]);
  });
});
