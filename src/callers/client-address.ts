// Finds the address of a request's client.
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyaddr from 'proxy-addr';

/** Returns the address of a request's client. */
export interface AddressOf {
  (request: IncomingMessage): string;
  /** Whether an address is that of a trusted proxy. */
  isProxy(address: string): boolean;
}

/**
 * Makes a function that reads client addresses from `X-Forwarded-For`, as far as trusted proxies wrote them.
 * @param proxies Trusted proxies: addresses, networks or `loopback`.
 * @throws TypeError when a proxy is none of these.
 */
export function createAddressOf(proxies: readonly string[] = ['loopback']): AddressOf {
  const trust = proxyaddr.compile([...proxies]);
  const addressOf = (request: IncomingMessage): string => proxyaddr(request, trust);
  return Object.assign(addressOf, { isProxy: (address: string) => trust(address, 0) });
}

/** The network that rate limits count as one client: an IPv4 address, or the /64 network of an IPv6 address. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
