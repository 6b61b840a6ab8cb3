// Collects the response of one HTTP request, within limits of time and size.
import type { Dispatcher } from 'undici';
import type { ErrorPlace } from '../errors/optiongraph-error.ts';
import {
  UpstreamResponseTooLargeError,
  UpstreamTimeoutError,
  UpstreamUnreachableError,
} from '../errors/upstream-errors.ts';
import { translateError } from './translate-error.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** Limits of one response. */
export interface ResponseLimits {
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
