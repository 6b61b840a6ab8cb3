// Sends a second request beside a read that gets no answer.
import { Abort } from '../abortable.ts';
import { UpstreamTimeoutError } from '../errors/upstream-errors.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

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
