// Sends HTTP requests to a service over a connection pool, within limits of time and size.
import type { CallCause, Observer } from '../../observer.ts';
import type { Abortable } from '../abortable.ts';
import type { CallMeter } from './call-meter.ts';
import type { AnswerBytes, CallQueue, QueueClient } from './call-queue.ts';
import { type ConnectionOptions, createDispatcher } from './dispatcher.ts';
import { Exchange } from './exchange.ts';
import type { UpstreamHealth } from './upstream-health.ts';

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
  /** Whether a read is a long poll, which has the time of a write. Default: false. */
  readonly isLongPoll?: boolean | undefined;
  /** Aborts the request, including upstream. */
  readonly signal?: Abortable | undefined;
  /** Whose request it is, which then waits in the queue for calls. Default: it does not wait. */
  readonly client?: QueueClient | undefined;
  /** Keeps a request that waits from being sent. One under way goes on. Default: `signal`. */
  readonly startSignal?: Abortable | undefined;
  /** Counts the request; default: it is not counted. One that fails before it is sent is not counted either. */
  readonly meter?: CallMeter | undefined;
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

/**
 * When reads are sent again: after failures of the connection or of a gateway, but not those that took until their timeout. Writes are
 * never sent again. Undici's own retry continues a broken body by a range, and knows writes only by their method. Milliseconds.
 */
export interface RetryOptions {
  /** Requests after the first one; default 2. */
  readonly retries?: number;
  /** Pause before the first retry; it doubles, and varies by half so that callers do not retry together. Default 100. */
  readonly delay?: number;
  /** Longest pause that the server may request with `Retry-After`; default 5,000. */
  readonly maxDelay?: number;
}

/** Options of a transport. Durations in milliseconds. Connections: 32 by default. */
export interface TransportOptions extends ConnectionOptions {
  /** Longest time from a read's request to the end of its response; default 30,000. */
  readonly timeout?: number;
  /** Longest time from a write's request to the end of its response; default twice the time of a read. */
  readonly writeTimeout?: number;
  /** Largest accepted body; default 16 MiB. */
  readonly maxResponseBytes?: number;
  /** Bounds what all answers take together; default: nothing does. */
  readonly answers?: AnswerBytes | undefined;
  /** Path below which the paths of requests lie, without a slash at its end. Default: empty. */
  readonly prefix?: string;
  /** When reads are sent again. */
  readonly retry?: RetryOptions;
}

/** What the requests to the management API pass before they are sent. */
export interface CallPolicies {
  /** Requests with a client wait in it. */
  readonly queue?: CallQueue;
  /** Refuses requests while the API is down. */
  readonly health?: UpstreamHealth;
}

/** Sends requests to one origin over a connection pool. */
export interface Transport {
  /**
   * @throws UpstreamUnreachableError when the connection or a gateway fails, UpstreamTimeoutError after `timeout`,
   *   UpstreamResponseTooLargeError beyond `maxResponseBytes`, AnswerMemoryError when all answers together are too large. Rejects with the
   *   reason of a signal that aborts.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Closes every connection. Pending requests fail. */
  close(): Promise<void>;
}

/**
 * Creates a connection pool for an origin. Connections are opened on demand, so an unreachable origin fails at the first
 * request.
 * @param observer Each request is reported to it. It may add headers.
 * @param peer Name of the service in messages.
 */
export function createTransport(
  origin: string,
  options: TransportOptions = {},
  { upstreamCall, queueWait }: Observer = {},
  peer = 'management API',
  { queue, health }: CallPolicies = {},
): Transport {
  const { connections = 32, timeout = 30_000, writeTimeout = 2 * timeout, answers, prefix = '' } = options;
  const { maxResponseBytes: maxBytes = 16 * 1024 * 1024 } = options;
  const { retries = 2, delay = 100, maxDelay = 5_000 } = options.retry ?? {};
  const pool = createDispatcher(origin, { ...options, connections });
  const way = {
    ...{ pool, origin, prefix, peer, timeout, writeTimeout, maxBytes, retries, delay, maxDelay },
    ...{ answers, queue, health, upstreamCall, queueWait },
  };
  return {
    send: (request) => new Promise((resolve, reject) => new Exchange(way, request, resolve, reject).start()),
    close: () => pool.destroy(),
  };
}
