// Sends HTTP requests to the management API over a connection pool, within limits of time and size.
import type { Dispatcher } from 'undici';
import type { CallCause } from '../../telemetry/observer.ts';
import type { Abortable } from '../abortable.ts';
import type { AnswerRoom, AnswerRooms } from './answer-room.ts';
import { type ConnectionOptions, createDispatcher } from './dispatcher.ts';
import type { ResponseBody } from './envelope.ts';
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
  /** Aborts the request, including upstream. */
  readonly signal?: Abortable | undefined;
  /** Runs the pause between two attempts to send the request. Default: runs it, and does nothing else. */
  readonly betweenTurns?: BetweenTurns | undefined;
  /** Called when the request is written to a connection; not called for a request that fails or is aborted before. */
  readonly onSent?: (() => void) | undefined;
  /** Called with the number of bytes of each part of the body. It may throw, which ends the request. */
  readonly onReceived?: ((bytes: number) => void) | undefined;
  /** Holds the answer until it is closed. Default: a room of its own, until the answer has arrived. */
  readonly room?: AnswerRoom | undefined;
  /** Scope of the action, for errors. */
  readonly scope?: string;
}

/** Lets other calls use the connection while a task runs. Resolves when the connection can be used again. */
export type BetweenTurns = (task: () => Promise<void>) => Promise<void>;

/** An HTTP response with its complete body. */
export interface TransportResponse {
  readonly status: number;
  readonly body: ResponseBody;
  /** Milliseconds after which the server asks to send the request again; null when it does not. */
  readonly retryAfter: number | null;
}

/** Options of a transport. Durations in milliseconds. Connections: 32 by default, of a facade 64. */
export interface TransportOptions extends ConnectionOptions {
  /** Longest time from a read's request to the end of its response; default 30,000. */
  readonly timeout?: number;
  /** Longest time from a write's request to the end of its response; default twice the time of a read. */
  readonly writeTimeout?: number;
  /** Largest accepted body; default 64 MiB. */
  readonly maxResponseBytes?: number;
  /** Makes rooms for the answers to requests without one; default: nothing bounds what these answers take together. */
  readonly rooms?: AnswerRooms | undefined;
}

/** Sends requests to one origin over a connection pool. */
export interface Transport {
  /**
   * @throws UpstreamUnreachableError when the connection or a gateway fails, UpstreamTimeoutError after `timeout`,
   *   UpstreamResponseTooLargeError beyond `maxResponseBytes`, AnswerMemoryError when there is no room for the response.
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
    maxResponseBytes: maxBytes = 64 * 1024 * 1024,
    rooms,
  } = options;
  const read: ResponseLimits = { timeout, maxBytes, peer, rooms };
  const write: ResponseLimits = { ...read, timeout: options.writeTimeout ?? 2 * timeout };
  const pool = createDispatcher(origin, { ...options, connections });

  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        const { method, path, headers, body, isRead, signal } = request;
        if (signal?.aborted) return reject(signal.reason);
        pool.dispatch(
          { origin, method: method as Dispatcher.HttpMethod, path, headers, body: body ?? null },
          new ResponseCollector(request, isRead ? read : write, resolve, reject),
        );
      }),
    close: () => pool.destroy(),
  };
}
