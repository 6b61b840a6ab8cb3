// Retries failing calls for the states of actions.
import pRetry, { type RetryContext } from 'p-retry';
import { ActionFailedError, OptiongraphError, UpstreamUnreachableError } from '../errors.ts';
import type { WatchOptions } from './action-calls.ts';

/**
 * Makes a call until it succeeds, with growing pauses between the attempts.
 * @throws the error of the call when a retry cannot help or the signal is aborted, UpstreamUnreachableError after the deadline.
 */
export async function callWithRetries<T>(
  call: () => Promise<T>,
  { retryDeadline, retryDelay: [minTimeout, maxTimeout] }: WatchOptions,
  signal: AbortSignal,
): Promise<T> {
  let failingSince: number | null = null;
  const shouldRetry = ({ error }: RetryContext): boolean => {
    // The deadline begins with the first failure, not with the call, because a poll may wait for long before it fails.
    failingSince ??= Date.now();
    return isTransient(error) && Date.now() - failingSince < retryDeadline;
  };
  try {
    return await pRetry(call, {
      retries: Number.POSITIVE_INFINITY,
      minTimeout,
      maxTimeout,
      shouldRetry,
      signal,
    });
  } catch (error) {
    if (signal.aborted || !isTransient(error)) throw error;
    throw new UpstreamUnreachableError(
      'The management API did not answer the state of the action for too long; the action itself may continue.',
      error instanceof OptiongraphError ? { action: error.action, status: error.status } : {},
      { mayHaveArrived: true },
    );
  }
}

/** Whether a retry may succeed: the connection, a proxy or the server failed, and the state itself is unknown. */
function isTransient(error: unknown): boolean {
  if (error instanceof ActionFailedError) return (error.status ?? 0) >= 500 || error.status === 429;
  return (
    error instanceof OptiongraphError &&
    error.code !== 'INPUT_INVALID' &&
    error.code !== 'CREDENTIALS_UNKNOWN'
  );
}
