// Knows whether the management API answers, and stops sending requests while it is down.
import {
  BrokenCircuitError,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
} from 'cockatiel';
import type { BreakerState, Observer } from '../../observer.ts';
import { UpstreamUnreachableError } from '../errors.ts';
import { NO_CLIENT } from './client-headers.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** Failures in a row after which the API counts as down. Any answer of the API starts the count again. */
const FAILURES = 20;
/** Pauses between trials while the API is down. Milliseconds. */
const TRIAL_PAUSES = { initialDelay: 500, maxDelay: 5_000 };

/** The cause of the error of a request that was not sent. */
export const CIRCUIT_OPEN = 'CIRCUIT_OPEN';

/** The health of the management API, in a form for operators. Ages are in seconds. */
export interface UpstreamReport {
  /** The outcome of the latest request; null before there was any. */
  readonly isAnswering: boolean | null;
  /** Whether requests are sent: `trying` while one of them is a trial. */
  readonly breaker: 'closed' | 'open' | 'trying';
  /** Age of the latest answer. */
  readonly lastAnswer: number | null;
  /** Age and cause of the latest failure of the connection or of a gateway. */
  readonly lastFailure: { readonly age: number; readonly cause: string | null } | null;
}

/** How the API is probed. Times in milliseconds. */
export interface ProbeOptions {
  /** Time between two probes; default 5,000. */
  readonly interval?: number;
  /** Failed probes in a row after which the API is down; default 3. */
  readonly failures?: number;
  /** Answered probes in a row after which it is back; default 2. */
  readonly answers?: number;
}

/**
 * The health of one management API, from the outcomes of all requests to it. After failures of the connection or of a gateway its
 * circuit breaker opens: requests fail at once, and one at a time is sent as a trial. A slow answer is no such failure, so that a caller
 * with slow calls cannot open it for others.
 */
export class UpstreamHealth implements Disposable {
  readonly #breaker = circuitBreaker(handleWhen(isConnectionFailure), {
    halfOpenAfter: new ExponentialBackoff(TRIAL_PAUSES),
    breaker: new ConsecutiveBreaker(FAILURES),
  });
  /** Milliseconds of `performance.now()`, as all times here. */
  #answeredAt: number | null = null;
  #lastFailure: { readonly at: number; readonly cause: string | null } | null = null;
  /** Whether the breaker has counted failures, so that it must hear of the next answer. */
  #hasCountedFailures = false;
  #isDown = false;
  #timer: NodeJS.Timeout | null = null;

  constructor({ breaker: notify }: Observer = {}) {
    let from: BreakerState = 'closed';
    this.#breaker.onStateChange((state) => {
      const to = STATES[state];
      notify?.({ from, to });
      from = to;
    });
  }

  /** Whether probes have found that the API is down. Without probes it never is. */
  get isDown(): boolean {
    return this.#isDown;
  }

  get report(): UpstreamReport {
    const age = (at: number): number => Math.round((performance.now() - at) / 1000);
    const answeredAt = this.#answeredAt;
    const failed = this.#lastFailure;
    const state = STATES[this.#breaker.state];
    return {
      isAnswering: answeredAt === null && failed === null ? null : (answeredAt ?? -1) > (failed?.at ?? -1),
      breaker: state === 'half-open' ? 'trying' : state,
      lastAnswer: answeredAt === null ? null : age(answeredAt),
      lastFailure: failed === null ? null : { age: age(failed.at), cause: failed.cause },
    };
  }

  /** Makes a transport whose requests fail at once while the API is down. */
  guard(transport: Transport): Transport {
    return { send: (request) => this.#send(transport, request), close: () => transport.close() };
  }

  #send(transport: Transport, request: TransportRequest): Promise<TransportResponse> {
    const { state } = this.#breaker;
    // One trial decides; cockatiel would let others wait for it.
    if (state === CircuitState.HalfOpen) return Promise.reject(createOpenError(request.scope));
    // A call through the breaker makes several promises, so while it is closed it hears only of failures, and of the next answer.
    const sent =
      state === CircuitState.Closed
        ? transport.send(request)
        : this.#breaker.execute(() => transport.send(request));
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

  /**
   * Sends a request at intervals. One failure does not make the API down, and one answer does not bring it back, so that an API that
   * flaps does not take the server in and out of service.
   * @param path Path and query of a cheap `OPTIONS` request. An answer with a status below 500 counts.
   */
  watch(
    transport: Pick<Transport, 'send'>,
    path: string,
    { interval = 5_000, failures = 3, answers = 2 }: ProbeOptions = {},
  ): void {
    // Probes in a row whose outcome differs from the state.
    let contrary = 0;
    const probe = async (): Promise<boolean> => {
      const signal = AbortSignal.timeout(interval);
      const request = {
        isRead: true,
        method: 'OPTIONS',
        template: path,
        path,
        headers: NO_CLIENT,
        signal,
      } as const;
      const { status } = await transport.send(request);
      return status < 500;
    };
    const run = async (): Promise<void> => {
      const hasFailed = !(await probe().catch(() => false));
      contrary = hasFailed === this.#isDown ? 0 : contrary + 1;
      if (contrary < (hasFailed ? failures : answers)) return;
      this.#isDown = hasFailed;
      contrary = 0;
    };
    this.#timer = setInterval(() => void run(), interval).unref();
  }

  [Symbol.dispose](): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  async #countFailure(error: UpstreamUnreachableError): Promise<void> {
    this.#lastFailure = {
      at: performance.now(),
      cause: typeof error.cause === 'string' ? error.cause : null,
    };
    // A trial that fails has opened the breaker again by itself.
    if (this.#breaker.state !== CircuitState.Closed) return;
    this.#hasCountedFailures = true;
    await this.#breaker.execute(() => Promise.reject(error)).catch(() => undefined);
  }

  #resetCount(): void {
    // A late answer, while the API counts as down, does not reach the breaker, so the next one must.
    if (this.#breaker.state !== CircuitState.Closed) return;
    this.#hasCountedFailures = false;
    void this.#breaker.execute(() => undefined);
  }
}

function isConnectionFailure(error: unknown): error is UpstreamUnreachableError {
  return error instanceof UpstreamUnreachableError;
}

const STATES: Readonly<Record<CircuitState, BreakerState>> = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.Open]: 'open',
  [CircuitState.HalfOpen]: 'half-open',
  // The facade does not isolate the breaker.
  [CircuitState.Isolated]: 'open',
};

const createOpenError = (scope: string | undefined): UpstreamUnreachableError =>
  new UpstreamUnreachableError(
    'The management API is down; it is tried again every few seconds.',
    { action: scope },
    { cause: CIRCUIT_OPEN, mayHaveArrived: false },
  );
