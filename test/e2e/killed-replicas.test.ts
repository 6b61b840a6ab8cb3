// Tests that no subscriber misses a final state or sees one go back while replicas are killed without a warning.
import { expect, test } from 'vitest';
import { ProgressClient, type SeenAction } from '../helpers/progress-client.ts';
import { hasProxy, startProxy } from '../helpers/proxy.ts';
import { hasRedis, startRedis } from '../helpers/redis.ts';
import { startReplicaProcess } from '../helpers/replica-process.ts';
import { createRunningActions } from '../helpers/running-actions.ts';
import { startStub } from '../helpers/stub-upstream.ts';
import { WORKSHOP } from '../helpers/workshop.ts';

const SUBSCRIBERS = 60;
const ACTIONS = 8;
const STEPS = 5;

test.skipIf(!hasProxy || !hasRedis)(
  'two replicas are killed in turn, and each of 60 subscribers gets each final state, and no state after a newer one',
  async () => {
    const actions = createRunningActions();
    await using upstream = await startStub(WORKSHOP, actions.handlers);
    const ids = Array.from({ length: ACTIONS }, (_, index) => index + 1);
    for (const id of ids) actions.set({ id, current: 0, total: 100 });
    await using redis = await startRedis();
    await using one = await startReplicaProcess(upstream.url.href, redis.url);
    await using two = await startReplicaProcess(upstream.url.href, redis.url);
    const replicas = [one, two];
    await using proxy = await startProxy(replicas.map(({ port }) => port));

    let begun = 0;
    const clients = Array.from({ length: SUBSCRIBERS }, () => {
      let states = 0;
      return new ProgressClient({
        url: () => `${proxy.url.replace('http', 'ws')}/graphql`,
        connectionParams: { 'X-Library-Token': 'one' },
        onState: () => {
          states += 1;
          if (states === 1) begun += 1;
        },
      });
    });
    const followed = clients.map((client, index) => client.follow((index % ACTIONS) + 1));
    await expect.poll(() => begun, { timeout: 20_000 }).toBe(SUBSCRIBERS);

    const seen: SeenAction[] = [];
    let current = 0;
    for (const [kill, replica] of replicas.entries()) {
      const restarted = replica.restart('SIGKILL');
      // Nobody polls for some seconds, and the clients of this replica are away for longer.
      for (let step = 0; step < STEPS; step += 1) {
        current += 1;
        for (const id of ids.filter((one) => one > kill * 4)) actions.set({ id, current });
      }
      const ending = ids.slice(kill * 4, kill * 4 + 4);
      for (const id of ending) actions.set({ id, current, finished: true });
      await restarted;
      seen.push(
        ...(await Promise.all(followed.filter((_, index) => ending.includes((index % ACTIONS) + 1)))),
      );
    }

    expect(seen).toHaveLength(SUBSCRIBERS);
    for (const action of seen) expect(action).toMatchObject({ hasEnded: true, wentBack: 0 });
    expect(clients.reduce((sum, { connections }) => sum + connections, 0)).toBeGreaterThan(SUBSCRIBERS);
    await Promise.all(clients.map((client) => client.close()));
  },
);
