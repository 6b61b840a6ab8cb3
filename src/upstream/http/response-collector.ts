// Collects the response to one request, within limits of time and size.
import { type Dispatcher, errors } from 'undici';
import {
  AnswerMemoryError,
  type ErrorPlace,
  OptiongraphError,
  UpstreamResponseTooLargeError,
  UpstreamTimeoutError,
  UpstreamUnreachableError,
} from '../errors.ts';
import { isCertificateCode } from '../explain-failure.ts';
import type { AnswerBytes } from './answer-bytes.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** Limits of one response. */
export interface ResponseLimits {
  /** Longest time from the request to the end of its response, in milliseconds. */
  readonly timeout: number;
  /** Largest accepted body, in bytes. */
  readonly maxBytes: number;
  /** Name of the service in messages. */
  readonly peer: string;
  /** Bounds what all answers take together. */
  readonly answers: AnswerBytes | undefined;
}

/** Statuses of a gateway that cannot reach the API, or that limits the rate of requests. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Receives the events of a request that undici dispatches. `resolve` or `reject` is called once. */
export class ResponseCollector implements Dispatcher.DispatchHandler {
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
  /** Bytes that are counted among those of all answers. */
  #counted = 0;

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
    this.#timer = setTimeout(() => this.#abort(this.#timeoutError()), request.timeout ?? limits.timeout);
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
        this.#place(),
      );
  }

  onResponseEnd(): void {
    if (!this.#end()) return;
    const body = decode(this.#chunks, this.#size);
    const status = this.#status ?? 0;
    const retryAfter = this.#retryAfter;
    if (!GATEWAY_STATUSES.has(status) || /^\s*\{/.test(body)) {
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
    this.#limits.answers?.release(this.#counted);
    return true;
  }

  #timeoutError(): Error {
    return new UpstreamTimeoutError(`The ${this.#limits.peer} did not answer in time.`, this.#place());
  }

  #place(): ErrorPlace {
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
