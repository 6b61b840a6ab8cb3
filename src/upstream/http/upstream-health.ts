// Knows whether the management API answers, and stops sending requests while it is down.
import type { BreakerState, Observer } from '../../observer.ts';
import { UpstreamUnreachableError } from '../errors.ts';

/** Failures in a row after which the API counts as down. Any answer of the API starts the count again. */
const FAILURES = 20;
/** First and longest pause between trials while the API is down. Milliseconds. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 5_000;

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

/**
 * The health of one management API, from the outcomes of all requests to it. After failures of the connection or of a gateway its
 * circuit breaker opens: requests fail at once, and one at a time is sent as a trial. A slow answer is no such failure, so that a caller
 * with slow calls cannot open it for others.
 */
export class UpstreamHealth {
  readonly #notify: Observer['breaker'];
  #breaker: BreakerState = 'closed';
  #failuresInRow = 0;
  /** The pause before the next trial, and its time. */
  #pause = FIRST_PAUSE;
  #trialAt = 0;
  /** The request that was sent last while the breaker was open. */
  #trial: object | null = null;
  #isAnswering: boolean | null = null;
  #answeredAt: number | null = null;
  #lastFailure: { readonly at: number; readonly cause: string | null } | null = null;

  constructor({ breaker }: Observer = {}) {
    this.#notify = breaker;
  }

  get report(): UpstreamReport {
    const age = (at: number): number => Math.round((Date.now() - at) / 1000);
    const answeredAt = this.#answeredAt;
    const failed = this.#lastFailure;
    const breaker = this.#breaker;
    return {
      isAnswering: this.#isAnswering,
      breaker: breaker === 'half-open' ? 'trying' : breaker,
      lastAnswer: answeredAt === null ? null : age(answeredAt),
      lastFailure: failed === null ? null : { age: age(failed.at), cause: failed.cause },
    };
  }

  /** Whether a request may be sent, whose end must then be recorded. */
  admit(request: object): boolean {
    if (this.#breaker === 'closed') return true;
    if (this.#breaker === 'half-open' || Date.now() < this.#trialAt) return false;
    this.#trial = request;
    this.#change('half-open');
    return true;
  }

  /** Records the end of a request. @param error Null when the API has answered. */
  recordEnd(request: object, error: unknown): void {
    if (error instanceof UpstreamUnreachableError) this.#recordFailure(error);
    else if (error === null) {
      this.#isAnswering = true;
      this.#answeredAt = Date.now();
      this.#close();
    } else if (this.#breaker === 'half-open' && request === this.#trial) {
      // The trial was slow, or nobody waits for it any more.
      this.#close();
    }
  }

  #recordFailure({ cause }: UpstreamUnreachableError): void {
    this.#isAnswering = false;
    this.#lastFailure = { at: Date.now(), cause: typeof cause === 'string' ? cause : null };
    this.#failuresInRow += 1;
    const isTrial = this.#breaker === 'half-open';
    if (!isTrial && (this.#breaker === 'open' || this.#failuresInRow < FAILURES)) return;
    this.#trialAt = Date.now() + this.#pause;
    this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE);
    this.#change('open');
  }

  #close(): void {
    this.#failuresInRow = 0;
    this.#pause = FIRST_PAUSE;
    if (this.#breaker !== 'closed') this.#change('closed');
  }

  #change(to: BreakerState): void {
    const from = this.#breaker;
    this.#breaker = to;
    this.#notify?.({ from, to });
  }
}
