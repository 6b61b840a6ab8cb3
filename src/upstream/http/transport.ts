// Sends HTTP requests to the management API over a connection pool, within limits of time and size.
import { type Dispatcher, errors } from 'undici';
import type { CallCause } from '../../telemetry/observer.ts';
import type { Abortable } from '../abortable.ts';
import {
  type ErrorPlace,
  OptiongraphError,
  UpstreamResponseTooLargeError,
  UpstreamTimeoutError,
  UpstreamUnreachableError,
} from '../errors.ts';
import { isCertificateCode } from '../explain-failure.ts';
import { type ConnectionOptions, createDispatcher } from './dispatcher.ts';

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
  /** Scope of the action, for errors. */
  readonly scope?: string;
}

/** Lets other calls use the connection while a task runs. Resolves when the connection can be used again. */
export type BetweenTurns = (task: () => Promise<void>) => Promise<void>;

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
  const { connections = 32, timeout = 30_000, maxResponseBytes: maxBytes = 64 * 1024 * 1024 } = options;
  const read: ResponseLimits = { timeout, maxBytes, peer };
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

/** Limits of one response. */
interface ResponseLimits {
  /** Longest time from the request to the end of its response, in milliseconds. It includes the wait for a connection. */
  readonly timeout: number;
  /** Largest accepted body, in bytes. */
  readonly maxBytes: number;
  /** Name of the service in messages. */
  readonly peer: string;
}

/** Statuses of a gateway that cannot reach the API, or that limits the rate of requests. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Receives the events of a request that undici dispatches. `resolve` or `reject` is called once. */
class ResponseCollector implements Dispatcher.DispatchHandler {
  readonly #request: TransportRequest;
  readonly #limits: ResponseLimits;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | null = null;
  #hasEnded = false;
  #status: number | undefined;
  #retryAfter: number | null = null;
  #size = 0;

  /** Starts the clock. The signal of the request must not have aborted yet. */
  constructor(
    request: TransportRequest,
    limits: ResponseLimits,
    resolve: (response: TransportResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#request = request;
    this.#limits = limits;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => this.#abort(this.#timeoutError()), limits.timeout);
    request.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Undici starts a request that has ended in its queue, too. An aborted one is not written to the connection.
    if (this.#hasEnded) controller.abort(new Error('The request has ended before it was sent.'));
    else this.#request.onSent?.();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#status = status;
    this.#retryAfter = readRetryAfter(headers['retry-after']);
  }

  /** What this throws, undici passes to `onResponseError`, and closes the connection. */
  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxBytes, peer } = this.#limits;
    this.#size += chunk.length;
    if (this.#size > maxBytes)
      throw new UpstreamResponseTooLargeError(
        `The ${peer}'s response is larger than ${maxBytes} bytes.`,
        this.#place(),
      );
    this.#request.onReceived?.(chunk.length);
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (!this.#end()) return;
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks, this.#size);
    const body = bytes?.toString('utf8') ?? '';
    const status = this.#status ?? 0;
    const retryAfter = this.#retryAfter;
    if (!GATEWAY_STATUSES.has(status) || body.trimStart().startsWith('{')) {
      this.#resolve({ status, body, retryAfter });
      return;
    }
    const mayHaveArrived = status === 502 || status === 504;
    const message = `A proxy answered with status ${status} for the ${this.#limits.peer}.`;
    this.#reject(new UpstreamUnreachableError(message, this.#place(), { mayHaveArrived, retryAfter }));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#end()) this.#reject(translateError(error, this.#limits.peer, this.#place()));
  }

  /** Rejects at once, even when the request still waits for a connection. */
  #abort(reason: unknown): void {
    if (!this.#end()) return;
    this.#reject(reason);
    this.#controller?.abort(new Error('The request was aborted.'));
  }

  readonly #onAbort = (): void => this.#abort(this.#request.signal?.reason);

  /** Stops the clock. Returns false when the request has ended already. */
  #end(): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }

  #timeoutError(): UpstreamTimeoutError {
    return new UpstreamTimeoutError(`The ${this.#limits.peer} did not answer in time.`, this.#place());
  }

  #place(): ErrorPlace {
    return { action: this.#request.scope, status: this.#status };
  }
}

/** Reads the header `Retry-After`. Returns milliseconds; null without a valid one. */
function readRetryAfter(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,6}$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

/** Codes of failures that occur before anything is sent. */
const CONNECT_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Translates an error of a request. Errors of connections and of malformed HTTP become UpstreamUnreachableError; they may contain
 * addresses and headers, so only their code becomes the cause.
 * @param peer Name of the service in messages.
 */
function translateError(error: unknown, peer: string, place: ErrorPlace): unknown {
  // A request that undici rejects as invalid is a mistake of the facade, not of the upstream.
  if (error instanceof errors.InvalidArgumentError || error instanceof OptiongraphError) return error;
  const code = codeOf(error);
  if (code === null) return error;
  return new UpstreamUnreachableError(`The ${peer} cannot be reached, or broke off its response.`, place, {
    cause: code,
    mayHaveArrived: !(CONNECT_CODES.has(code) || isCertificateCode(code)),
  });
}

/** The code of an error of the connection, or of a response that is not HTTP; null for other errors. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof errors.UndiciError || error instanceof errors.HTTPParserError ? error.name : null;
}
