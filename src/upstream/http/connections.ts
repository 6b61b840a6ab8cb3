// Opens the connections to one management API, and composes what each request passes on its way.
import { setTimeout as pause } from 'node:timers/promises';
import type { Observer } from '../../observer.ts';
import { toAbortSignal } from '../abortable.ts';
import { UpstreamUnreachableError } from '../errors.ts';
import { CallQueue } from './call-queue.ts';
import {
  createTransport,
  type Transport,
  type TransportOptions,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';
import { CIRCUIT_OPEN, type ProbeOptions, UpstreamHealth } from './upstream-health.ts';

/** When reads are sent again. Durations in milliseconds. */
export interface RetryOptions {
  /** Requests after the first one; default 2. */
  readonly retries?: number;
  /** Pause before the first retry; it doubles, and varies by half so that callers do not retry together. Default 100. */
  readonly delay?: number;
  /** Longest pause that the server may request with `Retry-After`; default 5,000. */
  readonly maxDelay?: number;
}

/** How the management API is reached. */
export interface ConnectionsOptions extends TransportOptions {
  /** Connections for calls; default 64. Those for long polls and for probes are further ones. */
  readonly connections?: number;
  /** When reads are sent again. */
  readonly retry?: RetryOptions;
}

/** The connections to one management API. */
export interface ApiConnections {
  /** Sends calls in the turn of their client, and probes and descriptions at once. Reads are sent again after failures. */
  readonly transport: Transport;
  /** Sends long polls, which last for seconds and must not delay other calls. Pollers have pauses of their own after failures. */
  readonly polls: Transport;
  readonly health: UpstreamHealth;
  /** Sends a request to a path at intervals, see `UpstreamHealth.watch`. */
  probe(path: string, options?: ProbeOptions): void;
  /** Closes all connections. Pending requests fail. */
  close(): Promise<void>;
}

const CONNECTIONS = 64;
/**
 * Connections for the verification of credentials, of new and of known ones, and for descriptions. They are not those of calls, so that
 * neither delays the other.
 */
const PROBE_CONNECTIONS = 24;
/** Connections for long polls, more than the facade opens at once. */
const POLL_CONNECTIONS = 256;

/** Longest time of a long poll, in milliseconds; the API answers one after the seconds that it was asked to wait. */
const POLL_TIMEOUT = 90_000;

/**
 * Opens the connections to an API, on demand.
 * @param address Its origin, and the path below which it lies.
 */
export function openConnections(
  { origin, pathname }: Pick<URL, 'origin' | 'pathname'>,
  { retry, ...options }: ConnectionsOptions = {},
  observer: Observer = {},
): ApiConnections {
  const { connections: max = CONNECTIONS, timeout = POLL_TIMEOUT } = options;
  const { queueWait } = observer;
  const health = new UpstreamHealth(observer);
  const prefix = pathname.replace(/\/+$/, '');
  const connect = (more: TransportOptions): Transport =>
    health.guard(createTransport(origin, { ...options, ...more, prefix }, observer));
  const direct = connect({ connections: max + PROBE_CONNECTIONS });
  const queue = new CallQueue({ calls: max, answers: options.answers });
  const polls = connect({ connections: POLL_CONNECTIONS, timeout });
  const sendInTurn = (request: TransportRequest): Promise<TransportResponse> => {
    const { client, signal, startSignal = signal, cause = null, scope: action = '' } = request;
    if (client === undefined) return direct.send(request);
    const onWait = queueWait && (() => queueWait({ cause, action }));
    return queue.run({ client, signal: startSignal, onWait }, () => direct.send(request));
  };
  return {
    transport: { send: retryReads(sendInTurn, retry), close: () => direct.close() },
    polls,
    health,
    probe: (path, probing) => health.watch(direct, path, probing),
    async close() {
      health[Symbol.dispose]();
      await Promise.all([direct.close(), polls.close()]);
    },
  };
}

type Send = Transport['send'];

/** Statuses after which the same read may succeed. 429 is retried only when the server says when. */
const RETRY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Sends reads again after failures of the connection or of a gateway, but not those that took until their timeout. Writes are never sent
 * again. Undici's own retry continues a broken body by a range, and knows writes only by their method.
 */
function retryReads(sendOnce: Send, { retries = 2, delay = 100, maxDelay = 5_000 }: RetryOptions = {}): Send {
  function send(request: TransportRequest, attempt: number): Promise<TransportResponse> {
    const sent = sendOnce(request);
    if (attempt >= retries) return sent;
    return sent.then(
      (response) => (isRetryable(response) ? sendAgain(request, attempt, response) : response),
      (error: unknown) => {
        if (request.signal?.aborted || !isConnectionFault(error)) throw error;
        return sendAgain(request, attempt, error);
      },
    );
  }

  async function sendAgain(
    request: TransportRequest,
    attempt: number,
    failure: TransportResponse | UpstreamUnreachableError,
  ): Promise<TransportResponse> {
    const ms = failure.retryAfter ?? delay * 2 ** attempt * (0.5 + Math.random());
    if (failure.retryAfter === null || ms <= maxDelay) {
      await pause(ms, undefined, request.signal && { signal: toAbortSignal(request.signal) });
      return send(request, attempt + 1);
    }
    if (failure instanceof Error) throw failure;
    return failure;
  }

  return (request) => (request.isRead ? send(request, 0) : sendOnce(request));
}

const isRetryable = ({ status, retryAfter }: TransportResponse): boolean =>
  RETRY_STATUSES.has(status) || (status === 429 && retryAfter !== null);

const isConnectionFault = (error: unknown): error is UpstreamUnreachableError =>
  error instanceof UpstreamUnreachableError &&
  error.cause !== CIRCUIT_OPEN &&
  (error.status !== 429 || error.retryAfter !== null);
