// What the model of a large deployment is given.

/** Replicas, and those who follow running actions through them. */
export interface Deployment {
  readonly replicas: number;
  readonly subscribers: number;
  /** Running actions, followed by equal numbers of subscribers. */
  readonly actions: number;
  /** Credentials, with equal numbers of subscribers and actions. */
  readonly callers: number;
  /** Seconds between two changes of an action. */
  readonly period: number;
  /** The change with which an action ends. Another action begins then, and its subscribers follow it. */
  readonly changes: number;
  /** Whether the balancer sends all clients of a caller to one replica, instead of each to any. */
  readonly isSticky: boolean;
}

/** What one thing costs, as the bench measures it. */
export interface Costs {
  /** Milliseconds of a replica's CPU time: a client that connects and subscribes, a state that is sent to it, a message of another replica. */
  readonly start: number;
  readonly state: number;
  readonly message: number;
  /** Memory of a replica without subscribers in MiB, and of a subscriber in KiB. */
  readonly rest: number;
  readonly subscriber: number;
  /** Microseconds of Redis' CPU time: a claim of a lease, a message that is published, and each time that it is received. */
  readonly redisClaim: number;
  readonly redisMessage: number;
  readonly redisDelivery: number;
}

/** The replicas that a number of clients reach, when each comes to any of them. */
export function replicasReached(clients: number, replicas: number): number {
  return replicas * (1 - (1 - 1 / replicas) ** clients);
}
