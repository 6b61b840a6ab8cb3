// Retries failing calls for the state of an action with growing pauses.
import { setTimeout as pause } from 'node:timers/promises';
import { OptiongraphError } from '../errors/optiongraph-error.ts';
import { ActionFailedError, UpstreamUnreachableError } from '../errors/upstream-errors.ts';
import type { WatchOptions } from './action-calls.ts';

/** Pauses between the retries of one poller, until `retryDeadline` has passed since the first of consecutive failures. */
export class Backoff {
  readonly #options: WatchOptions;
  #failingSince: number | null = null;
  #delay: number;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#delay = options.retryDelay[0];
  }

  /** Starts again with the shortest pause, after a call has succeeded. */
  reset(): void {
    this.#failingSince = null;
    this.#delay = this.#options.retryDelay[0];
  }

  /**
   * Waits before the next retry.
   * @throws the given error when a retry cannot help or the signal is aborted, UpstreamUnreachableError after the deadline.
   */
  async waitOrThrow(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted || !isTransient(error)) throw error;
    this.#failingSince ??= Date.now();
    if (Date.now() - this.#failingSince + this.#delay > this.#options.retryDeadline) {
      throw new UpstreamUnreachableError(
        'The management API did not answer the state of the action for too long; the action itself may continue.',
        error instanceof OptiongraphError ? { action: error.action, status: error.status } : {},
        { mayHaveArrived: true },
      );
    }
    await pause(this.#delay, undefined, { signal });
    this.#delay = Math.min(this.#delay * 2, this.#options.retryDelay[1]);
  }
}

/** Whether a retry may succeed: the connection, a proxy or the server failed, and the state itself is unknown. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ActionFailedError) return (error.status ?? 0) >= 500 || error.status === 429;
  return (
    error instanceof OptiongraphError &&
    error.code !== 'INPUT_INVALID' &&
    error.code !== 'CREDENTIALS_UNKNOWN'
  );
}
