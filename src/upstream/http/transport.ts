// Sends HTTP requests to a service over a connection pool, within limits of time and size.
import type { Dispatcher } from 'undici';
import type { CallCause, Observer, UpstreamFailure } from '../../observer.ts';
import type { Abortable } from '../abortable.ts';
import {
  AnswerMemoryError,
  type ErrorPlace,
  OptiongraphError,
  UpstreamResponseTooLargeError,
  UpstreamTimeoutError,
  UpstreamUnreachableError,
} from '../errors.ts';
import { failureOf, translateError } from '../explain-failure.ts';
import type { AnswerBytes, QueueClient } from './call-queue.ts';
import { type ConnectionOptions, createDispatcher } from './dispatcher.ts';
import { belowPrefix } from './request-path.ts';

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
  /** Path below which the paths of requests lie, without a slash at its end. Default: empty. */
  readonly prefix?: string;
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
 * @param observer Each request is reported to it. It may add headers.
 * @param peer Name of the service in messages.
 */
export function createTransport(
  origin: string,
  options: TransportOptions = {},
  { upstreamCall }: Observer = {},
  peer = 'management API',
): Transport {
  const { connections = 32, timeout = 30_000, writeTimeout = 2 * timeout, answers, prefix = '' } = options;
  const { maxResponseBytes: maxBytes = 16 * 1024 * 1024 } = options;
  const pool = createDispatcher(origin, { ...options, connections });

  const send = (request: TransportRequest): Promise<TransportResponse> => {
    const { scope = null, method, template, body = null, isRead, signal, cause = null } = request;
    if (signal?.aborted) return Promise.reject(signal.reason);
    let { headers } = request;
    let onEnd: CallLimits['onEnd'];
    if (upstreamCall !== undefined) {
      const extraHeaders: Record<string, string> = {};
      const startedAt = performance.now();
      const end = upstreamCall({ cause, origin, action: scope, method, template, extraHeaders });
      // Most observers add no headers.
      if (Object.keys(extraHeaders).length > 0) headers = { ...headers, ...extraHeaders };
      onEnd = (status, failure) => end?.({ status, failure, duration: performance.now() - startedAt });
    }
    const limits: CallLimits = {
      timeout: request.timeout ?? (isRead ? timeout : writeTimeout),
      maxBytes,
      peer,
      answers,
      onEnd,
    };
    const path = prefix === '' ? request.path : belowPrefix(request.path, template, prefix);
    return new Promise((resolve, reject) =>
      pool.dispatch(
        { origin, method: method as Dispatcher.HttpMethod, path, headers, body },
        new ResponseCollector(request, limits, resolve, reject),
      ),
    );
  };
  return { send, close: () => pool.destroy() };
}

/** Limits of one call, and who learns its end. */
interface CallLimits {
  /** Longest time from the request to the end of its response, in milliseconds. */
  readonly timeout: number;
  /** Largest accepted body, in bytes. */
  readonly maxBytes: number;
  /** Name of the service in messages. */
  readonly peer: string;
  readonly answers: AnswerBytes | undefined;
  readonly onEnd: ((status: number | null, failure: UpstreamFailure | null) => void) | undefined;
}

/** Statuses of a gateway that cannot reach the API, or that limits the rate of requests. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Receives the events of a request that undici dispatches. `resolve` or `reject` is called once. */
class ResponseCollector implements Dispatcher.DispatchHandler {
  readonly #request: TransportRequest;
  readonly #limits: CallLimits;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | null = null;
  #hasEnded = false;
  #status: number | undefined;
  #retryAfter: number | null = null;
  #size = 0;
  /** Bytes that are counted among those of all answers. */
  #counted = 0;

  /** Starts the clock. The signal of the request must not have aborted yet. */
  constructor(
    request: TransportRequest,
    limits: CallLimits,
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

  /** What this throws, undici passes to `onResponseError`, and closes the connection. */
  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#status = status;
    this.#retryAfter = readRetryAfter(headers['retry-after']);
    this.#checkSize(Number(headers['content-length']));
  }

  /** What this throws, undici passes on as that of `onResponseStart`. */
  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    this.#checkSize(this.#size);
    this.#request.onReceived?.(chunk.length);
    this.#chunks.push(chunk);
    this.#counted = this.#size;
    if (this.#limits.answers?.add(chunk.length) === false) throw new AnswerMemoryError();
  }

  #checkSize(bytes: number): void {
    const { maxBytes, peer } = this.#limits;
    if (bytes > maxBytes)
      throw new UpstreamResponseTooLargeError(
        `The ${peer}'s response is larger than ${maxBytes} bytes.`,
        this.#place,
      );
  }

  onResponseEnd(): void {
    if (!this.#end()) return;
    const body = decode(this.#chunks, this.#size);
    const status = this.#status ?? 0;
    const retryAfter = this.#retryAfter;
    if (!GATEWAY_STATUSES.has(status) || /^\s*\{/.test(body)) {
      this.#limits.onEnd?.(status, null);
      this.#resolve({ status, body, retryAfter });
      return;
    }
    const mayHaveArrived = status === 502 || status === 504;
    const message = `A proxy answered with status ${status} for the ${this.#limits.peer}.`;
    this.#fail(new UpstreamUnreachableError(message, this.#place, { mayHaveArrived, retryAfter }));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#end()) this.#fail(translateError(error, this.#limits.peer, this.#place));
  }

  /** Rejects at once, even when the request still waits for a connection. */
  #abort(reason: unknown): void {
    if (!this.#end()) return;
    this.#fail(reason);
    this.#controller?.abort(new Error('The request was aborted.'));
  }

  readonly #onAbort = (): void => this.#abort(this.#request.signal?.reason);

  /** Stops the clock. Returns false when the request has ended already. */
  #end(): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    this.#limits.answers?.release(this.#counted);
    return true;
  }

  #fail(error: unknown): void {
    this.#limits.onEnd?.(error instanceof OptiongraphError ? (error.status ?? null) : null, failureOf(error));
    this.#reject(error);
  }

  #timeoutError(): Error {
    return new UpstreamTimeoutError(`The ${this.#limits.peer} did not answer in time.`, this.#place);
  }

  get #place(): ErrorPlace {
    return { action: this.#request.scope, status: this.#status };
  }
}

/** Decodes a body, without the byte order mark that some servers write before JSON. */
function decode(chunks: readonly Buffer[], size: number): string {
  const [first] = chunks;
  const text = (chunks.length === 1 && first ? first : Buffer.concat(chunks, size)).toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** Reads the header `Retry-After`. Returns milliseconds; null without a valid one. */
function readRetryAfter(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,6}$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}
