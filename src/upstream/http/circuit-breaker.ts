// Stops sending requests to a management API that is down.
import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
} from 'cockatiel';
import type { BreakerState, Observer } from '../../telemetry/observer.ts';
import { UpstreamUnreachableError } from '../errors/upstream-errors.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** Failures in a row after which the API counts as down. Any answer of the API starts the count again. */
const FAILURES = 20;
/** Pauses between trials while the API is down. Milliseconds. */
const TRIAL_PAUSES = { initialDelay: 500, maxDelay: 5_000 };

/** The cause of the error of a request that was not sent. */
export const CIRCUIT_OPEN = 'CIRCUIT_OPEN';

/** The last failure of the connection or of a gateway. */
export interface ConnectionFailure {
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
  /** Code of the connection's error, e.g. `ECONNREFUSED`; null for none. */
  readonly cause: string | null;
}

/**
 * Decides whether requests are sent. All transports to one API share one. It opens after failures of the connection or of a gateway; a
 * slow answer is no such failure, so that a caller with slow calls cannot open it for others. While it is open, one request at a time
 * is sent as a trial.
 */
export class CircuitBreaker {
  readonly #policy = circuitBreaker(handleWhen(isConnectionFailure), {
    halfOpenAfter: new ExponentialBackoff(TRIAL_PAUSES),
    breaker: new ConsecutiveBreaker(FAILURES),
  });
  #answeredAt: number | null = null;
  #lastFailure: ConnectionFailure | null = null;
  /** Whether the policy has counted failures, so that it must hear of the next answer. */
  #hasCountedFailures = false;

  constructor({ breaker: notify }: Observer = {}) {
    let from: BreakerState = 'closed';
    this.#policy.onStateChange((state) => {
      const to = STATES[state];
      notify?.({ from, to });
      from = to;
    });
  }

  get state(): BreakerState {
    return STATES[this.#policy.state];
  }

  /** When the API answered last, in milliseconds of `performance.now()`; null for never. */
  get answeredAt(): number | null {
    return this.#answeredAt;
  }

  /** Null when no request has failed. */
  get lastFailure(): ConnectionFailure | null {
    return this.#lastFailure;
  }

  /** Sends a request, unless the API is down. */
  send(transport: Transport, request: TransportRequest): Promise<TransportResponse> {
    const { state } = this.#policy;
    // One trial decides; cockatiel would let others wait for it.
    if (state === CircuitState.HalfOpen) return Promise.reject(createOpenError(request.scope));
    // A call through the policy makes several promises, so while it is closed it hears only of failures, and of the next answer.
    const sent =
      state === CircuitState.Closed
        ? transport.send(request)
        : this.#policy.execute(() => transport.send(request));
    return sent.then(
      (response) => {
        this.#answeredAt = performance.now();
        if (this.#hasCountedFailures) this.#resetCount();
        return response;
      },
      async (error: unknown) => {
        if (error instanceof BrokenCircuitError) throw createOpenError(request.scope);
        if (isConnectionFailure(error)) await this.#countFailure(error);
        throw error;
      },
    );
  }

  async #countFailure(error: UpstreamUnreachableError): Promise<void> {
    this.#lastFailure = {
      at: performance.now(),
      cause: typeof error.cause === 'string' ? error.cause : null,
    };
    // A trial that fails has opened the policy again by itself.
    if (this.#policy.state !== CircuitState.Closed) return;
    this.#hasCountedFailures = true;
    await this.#policy.execute(() => Promise.reject(error)).catch(() => undefined);
  }

  #resetCount(): void {
    // A late answer, while the API counts as down, does not reach the policy, so the next one must.
    if (this.#policy.state !== CircuitState.Closed) return;
    this.#hasCountedFailures = false;
    void this.#policy.execute(() => undefined);
  }
}

const isConnectionFailure = (error: unknown): error is UpstreamUnreachableError =>
  error instanceof UpstreamUnreachableError;

const STATES: Readonly<Record<CircuitState, BreakerState>> = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.Open]: 'open',
  [CircuitState.HalfOpen]: 'half-open',
  // The facade does not isolate the breaker.
  [CircuitState.Isolated]: 'open',
};

/** Makes a transport whose requests fail at once while the breaker is open. */
export const breakCircuit = (transport: Transport, breaker: CircuitBreaker): Transport => ({
  send: (request) => breaker.send(transport, request),
  close: () => transport.close(),
});

const createOpenError = (scope: string | undefined): UpstreamUnreachableError =>
  new UpstreamUnreachableError(
    'The management API is down; it is tried again every few seconds.',
    { action: scope },
    { cause: CIRCUIT_OPEN, mayHaveArrived: false },
  );
