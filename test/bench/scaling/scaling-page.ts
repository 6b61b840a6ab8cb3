// Writes what replicas do, measured and computed, into the page about scaling.
import type { Saved } from '../figures-file.ts';
import { CHANGES, PERIOD, type ReplicasFigures } from '../replicas.bench.ts';
import { type Row, rounded } from '../table.ts';
import { writePage } from '../write-page.ts';
import type { Costs } from './deployment.ts';
import { LIMITS, tabulateSteadyLoad, tabulateStorms } from './scenarios.ts';
import { computeSteadyLoad } from './steady-load.ts';

/** Replaces the figures in a page. @throws Error when the page has no place for them. */
export function writeScalingPage(file: string, { on, figures }: Saved<ReplicasFigures>): void {
  const costs = toCosts(figures);
  writePage(file, [
    '### Measured',
    `Measured ${on}, with ${figures.shape.subscribers} subscribers of ${figures.shape.actions} actions and ${figures.shape.callers} callers.`,
    figures.runs,
    'Redis commands:',
    figures.queries,
    '### Costs',
    describeCosts(costs),
    '### The model beside the measurement',
    compare(figures, costs),
    '### A million subscribers',
    tabulateSteadyLoad(costs),
    '### Storms',
    `The upstream verifies ${LIMITS.upstream} credentials a second.`,
    tabulateStorms(costs),
  ]);
}

const toCosts = ({ replicaCosts, redisCosts }: ReplicasFigures): Costs => ({
  ...replicaCosts,
  redisClaim: redisCosts.claim,
  redisMessage: redisCosts.message,
  redisDelivery: redisCosts.delivery,
});

function describeCosts(costs: Costs): readonly Row[] {
  const row = (what: string, cost: number, unit: string): Row => ({ what, cost: rounded(cost, 2), unit });
  return [
    row('a client connects and subscribes', costs.start, 'ms of CPU time'),
    row('a state is sent to a subscriber', costs.state, 'ms of CPU time'),
    row('a message of another replica is read', costs.message, 'ms of CPU time'),
    row('a replica without subscribers', costs.rest, 'MiB'),
    row('a subscriber', costs.subscriber, 'KiB'),
    row('Redis: a claim of a lease', costs.redisClaim, 'µs of CPU time'),
    row('Redis: a message', costs.redisMessage, 'µs of CPU time'),
    row('Redis: a message is received by a replica', costs.redisDelivery, 'µs of CPU time'),
  ];
}

/** The model's figures for the deployments of the bench, beside those that it has measured. */
function compare({ windows, shape }: ReplicasFigures, costs: Costs): readonly Row[] {
  return windows
    .filter(({ kills }) => kills === 0)
    .flatMap((measured) => {
      const deployment = { ...shape, period: PERIOD / 1_000, changes: CHANGES, isSticky: false };
      const model = computeSteadyLoad({ ...deployment, replicas: measured.replicas }, costs);
      const row = (what: string, found: number, computed: number): Row => ({
        replicas: measured.replicas,
        what,
        measured: rounded(found),
        model: rounded(computed),
      });
      return [
        row('upstream requests per s', measured.upstream, model.upstream),
        row('claims per s', measured.claims, model.claims),
        row('messages per s', measured.messages, model.messages),
        row('states per s', measured.states, model.states),
        row('CPU of all replicas %', 100 * measured.replicasCpu, 100 * model.replicaCpu * measured.replicas),
        row('CPU of Redis %', 100 * measured.redisCpu, 100 * model.redisCpu),
      ];
    });
}
