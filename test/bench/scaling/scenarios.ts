// What happens to large deployments, as tables.
import type { Row } from '../table.ts';
import { rounded } from '../table.ts';
import { type Costs, type Deployment, replicasReached } from './deployment.ts';
import { simulateStorm } from './reconnect-storm.ts';
import { computeSteadyLoad, takeoverTime } from './steady-load.ts';

/** What there is. */
export const LIMITS = {
  /** Requests that the upstream answers in each second: 20 workers that take 100 ms. */
  upstream: 200,
  /** Cores that Redis uses: it runs commands in one thread. */
  redis: 1,
  /** Of a replica: the cores at which the autoscaler of `deploy` adds one, and the MiB that `deploy/compose.yaml` allows. */
  cpu: 0.7,
  memory: 1_024,
} as const;

const REPLICAS = [10, 100, 1_000];

/** A million subscribers: of as many callers for each action as in the bench, and of many callers with an action of their own. */
const MILLIONS = [
  { subscribers: 1_000_000, actions: 50_000, callers: 2_000, period: 4, changes: 5 },
  { subscribers: 1_000_000, actions: 100_000, callers: 100_000, period: 4, changes: 5 },
] as const;

const balancer = ({ isSticky }: Deployment): string => (isSticky ? 'one of the caller' : 'any');

const deployments = (): readonly Deployment[] =>
  MILLIONS.flatMap((audience) =>
    REPLICAS.flatMap((replicas) => [false, true].map((isSticky) => ({ ...audience, replicas, isSticky }))),
  );

/** A million subscribers while nothing fails, and which limits that passes. */
export function tabulateSteadyLoad(costs: Costs): readonly Row[] {
  return deployments().map((deployment) => {
    const load = computeSteadyLoad(deployment, costs);
    const shares = {
      upstream: load.upstream / LIMITS.upstream,
      Redis: load.redisCpu / LIMITS.redis,
      CPU: load.replicaCpu / LIMITS.cpu,
      memory: load.replicaMemory / LIMITS.memory,
    };
    const passed = Object.entries(shares)
      .filter(([, share]) => share > 1)
      .sort(([, a], [, b]) => b - a);
    return {
      callers: deployment.callers,
      replicas: deployment.replicas,
      'a client comes to': balancer(deployment),
      'upstream per s': Math.round(load.upstream),
      'claims per s': Math.round(load.claims),
      'messages per s': Math.round(load.messages),
      'received per s': Math.round(load.deliveries),
      'Redis cores': rounded(load.redisCpu, 2),
      'CPU of a replica %': rounded(100 * load.replicaCpu),
      'its MiB': Math.round(load.replicaMemory),
      'over the limit': passed.map(([what, share]) => `${what} ${rounded(share)} ×`).join(', ') || 'nothing',
    };
  });
}

/** Seconds in which a replica that is restarted closes its connections, and the time until the next one is restarted at the earliest. */
const CLOSING = 5;
const RESTART = 15;

/** A third of the replicas dies at once, or all are restarted one by one. */
export function tabulateStorms(costs: Costs): readonly Row[] {
  return deployments().flatMap((deployment) => {
    const startsPerSecond =
      Math.max(0, 1 - computeSteadyLoad(deployment, costs).replicaCpu) * (1_000 / costs.start);
    const name = {
      callers: deployment.callers,
      replicas: deployment.replicas,
      'a client comes to': balancer(deployment),
    };
    return [
      { ...name, what: 'a third dies', ...loseThird(deployment, startsPerSecond) },
      { ...name, what: 'restarted one by one', ...restartAll(deployment, startsPerSecond) },
    ];
  });
}

function loseThird(deployment: Deployment, startsPerSecond: number): Row {
  const { replicas, subscribers, callers, isSticky } = deployment;
  const dead = Math.round(replicas / 3);
  const left = replicas - dead;
  const clients = (subscribers * dead) / replicas;
  const perCaller = subscribers / callers;
  // Pairs of a caller and a replica that has not verified it yet.
  const verifications = isSticky
    ? (callers * dead) / replicas
    : callers * (replicasReached(perCaller, left) - left * (1 - (1 - 1 / replicas) ** perCaller));
  return describe(clients, verifications, 0, left, startsPerSecond);
}

function restartAll(deployment: Deployment, startsPerSecond: number): Row {
  const { replicas, subscribers, callers } = deployment;
  const clients = subscribers / replicas;
  const verifications = deployment.isSticky ? callers / replicas : replicasReached(clients, callers);
  // The balancer sends them to the replica with the fewest connections: the one that was restarted last.
  const row = describe(clients, verifications, CLOSING, 1, startsPerSecond);
  const one =
    row['seconds'] === 'never' ? Number.POSITIVE_INFINITY : Math.max(RESTART, Number(row['seconds']));
  return {
    ...row,
    clients: Math.round(clients * replicas),
    verifications: Math.round(verifications * replicas),
    seconds: numberOrNever(Math.round(one * replicas)),
  };
}

function describe(
  clients: number,
  verifications: number,
  closedOver: number,
  replicas: number,
  startsPerSecond: number,
): Row {
  const { time, longestWait } = simulateStorm({
    clients,
    closedOver,
    replicas,
    startsPerSecond,
    unknown: Math.min(1, verifications / clients),
    verificationsPerSecond: LIMITS.upstream,
  });
  return {
    clients: Math.round(clients),
    verifications: Math.round(verifications),
    seconds: numberOrNever(rounded(Math.max(time, takeoverTime()))),
    'longest wait s': numberOrNever(rounded(longestWait)),
  };
}

const numberOrNever = (value: number): number | string => (Number.isFinite(value) ? value : 'never');
