// Sends HTTP requests to the management API over a connection pool.
import type { Dispatcher } from 'undici';
import type { CallCause } from '../../telemetry/observer.ts';
import type { ErrorPlace } from '../errors/optiongraph-error.ts';
import {
  UpstreamResponseTooLargeError,
  UpstreamTimeoutError,
  UpstreamUnreachableError,
} from '../errors/upstream-errors.ts';
import { Deadline } from './deadline.ts';
import { type ConnectionOptions, createDispatcher } from './dispatcher.ts';
import { translateError } from './translate-error.ts';

/** One HTTP request to the management API. */
export interface TransportRequest {
  /** Whether the request changes nothing, so that it may be sent again. The method does not tell: some writes use GET. */
  readonly isRead: boolean;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** The path without values, for telemetry. */
  readonly template: string;
  /** What needs the request, for telemetry; default null. */
  readonly cause?: CallCause | null | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Aborts the request, including upstream. */
  readonly signal?: AbortSignal | undefined;
  /** Runs each attempt to send the request, for example when it is its caller's turn. Default: at once. */
  readonly inTurn?: InTurn | undefined;
  /** Called when the request is written to a connection; not called for a request that fails or is aborted before. */
  readonly onSent?: (() => void) | undefined;
  /** Called with the number of bytes of each part of the body. It may throw, which ends the request. */
  readonly onReceived?: ((bytes: number) => void) | undefined;
  /** Scope of the action, for errors. */
  readonly scope?: string;
}

/** Runs a task, and returns its result. */
export type InTurn = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** An HTTP response with its complete body. */
export interface TransportResponse {
  readonly status: number;
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
  /** Largest accepted body; default 64 MiB. */
  readonly maxResponseBytes?: number;
}

/** Sends requests to one origin over a connection pool. */
export interface Transport {
  /**
   * @throws UpstreamUnreachableError when the connection or a gateway fails, UpstreamTimeoutError after `timeout`,
   *   UpstreamResponseTooLargeError beyond `maxResponseBytes`.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Closes every connection. Pending requests fail. */
  close(): Promise<void>;
}

/** Statuses of a gateway that cannot reach the API, or that limits the rate of requests. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

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
  const { connections = 32, timeout = 30_000, maxResponseBytes = 64 * 1024 * 1024 } = options;
  const { writeTimeout = 2 * timeout } = options;
  const pool = createDispatcher(origin, { ...options, connections });
  const dispatcher = pool.compose(reportSending);

  return {
    async send({ scope, signal, method, isRead, onSent, onReceived, path, headers: sent, body: content }) {
      let place: ErrorPlace = { action: scope };
      using deadline = new Deadline(isRead ? timeout : writeTimeout, signal);
      try {
        const request: ReportedRequest = {
          origin,
          path,
          headers: sent,
          body: content ?? null,
          method: method as Dispatcher.HttpMethod,
          signal: deadline.signal,
          onSent,
        };
        const answer = await dispatcher.request(request);
        const { statusCode: status, headers } = answer;
        place = { action: scope, status };
        const body = await readBody(answer.body, { limit: maxResponseBytes, peer, place, onReceived });
        const retryAfter = readRetryAfter(headers['retry-after']);
        if (GATEWAY_STATUSES.has(status) && !body.trimStart().startsWith('{')) {
          throw new UpstreamUnreachableError(`A proxy answered ${status} for the ${peer}.`, place, {
            mayHaveArrived: status === 502 || status === 504,
            retryAfter,
          });
        }
        return { status, body, retryAfter };
      } catch (error) {
        if (signal?.aborted) throw error;
        throw deadline.hasPassed
          ? new UpstreamTimeoutError(`The ${peer} did not answer in time.`, place)
          : translateError(error, peer, place);
      }
    },
    close: () => pool.destroy(),
  };
}

/** Reads the header `Retry-After`. Returns milliseconds; null without a valid one. */
function readRetryAfter(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,6}$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

/** A request with a callback for the moment when it is sent. */
interface ReportedRequest extends Dispatcher.RequestOptions {
  readonly onSent: (() => void) | undefined;
}

/** Calls `onSent`. Undici queues requests until a connection is free, and starts a request when it writes it there. */
const reportSending: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const onSent = 'onSent' in options ? options.onSent : undefined;
  if (typeof onSent !== 'function') return dispatch(options, handler);
  return dispatch(options, {
    onRequestStart(controller, context) {
      handler.onRequestStart?.(controller, context);
      // Undici also starts a request that was aborted in the queue, but does not write it.
      if (!controller.aborted) onSent();
    },
    onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
    onResponseStart: (...args) => handler.onResponseStart?.(...args),
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (...args) => handler.onResponseError?.(...args),
  });
};

async function readBody(
  body: Dispatcher.ResponseData['body'],
  {
    limit,
    peer,
    place,
    onReceived,
  }: {
    readonly limit: number;
    readonly peer: string;
    readonly place: ErrorPlace;
    readonly onReceived: TransportRequest['onReceived'];
  },
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit)
      throw new UpstreamResponseTooLargeError(`The ${peer}'s response is larger than ${limit} bytes.`, place);
    onReceived?.(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}
