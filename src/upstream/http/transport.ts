import { type Dispatcher, errors, Pool } from 'undici';
import { type ErrorPlace, OptiongraphError } from '../errors/optiongraph-error.ts';
import {
  UpstreamResponseTooLargeError,
  UpstreamTimeoutError,
  UpstreamUnreachableError,
} from '../errors/upstream-errors.ts';

/** One HTTP exchange with the management API. */
export interface TransportRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Aborts the exchange, upstream too. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the request goes out on a connection; never for one that fails or is aborted before. */
  readonly onSent?: (() => void) | undefined;
  /** Named in errors. */
  readonly scope?: string;
}

/** An answer, read whole. */
export interface TransportResponse {
  readonly status: number;
  readonly body: string;
}

/** Options of a transport. Durations in milliseconds. */
export interface TransportOptions {
  /** Connections kept to the upstream; default 32. */
  readonly connections?: number;
  /** Longest wait for the head of an answer, and between two pieces of its body; default 60,000. */
  readonly timeout?: number;
  /** Longest body read; default 64 MiB. */
  readonly maxResponseBytes?: number;
}

/** Sends exchanges over one pool of connections to one origin. */
export interface Transport {
  send(exchange: TransportRequest): Promise<TransportResponse>;
  /** Closes every connection; what is under way fails. */
  close(): Promise<void>;
}

/** Statuses that a proxy answers when the API behind it cannot be reached, or not now. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Failures before anything was sent. */
const CONNECT_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Opens a pool to an origin. Connections are made when needed, so an unreachable origin fails at the first exchange.
 * @param peer What messages call the other side.
 */
export function createTransport(
  origin: string,
  options: TransportOptions = {},
  peer = 'management API',
): Transport {
  const { connections = 32, timeout = 60_000, maxResponseBytes = 64 * 1024 * 1024 } = options;
  const pool = new Pool(origin, { connections, headersTimeout: timeout, bodyTimeout: timeout });
  const dispatcher = pool.compose(noticeSending);

  return {
    async send({ scope, signal, method, onSent, ...exchange }) {
      let place: ErrorPlace = { action: scope };
      try {
        const request: NoticedRequest = {
          ...exchange,
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

/** A request that says when it is sent. */
interface NoticedRequest extends Dispatcher.RequestOptions {
  readonly onSent: (() => void) | undefined;
}

/** Undici queues requests until a connection is free, and begins each when it writes it there. */
const noticeSending: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const onSent = 'onSent' in options ? options.onSent : undefined;
  if (typeof onSent !== 'function') return dispatch(options, handler);
  return dispatch(options, {
    onRequestStart(controller, context) {
      handler.onRequestStart?.(controller, context);
      // An aborted request is dropped here, when its turn comes.
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

/** Undici's errors may name addresses and headers; only their code goes on as cause. */
function translate(error: unknown, peer: string, place: ErrorPlace): unknown {
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) {
    return new UpstreamTimeoutError(`The ${peer} did not answer in time.`, place, {
      cause: error.code,
    });
  }
  // What cannot be sent is the facade's own mistake, and says nothing of the upstream.
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
