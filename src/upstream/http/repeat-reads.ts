// Sends reads again: those that have failed, and a second time beside those that get no answer.
import { setTimeout as pause } from 'node:timers/promises';
import { Abort, toAbortSignal } from '../abortable.ts';
import { UpstreamTimeoutError, UpstreamUnreachableError } from '../errors.ts';
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

/** When a read gets a second request. Times in milliseconds. */
export interface HedgeOptions {
  /** Time without an answer after which the second request is sent. It uses another connection, because the first one is occupied. */
  readonly delay: number;
  /** Longest time until an answer; default: each of the requests has that of the transport. */
  readonly timeout?: number;
  /** Second requests that may be under way at once. A read beyond that gets none. Default: any number. */
  readonly max?: number;
}

/** A read whose end the sender decides. */
export type HedgedRequest = Omit<TransportRequest, 'isRead' | 'signal' | 'onReceived'>;

/** Sends a read. Rejects with the errors of the transport, and with UpstreamTimeoutError after `timeout`. */
export type SendHedged = (request: HedgedRequest) => Promise<TransportResponse>;

/** The reason why the slower of two requests is aborted. */
const OTHER_ANSWERED = new DOMException('The other request was answered first.', 'AbortError');

/**
 * Makes a function that sends reads, and a second request beside one that gets no answer: a single connection or process of the API
 * may hang while others answer. The first answer counts, and the other request is aborted. A read whose answer has begun to
 * arrive, and one that fails before the second request is due, gets none.
 */
export function hedgeReads(
  transport: Pick<Transport, 'send'>,
  { delay, timeout, max = Number.POSITIVE_INFINITY }: HedgeOptions,
): SendHedged {
  let seconds = 0;
  return (request) =>
    new Promise((resolve, reject) => {
      const abort = new Abort();
      let pending = 0;
      let hasSecond = false;
      const end = (reason: unknown): void => {
        clearTimeout(hedging);
        clearTimeout(deadline);
        if (hasSecond) seconds -= 1;
        hasSecond = false;
        abort.abort(reason);
      };
      const send = (): void => {
        pending += 1;
        const onReceived = (): void => clearTimeout(hedging);
        transport.send({ ...request, isRead: true, signal: abort, onReceived }).then(
          (response) => {
            end(OTHER_ANSWERED);
            resolve(response);
          },
          (error: unknown) => {
            pending -= 1;
            if (pending > 0) return;
            end(error);
            reject(error);
          },
        );
      };
      const hedging = setTimeout(() => {
        if (seconds >= max) return;
        seconds += 1;
        hasSecond = true;
        send();
      }, delay);
      const deadline =
        timeout === undefined
          ? undefined
          : setTimeout(() => {
              const error = new UpstreamTimeoutError('The management API did not answer in time.');
              end(error);
              reject(error);
            }, timeout);
      send();
    });
}
