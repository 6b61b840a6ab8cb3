// Collects the response to one request, within limits of time, size and memory.
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
import type { AnswerReader, AnswerRoom, AnswerRooms } from './answer-room.ts';
import { ResponseBody } from './envelope.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

/** Limits of one response. */
export interface ResponseLimits {
  /** Longest time from the request to the end of its response, in milliseconds. It includes the wait for a connection. */
  readonly timeout: number;
  /** Largest accepted body, in bytes. */
  readonly maxBytes: number;
  /** Name of the service in messages. */
  readonly peer: string;
  /** Makes rooms for the answers to requests without one. */
  readonly rooms: AnswerRooms | undefined;
}

/** Statuses of a gateway that cannot reach the API, or that limits the rate of requests. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Receives the events of a request that undici dispatches. `resolve` or `reject` is called once. */
export class ResponseCollector implements Dispatcher.DispatchHandler, AnswerReader {
  readonly #request: TransportRequest;
  readonly #limits: ResponseLimits;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Buffer[] = [];
  /** Null: the answer needs no room. */
  readonly #room: AnswerRoom | null;
  #controller: Dispatcher.DispatchController | null = null;
  #hasEnded = false;
  #status: number | undefined;
  #retryAfter: number | null = null;
  #size = 0;
  /** Whether the upstream has said how long the answer is. */
  #isAnnounced = false;
  /** Bytes for which there is room. */
  #taken = 0;
  /** Bytes for which it waits; 0 while it reads. */
  #asked = 0;
  /** Whether it has waited for room, so that a timeout is not the upstream's. */
  #hasWaited = false;

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
    this.#room = request.room ?? limits.rooms?.openRoom() ?? null;
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
    const length = Number(headers['content-length']);
    this.#checkSize(length);
    this.#isAnnounced = length > 0;
    // An answer that takes its room at once holds nothing while it waits.
    if (this.#room !== null && this.#isAnnounced) this.#take(this.#room, length);
  }

  /** What this throws, undici passes on as that of `onResponseStart`. */
  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    this.#checkSize(this.#size);
    this.#request.onReceived?.(chunk.length);
    this.#chunks.push(chunk);
    if (this.#room !== null && this.#size > this.#taken) this.#take(this.#room, this.#needed(this.#room));
  }

  /**
   * Bytes for which more room is needed now. A long answer of unknown length takes what the largest one needs: several that take it as they
   * come might each hold what the others need.
   */
  #needed({ largest, short }: AnswerRoom): number {
    const needed = this.#size - this.#taken;
    if (this.#isAnnounced || this.#size <= short) return needed;
    return Math.max(needed, Math.min(this.#limits.maxBytes, largest) - this.#taken);
  }

  #checkSize(bytes: number): void {
    const { maxBytes, peer } = this.#limits;
    if (bytes > maxBytes)
      throw new UpstreamResponseTooLargeError(
        `The ${peer}'s response is larger than ${maxBytes} bytes.`,
        this.#place(),
      );
  }

  /** Takes room, and reads nothing more before there is some. */
  #take(room: AnswerRoom, bytes: number): void {
    this.#asked = bytes;
    if (room.take(bytes, this)) this.#endWait();
    else if (!this.#hasEnded) {
      this.#hasWaited = true;
      this.#controller?.pause();
    }
  }

  #endWait(): void {
    this.#taken += this.#asked;
    this.#asked = 0;
  }

  goOn(): void {
    this.#endWait();
    // The room may have become free while another response is being read, within which undici reads no other.
    setImmediate(() => this.#controller?.resume());
  }

  end(error: Error): void {
    this.#asked = 0;
    this.#abort(error);
  }

  onResponseEnd(): void {
    if (!this.#end(false)) return;
    const body = new ResponseBody(this.#chunks, this.#size);
    const status = this.#status ?? 0;
    const retryAfter = this.#retryAfter;
    if (!GATEWAY_STATUSES.has(status) || body.firstCharacter === '{') {
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
  #end(hasFailed = true): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    if (this.#room !== null) this.#leaveRoom(this.#room, hasFailed);
    return true;
  }

  #leaveRoom(room: AnswerRoom, hasFailed: boolean): void {
    if (this.#asked > 0) room.leave(this);
    const unused = hasFailed ? this.#taken : this.#taken - this.#size;
    if (unused > 0) room.free(unused);
    if (this.#request.room === undefined) room.close();
  }

  #timeoutError(): Error {
    if (this.#hasWaited) return new AnswerMemoryError();
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
