// Tests that queries of a known credential ask nothing of Redis.
import { describe, expect, it } from 'vitest';
import { hasRedis, startRedis } from '../helpers/redis.ts';
import { openWorkshop } from '../helpers/workshop.ts';

const QUERIES = 200;

describe.skipIf(!hasRedis)('a query', () => {
  it('asks nothing of Redis once its credential is known', async () => {
    await using redis = await startRedis();
    await using shop = await openWorkshop({}, { shared: { replicas: await redis.join() } });
    const query = '{ tool(id: 1) { name } }';
    expect((await shop.ask(query)).errors).toEqual([]);
    const commands = await redis.record();
    const results = await Promise.all(Array.from({ length: QUERIES }, () => shop.ask(query)));
    for (const { errors } of results) expect(errors).toEqual([]);
    // At intervals, replicas look for a new generation of descriptions and say what their clients have spent.
    const others = commands.filter((command) => !command.includes(':probe:'));
    expect(others.length).toBeLessThan(QUERIES / 10);
  });
});
