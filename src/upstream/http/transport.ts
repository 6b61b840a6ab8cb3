// Sends HTTP requests to the management API over a connection pool.
import { type Dispatcher, errors, Pool } from 'undici';
import { type ErrorPlace, OptiongraphError } from '../errors/optiongraph-error.ts';
import {
  UpstreamResponseTooLargeError,
  UpstreamTimeoutError,
  UpstreamUnreachableError,
} from '../errors/upstream-errors.ts';

/** One HTTP request to the management API. */
export interface TransportRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Aborts the request, including upstream. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the request is written to a connection; not called for a request that fails or is aborted before. */
  readonly onSent?: (() => void) | undefined;
  /** Scope of the action, for errors. */
  readonly scope?: string;
}

/** An HTTP response with its complete body. */
export interface TransportResponse {
  readonly status: number;
  readonly body: string;
}

/** Options of a transport. Durations in milliseconds. */
export interface TransportOptions {
  /** Maximum number of connections; default 32. */
  readonly connections?: number;
  /** Longest wait for the response headers, and between two chunks of the body; default 60,000. */
  readonly timeout?: number;
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

/** Codes of failures that occur before anything is sent. */
const CONNECT_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

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
  const { connections = 32, timeout = 60_000, maxResponseBytes = 64 * 1024 * 1024 } = options;
  const pool = new Pool(origin, { connections, headersTimeout: timeout, bodyTimeout: timeout });
  const dispatcher = pool.compose(reportSending);

  return {
    async send({ scope, signal, method, onSent, ...rest }) {
      let place: ErrorPlace = { action: scope };
      try {
        const request: ReportedRequest = {
          ...rest,
          method: method as Dispatcher.HttpMethod,
          signal: signal ?? null,
          onSent,
        };
        const answer = await dispatcher.request(request);
        const status = answer.statusCode;
        place = { action: scope, status };
        const body = await readBody(answer.body, maxResponseBytes, peer, place);
        if (GATEWAY_STATUSES.has(status) && !body.trimStart().startsWith('{')) {
          throw new UpstreamUnreachableError(`A proxy answered ${status} for the ${peer}.`, place, {
            mayHaveArrived: status === 502 || status === 504,
          });
        }
        return { status, body };
      } catch (error) {
        throw signal?.aborted ? error : translate(error, peer, place);
      }
    },
    close: () => pool.destroy(),
  };
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
  limit: number,
  peer: string,
  place: ErrorPlace,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) {
      body.destroy();
      throw new UpstreamResponseTooLargeError(`The ${peer}'s answer is larger than ${limit} bytes.`, place);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}

/** Translates errors of undici. They may contain addresses and headers, so only their code becomes the cause. */
function translate(error: unknown, peer: string, place: ErrorPlace): unknown {
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) {
    return new UpstreamTimeoutError(`The ${peer} did not answer in time.`, place, {
      cause: error.code,
    });
  }
  // A request that undici rejects as invalid is a mistake of the facade, not of the upstream.
  if (error instanceof errors.InvalidArgumentError) return error;
  if (error instanceof OptiongraphError || !isConnectionError(error)) return error;
  return new UpstreamUnreachableError(`The ${peer} cannot be reached, or broke off its answer.`, place, {
    cause: error.code,
    mayHaveArrived: !CONNECT_CODES.has(error.code),
  });
}

function isConnectionError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}
