// Computes what a deployment does while nothing fails.

import { DEFAULT_WATCH } from '../../../src/upstream/actions/action-calls.ts';
import { MAX_LONG_POLLS, MIN_POLL_INTERVAL } from '../../../src/upstream/actions/action-pollers.ts';
import { MAX_TOTAL_POLLS } from '../../../src/upstream/actions/action-states.ts';
import { type Costs, type Deployment, replicasReached } from './deployment.ts';

/** What happens in each second. CPU times are parts of a core. */
export interface SteadyLoad {
  /** Replicas that have clients of one caller. */
  readonly replicasOfCaller: number;
  /** Requests to the upstream. */
  readonly upstream: number;
  /** Claims of leases, published messages, and how often these are received. */
  readonly claims: number;
  readonly messages: number;
  readonly deliveries: number;
  readonly redisCpu: number;
  /** States sent to subscribers. */
  readonly states: number;
  /** Of one replica. */
  readonly replicaCpu: number;
  readonly replicaMemory: number;
  readonly connections: number;
}

/** Seconds that a long poll waits for a change. */
const LONGEST_POLL = 15;
/** Probes of a replica in each second: a command and a message. */
const PROBES = 1;

/** Seconds from the death of a replica until another one polls for its callers, at most. */
export const takeoverTime = (): number => (DEFAULT_WATCH.lease[0] + DEFAULT_WATCH.lease[1]) / 1_000;

export function computeSteadyLoad(deployment: Deployment, costs: Costs): SteadyLoad {
  const { replicas, subscribers, actions, callers, period, changes, isSticky } = deployment;
  const replicasOfCaller = isSticky ? 1 : replicasReached(subscribers / callers, replicas);
  const followers = replicasOfCaller - 1;
  const polls = countPolls(deployment);
  const upstream = callers * (polls.long + polls.lists + polls.reads);

  // Each replica of a caller claims the lease. Each follower says what it watches, at intervals and when an action begins or ends.
  const claims = (callers * replicasOfCaller * 1_000) / DEFAULT_WATCH.lease[1];
  const begun = actions / callers / (period * changes);
  const said = followers * (1_000 / DEFAULT_WATCH.lease[1] + 2 * begun);
  const sent = followers < 0.5 ? 0 : polls.long + Math.min(polls.lists, polls.listed / period);
  const shared = callers * (said + sent);
  const messages = shared + PROBES * replicas;
  const deliveries = shared * replicasOfCaller + PROBES * replicas;
  const redisTime =
    claims * costs.redisClaim + messages * costs.redisMessage + deliveries * costs.redisDelivery;

  // Each change, and the first state of each action.
  const states = subscribers / period + subscribers / (period * changes);
  return {
    replicasOfCaller,
    upstream,
    claims,
    messages,
    deliveries,
    redisCpu: redisTime / 1e6,
    states,
    replicaCpu: (states * costs.state + deliveries * costs.message) / replicas / 1_000,
    replicaMemory: costs.rest + (subscribers / replicas) * (costs.subscriber / 1_024),
    connections: subscribers / replicas,
  };
}

/** The requests for one caller in each second, and the actions that are watched through the list. */
function countPolls({ replicas, actions, callers, period, changes }: Deployment) {
  const own = actions / callers;
  const polled = Math.min(own, MAX_LONG_POLLS, (MAX_TOTAL_POLLS * replicas) / callers);
  const listed = own - polled;
  return {
    listed,
    // One for each change, and a first one at once where no listed action is waiting.
    long: polled / Math.min(period, LONGEST_POLL) + (listed === 0 ? polled / (period * changes) : 0),
    lists: listed === 0 ? 0 : countLists(own / (period * changes)),
    // One for each end: an action that the list omits is read, or the long poll of an ended action begins with a state that is old.
    reads: listed / (period * changes),
  };
}

/** The reads of a list in each second: two in an interval, and each action that begins has the next one come early. */
function countLists(begun: number): number {
  const [shortest, longest] = [MIN_POLL_INTERVAL / 1_000, DEFAULT_WATCH.interval / 2_000];
  const pause = shortest + (Math.exp(-begun * shortest) - Math.exp(-begun * longest)) / begun;
  return 1 / pause;
}
