// Makes the connections to the OAuth 2.0 provider of a management API.
import type { Dispatcher } from 'undici';
import type { OAuthEndpoints } from '../../upstream/description/description.ts';
import { type ConnectionOptions, createDispatcher } from '../../upstream/http/dispatcher.ts';

/**
 * Makes the connections to a provider.
 * @param upstream Address of the management API.
 * @param transport How the management API is reached. Its authorities and proxies hold for the provider too, its client certificate and
 *   its socket only if the provider is at the same origin.
 */
export function createProviderDispatcher(
  { token }: OAuthEndpoints,
  upstream: URL,
  transport: ConnectionOptions,
): Dispatcher {
  const { origin } = new URL(token);
  const { certificate: _certificate, key: _key, socket: _socket, ...shared } = transport;
  return createDispatcher(origin, origin === upstream.origin ? transport : shared);
}
