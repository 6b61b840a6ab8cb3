// Stops sending requests to a management API that is down.
import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
} from 'cockatiel';
import type { BreakerState, Observer } from '../../telemetry/observer.ts';
import { UpstreamUnreachableError } from '../errors/upstream-errors.ts';
import type { Transport } from './transport.ts';

/** Failures in a row after which the API counts as down. Any answer of the API starts the count again. */
const FAILURES = 20;
/** Pauses between trials while the API is down. Milliseconds. */
const TRIAL_PAUSES = { initialDelay: 500, maxDelay: 5_000 };

/** The cause of the error of a request that was not sent. */
export const CIRCUIT_OPEN = 'CIRCUIT_OPEN';

/** Decides whether requests are sent. All transports to one API share one. */
export type CircuitBreaker = CircuitBreakerPolicy;

/**
 * Creates a circuit breaker. It opens after failures of the connection or of a gateway; a slow answer is no such failure, so that
 * a caller with slow calls cannot open it for others. While it is open, one request at a time is sent as a trial.
 */
export function createCircuitBreaker({ breaker: notify }: Observer = {}): CircuitBreaker {
  const breaker = circuitBreaker(
    handleWhen((error) => error instanceof UpstreamUnreachableError),
    { halfOpenAfter: new ExponentialBackoff(TRIAL_PAUSES), breaker: new ConsecutiveBreaker(FAILURES) },
  );
  let from: BreakerState = 'closed';
  breaker.onStateChange((state) => {
    const to = STATES[state];
    notify?.({ from, to });
    from = to;
  });
  return breaker;
}

const STATES: Readonly<Record<CircuitState, BreakerState>> = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.Open]: 'open',
  [CircuitState.HalfOpen]: 'half-open',
  // The facade does not isolate the breaker.
  [CircuitState.Isolated]: 'open',
};

/** Makes a transport whose requests fail at once while the breaker is open. */
export function breakCircuit(transport: Transport, breaker: CircuitBreaker): Transport {
  return {
    send(request) {
      // One trial decides; cockatiel would let others wait for it.
      if (breaker.state === CircuitState.HalfOpen) return Promise.reject(createOpenError(request.scope));
      return breaker
        .execute(() => transport.send(request))
        .catch((error: unknown) => {
          throw error instanceof BrokenCircuitError ? createOpenError(request.scope) : error;
        });
    },
    close: () => transport.close(),
  };
}

const createOpenError = (scope: string | undefined): UpstreamUnreachableError =>
  new UpstreamUnreachableError(
    'The management API is down; it is tried again every few seconds.',
    { action: scope },
    { cause: CIRCUIT_OPEN, mayHaveArrived: false },
  );
