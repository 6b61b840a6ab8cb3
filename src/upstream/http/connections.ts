// Opens the connections to one management API, and composes what each request passes on its way.
import type { Observer } from '../../observer.ts';
import { CallQueue } from './call-queue.ts';
import { createTransport, type Transport, type TransportOptions } from './transport.ts';
import { UpstreamHealth } from './upstream-health.ts';

/** How the management API is reached. Connections: for calls, 64 by default; those for long polls are further ones. */
export type ConnectionsOptions = Omit<TransportOptions, 'prefix'>;

const CONNECTIONS = 64;
/** Connections for long polls, and for descriptions and the verification of credentials, which must not delay calls. */
const OTHER_CONNECTIONS = 64 + 24;

/**
 * Opens the connections to an API, on demand. Calls are sent in the turn of their client, all else at once.
 * @param address Its origin, and the path below which it lies.
 */
export function openConnections(
  { origin, pathname }: Pick<URL, 'origin' | 'pathname'>,
  options: ConnectionsOptions = {},
  observer: Observer = {},
): { readonly transport: Transport; readonly health: UpstreamHealth } {
  const { connections: calls = CONNECTIONS, answers } = options;
  const prefix = pathname.replace(/\/+$/, '');
  const queue = new CallQueue({ calls, answers });
  const health = new UpstreamHealth(observer);
  const more = { connections: calls + OTHER_CONNECTIONS, prefix };
  const transport = createTransport(origin, { ...options, ...more }, observer, undefined, { queue, health });
  return { transport, health };
}
