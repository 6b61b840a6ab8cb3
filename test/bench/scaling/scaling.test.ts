// Tests the model of large deployments on cases whose answer is known.
import { describe, expect, it } from 'vitest';
import type { Costs, Deployment } from './deployment.ts';
import { replicasReached } from './deployment.ts';
import { RETRY_PAUSE, simulateStorm } from './reconnect-storm.ts';
import { computeSteadyLoad } from './steady-load.ts';

const NO_COSTS: Costs = {
  start: 0,
  state: 0,
  message: 0,
  rest: 0,
  subscriber: 0,
  redisClaim: 0,
  redisMessage: 0,
  redisDelivery: 0,
};
const ONE_CALLER: Deployment = {
  replicas: 1,
  subscribers: 40,
  actions: 4,
  callers: 1,
  period: 2,
  changes: 10,
  isSticky: false,
};
const STORM = {
  clients: 10_000,
  closedOver: 0,
  replicas: 1,
  startsPerSecond: 1e9,
  unknown: 0,
  verificationsPerSecond: 1,
};

describe('the model of a deployment without failures', () => {
  it('polls each action of a caller at each change, and once more when it begins', () => {
    const load = computeSteadyLoad(ONE_CALLER, NO_COSTS);
    expect(load.upstream).toBeCloseTo(4 / 2 + 4 / 20);
    expect(load.states).toBe(40 / 2 + 40 / 20);
  });

  it('reads the list for the actions beyond eight twice a second', () => {
    // So many changes that no action begins.
    const load = computeSteadyLoad({ ...ONE_CALLER, actions: 28, changes: 1e6 }, NO_COSTS);
    expect(load.upstream).toBeCloseTo(8 / 2 + 2, 3);
  });

  it('reads the list early where actions begin, and each that ends, but no list more often than ten times a second', () => {
    const lists = (changes: number): number =>
      computeSteadyLoad({ ...ONE_CALLER, actions: 1_008, changes }, NO_COSTS).upstream -
      8 / 2 -
      1_000 / (2 * changes);
    expect(lists(1_008)).toBeGreaterThan(2);
    expect(lists(1)).toBeCloseTo(10, 1);
  });

  it('has one replica claim, and no message but its probe', () => {
    const load = computeSteadyLoad(ONE_CALLER, NO_COSTS);
    expect([load.claims, load.messages, load.deliveries]).toEqual([1, 1, 1]);
  });

  it('has as many requests to the upstream, and more messages, with more replicas', () => {
    const one = computeSteadyLoad(ONE_CALLER, NO_COSTS);
    const three = computeSteadyLoad({ ...ONE_CALLER, replicas: 3 }, NO_COSTS);
    expect(three.upstream).toBe(one.upstream);
    expect(three.claims).toBeCloseTo(3);
    // Three probes, what two followers say of themselves and of each action that begins and ends, and each change.
    expect(three.messages).toBeCloseTo(3 + 2 * (1 + (2 * 4) / 20) + 4 / 2 + 4 / 20);
  });

  it('has no messages between replicas where a caller has one of them', () => {
    const load = computeSteadyLoad({ ...ONE_CALLER, replicas: 50, isSticky: true }, NO_COSTS);
    expect([load.claims, load.messages]).toEqual([1, 50]);
  });

  it('adds up the costs', () => {
    const costs = { ...NO_COSTS, state: 2, rest: 100, subscriber: 1_024, redisClaim: 10, redisMessage: 5 };
    const load = computeSteadyLoad(ONE_CALLER, costs);
    expect(load.replicaCpu).toBeCloseTo((22 * 2) / 1_000);
    expect(load.replicaMemory).toBe(140);
    expect(load.redisCpu).toBeCloseTo(15 / 1e6);
  });

  it('knows how many replicas clients reach', () => {
    expect(replicasReached(1, 10)).toBeCloseTo(1);
    expect(replicasReached(2, 10)).toBeCloseTo(1.9);
    expect(replicasReached(10_000, 10)).toBeCloseTo(10);
  });
});

describe('the simulation of a storm', () => {
  const [shortest, longest] = RETRY_PAUSE;

  it('ends with the longest pause where nothing is scarce', () => {
    const { time, longestWait } = simulateStorm(STORM);
    expect(time).toBeCloseTo(longest, 0);
    expect(longestWait).toBe(0);
  });

  it('ends when the replicas have served all clients', () => {
    const { time, waiting } = simulateStorm({ ...STORM, replicas: 4, startsPerSecond: 25 });
    expect(time).toBeCloseTo(shortest + 10_000 / 100, 0);
    // All have come after the longest pause, and 100 are served in each second.
    expect(waiting).toBeCloseTo(10_000 - (longest - shortest) * 100, -2);
  });

  it('ends when the upstream has verified the credentials that are new', () => {
    const { time } = simulateStorm({ ...STORM, unknown: 0.5, verificationsPerSecond: 50 });
    expect(time).toBeCloseTo(shortest + 5_000 / 50, 0);
  });

  it('never ends where the replicas have no time for new clients', () => {
    expect(simulateStorm({ ...STORM, startsPerSecond: 0 }).time).toBe(Number.POSITIVE_INFINITY);
  });

  it('takes longer by the time over which connections close', () => {
    expect(simulateStorm({ ...STORM, closedOver: 5 }).time).toBeCloseTo(longest + 5, 0);
  });
});
