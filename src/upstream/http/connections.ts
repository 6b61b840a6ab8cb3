// Opens the connections to one management API, and composes what each request passes on its way.
import type { Observer } from '../../observer.ts';
import { CallQueue } from './call-queue.ts';
import { observeCalls } from './observe-calls.ts';
import { belowPrefix } from './request-path.ts';
import { type RetryOptions, retryReads } from './retry-reads.ts';
import { createTransport, type Transport, type TransportOptions } from './transport.ts';
import { type ProbeOptions, UpstreamHealth } from './upstream-health.ts';

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

/** Makes a transport whose requests of a client wait for their turn. */
function queueCalls(queue: CallQueue, transport: Transport, { queueWait }: Observer): Transport {
  return {
    send(request) {
      const { client, signal, startSignal = signal, cause = null, scope: action = '' } = request;
      if (client === undefined) return transport.send(request);
      const onWait = queueWait && (() => queueWait({ cause, action }));
      return queue.run({ client, signal: startSignal, onWait }, () => transport.send(request));
    },
    close: () => transport.close(),
  };
}

/** Makes a transport that sends each request below the path of the API's address, and with it each credential. */
function placeBelow(prefix: string, transport: Transport): Transport {
  if (prefix === '') return transport;
  return {
    send: (request) =>
      transport.send({ ...request, path: belowPrefix(request.path, request.template, prefix) }),
    close: () => transport.close(),
  };
}

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
  const health = new UpstreamHealth(observer);
  const prefix = pathname.replace(/\/+$/, '');
  const connect = (more: TransportOptions): Transport => {
    const direct = placeBelow(prefix, createTransport(origin, { ...options, ...more }));
    return health.guard(observeCalls(direct, origin, observer));
  };
  const direct = connect({ connections: max + PROBE_CONNECTIONS });
  const queue = new CallQueue({ calls: max, answers: options.answers });
  const polls = connect({ connections: POLL_CONNECTIONS, timeout });
  return {
    transport: retryReads(queueCalls(queue, direct, observer), retry),
    polls,
    health,
    probe: (path, probing) => health.watch(direct, path, probing),
    async close() {
      health[Symbol.dispose]();
      await Promise.all([direct.close(), polls.close()]);
    },
  };
}
