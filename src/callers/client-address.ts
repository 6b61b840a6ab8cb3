import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
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

/** The network that stands for one client when attempts are counted: an IPv4 address, or the /64 that an IPv6 client has whole. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
