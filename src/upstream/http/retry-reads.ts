// Sends reads again that have failed: undici's own retry continues a broken body by a range, and knows writes only by their method.
import { setTimeout as pause } from 'node:timers/promises';
import { toAbortSignal } from '../abortable.ts';
import { UpstreamUnreachableError } from '../errors.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { CIRCUIT_OPEN } from './upstream-health.ts';

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
 * Makes a transport that sends reads again after failures of the connection or of a gateway. Writes are never sent again, and neither are
 * reads that took until their timeout.
 */
export function retryReads(
  transport: Transport,
  { retries = 2, delay = 100, maxDelay = 5_000 }: RetryOptions = {},
): Transport {
  function send(request: TransportRequest, attempt: number): Promise<TransportResponse> {
    const sent = transport.send(request);
    if (attempt >= retries) return sent;
    return sent.then(
      (response) => (isRetryable(response) ? sendAgain(request, attempt, response) : response),
      (error: unknown) => {
        if (request.signal?.aborted || !isConnectionFault(error)) throw error;
        return sendAgain(request, attempt, error);
      },
    );
  }

  async function sendAgain(
    request: TransportRequest,
    attempt: number,
    failure: TransportResponse | UpstreamUnreachableError,
  ): Promise<TransportResponse> {
    const ms = failure.retryAfter ?? delay * 2 ** attempt * (0.5 + Math.random());
    if (failure.retryAfter === null || ms <= maxDelay) {
      await pause(ms, undefined, request.signal && { signal: toAbortSignal(request.signal) });
      return send(request, attempt + 1);
    }
    if (failure instanceof Error) throw failure;
    return failure;
  }

  return {
    send: (request) => (request.isRead ? send(request, 0) : transport.send(request)),
    close: () => transport.close(),
  };
}

const isRetryable = ({ status, retryAfter }: TransportResponse): boolean =>
  RETRY_STATUSES.has(status) || (status === 429 && retryAfter !== null);

const isConnectionFault = (error: unknown): error is UpstreamUnreachableError =>
  error instanceof UpstreamUnreachableError &&
  error.cause !== CIRCUIT_OPEN &&
  (error.status !== 429 || error.retryAfter !== null);
