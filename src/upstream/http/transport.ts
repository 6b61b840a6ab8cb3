// Opens the connections to a service, which carry HTTP requests within limits of time and size.
import type { CallCause, Observer } from '../../observer.ts';
import type { Abortable } from '../abortable.ts';
import type { CallMeter } from './call-meter.ts';
import { type AnswerBytes, CallQueue, type QueueClient } from './call-queue.ts';
import { type ConnectionOptions, createDispatcher } from './dispatcher.ts';
import { sendOver } from './exchange.ts';
import { UpstreamHealth } from './upstream-health.ts';

/**
 * What a request does. The method does not show it: some writes use GET.
 * - `read`: it changes nothing, so that it may be sent again.
 * - `poll`: it reads the state of a running action for several operations, and has the time of a write. Its poller repeats it.
 * - `write`: it is sent once, and goes on when its signal aborts.
 */
type RequestKind = 'read' | 'poll' | 'write';

/** One HTTP request to a service. */
export interface TransportRequest {
  readonly kind: RequestKind;
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
  /** Aborts the request, including upstream. A write is only kept from being sent. */
  readonly signal?: Abortable | undefined;
  /** Whose request it is, which then waits in the queue for calls. Default: it does not wait. */
  readonly client?: QueueClient | undefined;
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

/** Options of a transport. */
export interface TransportOptions extends ConnectionOptions {
  /** Longest time from a read's request to the end of its response, in milliseconds; default 30,000. Other requests have twice the time. */
  readonly timeout?: number;
  /** Largest accepted body; default 16 MiB. */
  readonly maxResponseBytes?: number;
  /** Bounds what all answers take together; default: nothing does. */
  readonly answers?: AnswerBytes | undefined;
  /**
   * When reads are sent again: after failures of the connection or of a gateway, but not those that took until their timeout. Undici's own
   * retry continues a broken body by a range, and knows writes only by their method.
   */
  readonly retry?: {
    /** Requests after the first one; default 2. */
    readonly retries?: number;
    /** Milliseconds before the first retry; default 100. It doubles, and varies by half so that callers do not retry together. */
    readonly delay?: number;
  };
}

/** What the requests to the management API pass before they are sent. */
interface CallPolicies {
  /** Path below which the paths of requests lie, without a slash at its end. Default: empty. */
  readonly prefix?: string;
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

/** Opens a pool of connections, and collects what all requests over it have in common. See `createTransport`. */
function openWay(
  origin: string,
  options: TransportOptions,
  observer: Observer,
  peer: string,
  { prefix = '', queue, health }: CallPolicies,
) {
  const { connections = 32, timeout = 30_000, maxResponseBytes: maxBytes = 16 * 1024 * 1024 } = options;
  const { retries = 2, delay = 100 } = options.retry ?? {};
  const pool = createDispatcher(origin, { ...options, connections });
  const { answers } = options;
  return { pool, origin, prefix, peer, timeout, maxBytes, retries, delay, answers, queue, health, observer };
}

/** What all requests of a transport have in common. */
export type Way = ReturnType<typeof openWay>;

/**
 * Creates a connection pool for an origin. Connections are opened on demand, so an unreachable origin fails at the first
 * request.
 * @param options Connections: 32 by default.
 * @param observer Each request is reported to it. It may add headers.
 * @param peer Name of the service in messages.
 */
export function createTransport(
  origin: string,
  options: TransportOptions = {},
  observer: Observer = {},
  peer = 'management API',
  policies: CallPolicies = {},
): Transport {
  const way = openWay(origin, options, observer, peer, policies);
  return { send: sendOver(way), close: () => way.pool.destroy() };
}

const CONNECTIONS = 64;
/** Connections for long polls, and for descriptions and the verification of credentials, which must not delay calls. */
const OTHER_CONNECTIONS = 64 + 24;

/**
 * Opens the connections to a management API, on demand. Calls are sent in the turn of their client, all else at once.
 * @param address Its origin, and the path below which it lies.
 * @param options Connections for calls: 64 by default; those for long polls are further ones.
 */
export function openConnections(
  { origin, pathname }: Pick<URL, 'origin' | 'pathname'>,
  options: TransportOptions = {},
  observer: Observer = {},
): { readonly transport: Transport; readonly health: UpstreamHealth } {
  const { connections: calls = CONNECTIONS, answers } = options;
  const queue = new CallQueue({ calls, answers });
  const health = new UpstreamHealth(observer);
  const policies = { prefix: pathname.replace(/\/+$/, ''), queue, health };
  const more = { ...options, connections: calls + OTHER_CONNECTIONS };
  return { transport: createTransport(origin, more, observer, undefined, policies), health };
}
