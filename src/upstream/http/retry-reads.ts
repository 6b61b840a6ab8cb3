// Sends failed reads again.
import { setTimeout as pause } from 'node:timers/promises';
import { toAbortSignal } from '../abortable.ts';
import { UpstreamUnreachableError } from '../errors/upstream-errors.ts';
import { CIRCUIT_OPEN } from './circuit-breaker.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** When reads are sent again. Durations in milliseconds. */
export interface RetryOptions {
  /** Requests after the first one; default 2. */
  readonly retries?: number;
  /** Pause before the first retry; it doubles, and varies by half so that callers do not retry together. Default 100. */
  readonly delay?: number;
  /** Longest pause that the server may request with `Retry-After`; default 5,000. */
  readonly maxDelay?: number;
}

/** Statuses after which the same read may succeed. 429 is retried only when the server says when. */
const RETRY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Makes a transport that sends reads again after failures of the connection or of a gateway. Writes are never sent again, and
 * neither are reads that took until their timeout. The pauses between attempts occupy nobody's turn.
 */
export function retryReads(transport: Transport, options: RetryOptions = {}): Transport {
  const { retries = 2, delay = 100, maxDelay = 5_000 } = options;
  const pauseAfter = (attempt: number, retryAfter: number | null): number =>
    retryAfter ?? delay * 2 ** attempt * (0.5 + Math.random());

  function sendWithRetries(request: TransportRequest, attempt: number): Promise<TransportResponse> {
    const isLast = attempt >= retries;
    const mayWait = (retryAfter: number | null): boolean => (retryAfter ?? 0) <= maxDelay;
    return transport.send(request).then(
      (response) => {
        if (isLast || !isRetryable(response) || !mayWait(response.retryAfter)) return response;
        return sendAgain(request, attempt, response.retryAfter);
      },
      (error: unknown) => {
        const mayRetry = !isLast && request.signal?.aborted !== true && isConnectionFault(error);
        if (!mayRetry || !mayWait(error.retryAfter)) throw error;
        return sendAgain(request, attempt, error.retryAfter);
      },
    );
  }

  async function sendAgain(
    request: TransportRequest,
    attempt: number,
    retryAfter: number | null,
  ): Promise<TransportResponse> {
    const { signal, betweenTurns = (task) => task() } = request;
    const ms = pauseAfter(attempt, retryAfter);
    await betweenTurns(() => pause(ms, undefined, signal && { signal: toAbortSignal(signal) }));
    return await sendWithRetries(request, attempt + 1);
  }

  return {
    send: (request) => (request.isRead ? sendWithRetries(request, 0) : transport.send(request)),
    close: () => transport.close(),
  };
}

const isRetryable = ({ status, retryAfter }: TransportResponse): boolean =>
  RETRY_STATUSES.has(status) || (status === 429 && retryAfter !== null);

const isConnectionFault = (error: unknown): error is UpstreamUnreachableError =>
  error instanceof UpstreamUnreachableError &&
  error.cause !== CIRCUIT_OPEN &&
  (error.status !== 429 || error.retryAfter !== null);
