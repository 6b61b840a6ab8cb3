// Sends HTTP requests to the management API over a connection pool, within limits of time and size.
import type { Dispatcher } from 'undici';
import type { CallCause } from '../../observer.ts';
import type { Abortable } from '../abortable.ts';
import type { AnswerBytes } from './answer-bytes.ts';
import type { QueueClient } from './call-queue.ts';
import { type ConnectionOptions, createDispatcher } from './dispatcher.ts';
import { ResponseCollector, type ResponseLimits } from './response-collector.ts';

/** One HTTP request to the management API. */
export interface TransportRequest {
  /** Whether the request changes nothing, so that it may be sent again. The method does not show this: some writes use GET. */
  readonly isRead: boolean;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** The path without values, for telemetry. */
  readonly template: string;
  /** What needs the request, for telemetry; default null. */
  readonly cause?: CallCause | null | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Default: none. */
  readonly body?: string | null;
  /** Longest time until the end of the response, in milliseconds; default: that of the transport. */
  readonly timeout?: number | undefined;
  /** Aborts the request, including upstream. */
  readonly signal?: Abortable | undefined;
  /** Whose request it is, which then waits in the queue for calls. Default: it does not wait. */
  readonly client?: QueueClient | undefined;
  /** Keeps a request that waits from being sent. One under way goes on. Default: `signal`. */
  readonly startSignal?: Abortable | undefined;
  /** Called when the request is written to a connection; not called for a request that fails or is aborted before. */
  readonly onSent?: (() => unknown) | undefined;
  /** Called with the number of bytes of each part of the body. It may throw, which ends the request. */
  readonly onReceived?: ((bytes: number) => void) | undefined;
  /** Scope of the action, for errors. */
  readonly scope?: string;
}

/** An HTTP response with its complete body. */
export interface TransportResponse {
  readonly status: number;
  /** Without a byte order mark. */
  readonly body: string;
  /** Milliseconds after which the server asks to send the request again; null when it does not. */
  readonly retryAfter: number | null;
}

/** Options of a transport. Durations in milliseconds. Connections: 32 by default, of a facade 64. */
export interface TransportOptions extends ConnectionOptions {
  /** Longest time from a read's request to the end of its response; default 30,000. */
  readonly timeout?: number;
  /** Longest time from a write's request to the end of its response; default twice the time of a read. */
  readonly writeTimeout?: number;
  /** Largest accepted body; default 16 MiB. */
  readonly maxResponseBytes?: number;
  /** Bounds what all answers take together; default: nothing does. */
  readonly answers?: AnswerBytes | undefined;
}

/** Sends requests to one origin over a connection pool. */
export interface Transport {
  /**
   * @throws UpstreamUnreachableError when the connection or a gateway fails, UpstreamTimeoutError after `timeout`,
   *   UpstreamResponseTooLargeError beyond `maxResponseBytes`, AnswerMemoryError when all answers together are too large.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Closes every connection. Pending requests fail. */
  close(): Promise<void>;
}

/**
 * Creates a connection pool for an origin. Connections are opened on demand, so an unreachable origin fails at the first
 * request.
 * @param peer Name of the service in messages.
 */
export function createTransport(
  origin: string,
  options: TransportOptions = {},
  peer = 'management API',
): Transport {
  const {
    connections = 32,
    timeout = 30_000,
    maxResponseBytes: maxBytes = 16 * 1024 * 1024,
    answers,
  } = options;
  const read: ResponseLimits = { timeout, maxBytes, peer, answers };
  const write: ResponseLimits = { ...read, timeout: options.writeTimeout ?? 2 * timeout };
  const pool = createDispatcher(origin, { ...options, connections });

  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        const { method, path, headers, body = null, isRead, signal } = request;
        if (signal?.aborted) return reject(signal.reason);
        pool.dispatch(
          { origin, method: method as Dispatcher.HttpMethod, path, headers, body },
          new ResponseCollector(request, isRead ? read : write, resolve, reject),
        );
      }),
    close: () => pool.destroy(),
  };
}
