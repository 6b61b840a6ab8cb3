// Simulates how clients that have lost their replica come back, in steps of time.

/** Clients that lose their connection, and the replicas to which they come back. */
export interface Storm {
  readonly clients: number;
  /** Seconds over which their connections close. 0: at once. */
  readonly closedOver: number;
  readonly replicas: number;
  /** Clients that one replica can serve in each second. */
  readonly startsPerSecond: number;
  /** The part of the clients whose credential is new to the replica, so that the upstream verifies it. */
  readonly unknown: number;
  /** Verifications that the upstream answers in each second. */
  readonly verificationsPerSecond: number;
}

export interface Recovery {
  /** Seconds until the last client is served; infinite where the replicas have no time for any. */
  readonly time: number;
  /** The longest time that a client waits after it has connected, in seconds. */
  readonly longestWait: number;
  /** Clients that wait at the worst moment. */
  readonly waiting: number;
}

/** The pause before a stock client of graphql-ws connects again, in seconds. Each has another one of these. */
export const RETRY_PAUSE = [1.3, 4] as const;

/** Seconds. */
const STEP = 0.05;

/** Clients are a fluid: the same numbers of them come in equal times. */
export function simulateStorm(storm: Storm): Recovery {
  const { clients, replicas, startsPerSecond, unknown, verificationsPerSecond } = storm;
  const byUpstream = unknown === 0 ? Number.POSITIVE_INFINITY : verificationsPerSecond / unknown;
  const perSecond = Math.min(replicas * startsPerSecond, byUpstream);
  if (perSecond <= 0)
    return { time: Number.POSITIVE_INFINITY, longestWait: Number.POSITIVE_INFINITY, waiting: clients };
  let [served, highest] = [0, 0];
  for (let time = STEP; ; time += STEP) {
    const arrived = clients * partArrived(time, storm.closedOver);
    served = Math.min(arrived, served + perSecond * STEP);
    highest = Math.max(highest, arrived - served);
    if (served >= clients * (1 - 1e-9))
      return { time, longestWait: highest / perSecond, waiting: Math.round(highest) };
  }
}

/** The part of the clients that have connected again: those whose closing and pause have passed, both uniform. */
function partArrived(time: number, closedOver: number): number {
  const [shortest, longest] = RETRY_PAUSE;
  const spread = longest - shortest;
  const passed = time - shortest;
  if (closedOver === 0) return clamp(passed / spread);
  const steps = 20;
  let sum = 0;
  for (let step = 0; step < steps; step += 1)
    sum += clamp((passed - (closedOver * (step + 0.5)) / steps) / spread);
  return sum / steps;
}

const clamp = (value: number): number => Math.min(1, Math.max(0, value));
