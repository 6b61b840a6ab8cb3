import type { IncomingMessage } from 'node:http';
import proxyaddr from 'proxy-addr';

/** Tells the address of a request's client. */
export type AddressOf = (request: IncomingMessage) => string;

/**
 * Believes what `X-Forwarded-For` says as far as it comes from the given proxies (addresses, networks, `loopback`), no further.
 * @throws TypeError for anything else.
 */
export function createAddressOf(proxies: readonly string[] = ['loopback']): AddressOf {
  const trust = proxyaddr.compile([...proxies]);
  return (request) => proxyaddr(request, trust);
}
