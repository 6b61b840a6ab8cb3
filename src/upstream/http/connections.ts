// Opens the connections to one management API, and composes what each request passes on its way.
import type { Observer } from '../../telemetry/observer.ts';
import { observeCalls } from './observe-calls.ts';
import { type RetryOptions, retryReads } from './repeat-reads.ts';
import { belowPrefix } from './request-path.ts';
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
  /** Calls that may be in progress at once. */
  readonly max: number;
  /** Sends calls, probes and descriptions. Reads are sent again after failures. */
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
 * neither delays the other. A verification takes two when it hangs.
 */
const PROBE_CONNECTIONS = 40;
/** Connections for long polls, more than the facade opens at once. */
const POLL_CONNECTIONS = 256;

/** Longest time of a long poll, in milliseconds; the API answers one after the seconds that it was asked to wait. */
const POLL_TIMEOUT = 90_000;

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
  const polls = connect({ connections: POLL_CONNECTIONS, timeout });
  return {
    max,
    transport: retryReads(direct, retry),
    polls,
    health,
    probe: (path, probing) => health.watch(direct, path, probing),
    async close() {
      health[Symbol.dispose]();
      await Promise.all([direct.close(), polls.close()]);
    },
  };
}
