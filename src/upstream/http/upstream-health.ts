// Finds out whether the management API answers, from the outcomes of requests and, on demand, from requests of its own.
import type { BreakerState } from '../../telemetry/observer.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { Transport } from './transport.ts';

/** The health of the management API, in a form for operators. Ages are in seconds. */
export interface UpstreamReport {
  /** The outcome of the latest request; null before there was any. */
  readonly isAnswering: boolean | null;
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

const BREAKER: Readonly<Record<BreakerState, UpstreamReport['breaker']>> = {
  closed: 'closed',
  open: 'open',
  'half-open': 'trying',
};

/** The health of one management API. */
export class UpstreamHealth implements Disposable {
  readonly #breaker: CircuitBreaker;
  #isDown = false;
  #timer: NodeJS.Timeout | null = null;

  /** @param breaker All requests to the API pass it. */
  constructor(breaker: CircuitBreaker) {
    this.#breaker = breaker;
  }

  /** Whether probes have found that the API is down. Without probes it never is. */
  get isDown(): boolean {
    return this.#isDown;
  }

  get report(): UpstreamReport {
    const age = (at: number): number => Math.round((performance.now() - at) / 1000);
    const { answeredAt, lastFailure: failed, state } = this.#breaker;
    return {
      isAnswering: answeredAt === null && failed === null ? null : (answeredAt ?? -1) > (failed?.at ?? -1),
      breaker: BREAKER[state],
      lastAnswer: answeredAt === null ? null : age(answeredAt),
      lastFailure: failed === null ? null : { age: age(failed.at), cause: failed.cause },
    };
  }

  /**
   * Sends a request at intervals. One failure does not make the API down, and one answer does not bring it back, so that an API that
   * flaps does not take the server in and out of service.
   * @param path Path and query of a cheap `OPTIONS` request. An answer with a status below 500 counts.
   */
  watch(
    transport: Transport,
    path: string,
    { interval = 5_000, failures = 3, answers = 2 }: ProbeOptions = {},
  ): void {
    // Probes in a row whose outcome differs from the state.
    let contrary = 0;
    const probe = async (): Promise<boolean> => {
      const signal = AbortSignal.timeout(interval);
      const request = { isRead: true, method: 'OPTIONS', template: path, path, headers: {}, signal } as const;
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
}
