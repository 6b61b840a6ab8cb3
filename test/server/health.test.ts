// Tests the checks of load balancers and orchestrators.
import { describe, expect, it, vi } from 'vitest';
import { openServer } from '../../src/server/server.ts';
import { hasRedis, startRedis } from '../helpers/redis.ts';
import { raw } from '../helpers/stub-upstream.ts';
import { openTelemetry } from '../helpers/telemetry.ts';
import { openWorkshop } from '../helpers/workshop.ts';

const originOf = (url: string): string => new URL(url).origin;

async function check(address: string) {
  const response = await fetch(address);
  return [response.status, await response.json()] as const;
}

const ALIVE = [200, { status: 'alive' }];
const READY = [200, { status: 'ready' }];
const age = expect.any(Number);
const NOT_READY = [503, { status: 'not ready' }];

describe('health checks', () => {
  it('have fixed answers, at two names each', async () => {
    await using shop = await openWorkshop();
    const origin = originOf((await shop.listen()).url);
    for (const path of ['/livez', '/health']) expect(await check(origin + path)).toEqual(ALIVE);
    for (const path of ['/readyz', '/ready']) expect(await check(origin + path)).toEqual(READY);
  });

  it('tell a server that starts from one that is ready', async () => {
    await using shop = await openWorkshop();
    await using server = await openServer({ host: '127.0.0.1', port: 0 });
    expect(await check(`${server.origin}/livez`)).toEqual(ALIVE);
    expect(await check(`${server.origin}/readyz`)).toEqual(NOT_READY);
    expect(await check(`${server.origin}/readyz?verbose`)).toMatchObject([503, { state: 'starting' }]);
    server.serve(shop.facade);
    expect(await check(`${server.origin}/readyz`)).toEqual(READY);
  });

  it('give details on demand, but no address or credential', async () => {
    await using shop = await openWorkshop({ 'tool#show': () => raw('<h1>Bad gateway</h1>', 502) });
    const origin = originOf((await shop.listen()).url);
    const verbose = `${origin}/readyz?verbose`;
    const details = {
      state: 'serving',
      upstream: { isAnswering: true, breaker: 'closed', lastAnswer: age, lastFailure: null },
      descriptionAge: age,
      sharing: null,
    };
    expect(await check(verbose)).toEqual([200, { status: 'ready', ...details }]);
    expect(await check(`${origin}/livez?verbose=1`)).toMatchObject([200, { status: 'alive', ...details }]);
    await shop.ask('{ tool(id: 5) { name } }');
    const [, after] = await check(verbose);
    const failed = { isAnswering: false, lastFailure: { age: expect.any(Number), cause: null } };
    expect(after).toMatchObject({ upstream: failed });
    expect(JSON.stringify(after)).not.toMatch(/127\.0\.0\.1|http/);
  });
});

describe.skipIf(!hasRedis)('replicas that share through Redis', () => {
  it('say whether they can, in health checks, log lines and metrics', async () => {
    const telemetry = openTelemetry();
    const { observer = {} } = telemetry.options;
    await using redis = await startRedis();
    const replicas = await redis.join({ observer });
    await using shop = await openWorkshop({}, { shared: { replicas } });
    const verbose = `${originOf((await shop.listen()).url)}/readyz?verbose`;
    const sharing = { isAlone: false, since: expect.any(Number), reason: null };
    expect(await check(verbose)).toMatchObject([200, { sharing }]);
    await redis.stop();
    await vi.waitUntil(() => telemetry.lines('sharing').length === 2);
    const alone = { ...sharing, isAlone: true, reason: expect.any(String) };
    expect(await check(verbose)).toMatchObject([200, { sharing: alone }]);
    expect(await telemetry.values()).toMatchObject({ optiongraph_sharing_losses_total: 1 });
    await redis.start();
    await vi.waitUntil(() => telemetry.lines('sharing').length === 3, { timeout: 5_000 });
    expect(telemetry.lines('sharing')).toMatchObject([
      { level: 'info', alone: false },
      { level: 'warn', alone: true, reason: expect.any(String) },
      { level: 'info', alone: false },
    ]);
    expect(await telemetry.values()).toMatchObject({ optiongraph_sharing_alone: 0 });
  });
});
