// Tests that replicas count the attempts and the spending of clients together.
import { describe, expect, it } from 'vitest';
import { SignInLimit } from '../../src/callers/sign-in-limit.ts';
import { createFacade } from '../../src/facade/facade.ts';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { CostBudget } from '../../src/server/cost/cost-limit.ts';
import { ask, collectLog, type Pair, startPair } from '../helpers/facade.ts';
import { hasRedis, startRedis } from '../helpers/redis.ts';

const attempt = (user: string) =>
  `mutation { tokenRequest(input: { user: "${user}", password: "canary-password", lifetime: FIXED }) { userErrors { code } } }`;
const codeOf = ({ errors: [error] }: Awaited<ReturnType<typeof ask>>) => error?.extensions['code'] ?? null;

/** Adds a replica in front of the API of a pair. */
const openReplica = ({ sandbox }: Pair, shared: FacadeOptions['shared'] = {}) =>
  createFacade({ upstream: new URL(sandbox.url), log: collectLog(), shared });

describe.skipIf(!hasRedis)('replicas', () => {
  it('count the points of a key together, and each by itself while Redis is away', async () => {
    await using redis = await startRedis();
    const lines = await redis.record();
    const limit = { points: 3, duration: 60 };
    const [one, other] = [await redis.join(), await redis.join()];
    const limiters = [one.createLimiter('tries', limit), other.createLimiter('tries', limit)];
    const another = other.createLimiter('other tries', limit);
    const count = async (index: number): Promise<unknown> => {
      const counted = await limiters[index]?.count('canary key');
      return counted?.isExceeded === true ? counted.msBeforeNext > 0 && 'exceeded' : counted?.left;
    };
    expect([await count(0), await count(1), await count(0), await count(1)]).toEqual([2, 1, 0, 'exceeded']);
    expect(await limiters[0]?.count('canary key', 0)).toMatchObject({ isExceeded: true, left: 0 });
    expect((await another.count('canary key')).left).toBe(2);
    expect(lines.join('\n')).toMatch(/test:limit:/);
    expect(lines.join('\n')).not.toMatch(/canary|tries/);
    await redis.stop();
    expect([await count(0), await count(1)]).toEqual([2, 2]);
  });

  it('count the attempts of a user to sign in together, and know where a user has signed in', async () => {
    await using redis = await startRedis();
    const lines = await redis.record();
    const open = async () => {
      const replicas = await redis.join();
      const limits = { user: 3, userElsewhere: 1, address: 100 };
      return { replicas, signIns: new SignInLimit(replicas, limits) };
    };
    await using pair = await startPair({ facade: { shared: await open() } });
    await using other = await openReplica(pair, await open());
    const facades = [pair.facade, other];
    const codes: unknown[] = [];
    for (let time = 0; time < 4; time += 1) {
      const facade = facades[time % 2];
      if (facade !== undefined) codes.push(codeOf(await ask(facade, attempt('Canary-User'))));
    }
    // The second attempt is the last one that a user has where they have not signed in before.
    expect(codes).toEqual([null, ...Array.from({ length: 3 }, () => 'COST_LIMIT_EXCEEDED')]);
    expect(lines.join('\n')).toMatch(/test:limit:/);
    expect(lines.join('\n')).not.toMatch(/canary|127\.0\.0\.1/i);
  });

  it('tell each other what clients spend', async () => {
    await using redis = await startRedis();
    const lines = await redis.record();
    const open = async () => {
      const replicas = await redis.join();
      return {
        replicas,
        costBudget: new CostBudget(
          { credentialCost: 1_000, addressCost: 100_000, anonymousCost: 100_000 },
          replicas,
        ),
      };
    };
    await using pair = await startPair({ facade: { shared: await open() } });
    await using other = await openReplica(pair, await open());
    const query = '{ session { authenticated } }';
    const at = (facade: typeof other, login: 'admin' | 'user') =>
      ask(facade, query, { headers: pair.headers(login) });
    expect(codeOf(await at(other, 'admin'))).toBeNull();
    const large = '{ datasets(first: 1000) { nodes { id name used } } }';
    expect(codeOf(await ask(pair.facade, large, { headers: pair.headers('admin') }))).toBeNull();
    await expect
      .poll(async () => codeOf(await at(other, 'admin')), { timeout: 5_000, interval: 400 })
      .toBe('COST_LIMIT_EXCEEDED');
    expect(codeOf(await at(other, 'user'))).toBeNull();
    expect(lines.join('\n')).not.toContain(Object.values(pair.headers('admin'))[0]);
  });
});
