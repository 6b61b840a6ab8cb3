// Carries out one request: its wait, its attempts with their limits of time and size, and the pauses between them.
import type { Dispatcher } from 'undici';
import type { UpstreamCallEnd } from '../../observer.ts';
import {
  AnswerMemoryError,
  type ErrorPlace,
  statusOf,
  UpstreamResponseTooLargeError,
  UpstreamTimeoutError,
  UpstreamUnreachableError,
} from '../errors.ts';
import { failureOf, translateError } from '../explain-failure.ts';
import type { CountedCall } from './call-meter.ts';
import type { CallQueue, QueueClient, QueuedCall } from './call-queue.ts';
import { belowPrefix } from './request-path.ts';
import type { Transport, TransportRequest, TransportResponse, Way } from './transport.ts';

/** Makes the function that sends the requests of a transport. */
export const sendOver =
  (way: Way): Transport['send'] =>
  (request) =>
    new Promise((resolve, reject) => void new Exchange(way, request, resolve, reject));

/** Statuses of a gateway that cannot reach the API, or that limits the rate of requests. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Longest pause that the server may request with `Retry-After`, in milliseconds. */
const LONGEST_PAUSE = 5_000;

/**
 * One request until its promise settles, as an object with as few promises and closures as possible: hundreds may wait for an API. It
 * waits (in the queue, or to be sent again), is under way, or has ended. Undici calls it for the attempt under way.
 */
class Exchange implements QueuedCall, Dispatcher.DispatchHandler {
  readonly #way: Way;
  readonly #request: TransportRequest;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (error: unknown) => void;
  /** Where it waits; undefined where it does not. */
  readonly #queue: CallQueue | undefined;
  #state: 'waiting' | 'under way' | 'ended' = 'waiting';
  #repetitions = 0;
  /** Ends the attempt, or the pause before the next one. */
  #timer: NodeJS.Timeout | undefined;
  #counted: CountedCall | undefined;
  // The attempt under way.
  #startedAt = 0;
  #endReport: ((end: UpstreamCallEnd) => void) | undefined;
  #controller: Dispatcher.DispatchController | null = null;
  #status: number | undefined;
  #retryAfter: number | null = null;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(
    way: Way,
    request: TransportRequest,
    resolve: (response: TransportResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#way = way;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#queue = request.client && way.queue;
    const { signal } = request;
    if (signal?.aborted) reject(signal.reason);
    else {
      signal?.addEventListener('abort', this.#onAbort, { once: true });
      this.#enter();
    }
  }

  get client(): QueueClient | undefined {
    return this.#request.client;
  }

  #enter(): void {
    if (this.#queue === undefined) this.begin();
    else this.#queue.enter(this);
  }

  reportWait(): (() => void) | undefined {
    const { cause = null, scope: action = '' } = this.#request;
    return this.#way.observer.queueWait?.({ cause, action });
  }

  refuse(error: Error): void {
    this.#end(error);
  }

  begin(): void {
    const { pool, origin, prefix, health, timeout } = this.#way;
    const { kind, scope, method, template, path, body = null } = this.#request;
    if (health?.admit(this) === false) {
      this.#queue?.leave();
      const message = 'The management API is down; it is tried again every few seconds.';
      const options = { cause: 'CIRCUIT_OPEN', mayHaveArrived: false };
      this.#end(new UpstreamUnreachableError(message, { action: scope }, options));
      return;
    }
    this.#state = 'under way';
    const headers = this.#report();
    const time = this.#request.timeout ?? (kind === 'read' ? timeout : 2 * timeout);
    this.#timer = setTimeout(endLate, time, this);
    pool.dispatch(
      {
        origin,
        method: method as Dispatcher.HttpMethod,
        path: prefix === '' ? path : belowPrefix(path, template, prefix),
        headers,
        body,
      },
      this,
    );
  }

  /** Reports the attempt. Returns its headers. */
  #report(): TransportRequest['headers'] {
    const { origin, observer } = this.#way;
    const { headers, scope: action = null, method, template, cause = null } = this.#request;
    if (observer.upstreamCall === undefined) return headers;
    const extraHeaders: Record<string, string> = {};
    this.#startedAt = performance.now();
    this.#endReport = observer.upstreamCall({ cause, origin, action, method, template, extraHeaders });
    // Most observers add no headers.
    return Object.keys(extraHeaders).length > 0 ? { ...headers, ...extraHeaders } : headers;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    const { meter, scope = '', template } = this.#request;
    // Undici starts a request that has ended in its queue, too. An aborted one is not written to the connection.
    if (this.#state === 'ended') controller.abort(new Error('The request has ended before it was sent.'));
    else if (meter !== undefined) this.#counted ??= meter.sent({ action: scope, path: template });
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
    this.#checkSize(this.#size + chunk.length);
    this.#request.meter?.received(chunk.length);
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#way.answers?.add(chunk.length) === false) throw new AnswerMemoryError();
  }

  #checkSize(bytes: number): void {
    const { maxBytes, peer } = this.#way;
    if (bytes > maxBytes)
      throw new UpstreamResponseTooLargeError(
        `The ${peer}'s response is larger than ${maxBytes} bytes.`,
        this.#place,
      );
  }

  onResponseEnd(): void {
    if (this.#state !== 'under way') return;
    const body = decode(this.#chunks, this.#size);
    const status = this.#status ?? 0;
    const retryAfter = this.#retryAfter;
    if (!GATEWAY_STATUSES.has(status) || /^\s*\{/.test(body)) {
      this.#endAttempt(null);
      if (!GATEWAY_STATUSES.has(status) || !this.#repeat(status, retryAfter))
        this.#end(null, { status, body, retryAfter });
      return;
    }
    const mayHaveArrived = status === 502 || status === 504;
    const message = `A proxy answered with status ${status} for the ${this.#way.peer}.`;
    this.#fail(new UpstreamUnreachableError(message, this.#place, { mayHaveArrived, retryAfter }));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#state === 'under way') this.#fail(translateError(error, this.#way.peer, this.#place));
  }

  endLate(): void {
    this.#abort(new UpstreamTimeoutError(`The ${this.#way.peer} did not answer in time.`, this.#place));
  }

  readonly #onAbort = (): void => {
    const { kind, signal } = this.#request;
    if (this.#state === 'waiting' || kind !== 'write') this.#abort(signal?.reason);
  };

  /** Rejects at once, even when the request still waits for a connection. */
  #abort(reason: unknown): void {
    if (this.#state === 'waiting') {
      this.#queue?.remove(this);
      this.#end(reason);
    } else if (this.#state === 'under way') {
      const controller = this.#controller;
      this.#endAttempt(reason);
      this.#end(reason);
      controller?.abort(new Error('The request was aborted.'));
    }
  }

  #fail(error: unknown): void {
    this.#endAttempt(error);
    const mayRepeat = error instanceof UpstreamUnreachableError;
    if (!mayRepeat || !this.#repeat(error.status, error.retryAfter)) this.#end(error);
  }

  /** Ends the attempt under way. @param error Null when the API has answered. */
  #endAttempt(error: unknown): void {
    const { answers, health } = this.#way;
    this.#state = 'waiting';
    clearTimeout(this.#timer);
    answers?.release(this.#size);
    this.#queue?.leave();
    health?.recordEnd(this, error);
    this.#endReport?.({
      status: error === null ? (this.#status ?? null) : statusOf(error),
      failure: error === null ? null : failureOf(error),
      duration: performance.now() - this.#startedAt,
    });
    this.#controller = null;
    this.#status = undefined;
    this.#chunks = [];
    this.#size = 0;
  }

  /**
   * Sends a read again after a pause, unless it has been repeated enough or the server asks to wait for too long. After 429, it must say
   * how long. Returns whether it is sent again.
   */
  #repeat(status: number | undefined, retryAfter: number | null): boolean {
    const { retries, delay } = this.#way;
    if (this.#request.kind !== 'read' || this.#repetitions >= retries) return false;
    if (retryAfter === null ? status === 429 : retryAfter > LONGEST_PAUSE) return false;
    const pause = retryAfter ?? delay * 2 ** this.#repetitions * (0.5 + Math.random());
    this.#repetitions += 1;
    this.#timer = setTimeout(() => this.#enter(), pause);
    return true;
  }

  /** Settles the promise. @param response Null for an error. */
  #end(error: unknown, response: TransportResponse | null = null): void {
    this.#state = 'ended';
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    this.#counted?.end(response === null ? statusOf(error) : response.status);
    if (response === null) this.#reject(error);
    else this.#resolve(response);
  }

  get #place(): ErrorPlace {
    return { action: this.#request.scope, status: this.#status };
  }
}

const endLate = (exchange: Exchange): void => exchange.endLate();

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
