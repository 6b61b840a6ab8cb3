// Reads a client's IP address from the socket or from the X-Forwarded-For header of trusted proxies.

import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** The loopback networks. */
export const LOOPBACK: readonly string[] = ['127.0.0.0/8', '::1'];

/** Returns a client's address: the peer of the socket, or the client that a trusted proxy names. */
export type ClientAddressReader = (headers: IncomingHttpHeaders, peer: string) => string;

/**
 * Creates a function that reads X-Forwarded-For only as far as the given proxies added to it. Proxies are addresses or networks
 * such as `10.0.0.0/8`.
 * @throws Error when a proxy is neither an address nor a network
 */
export function createClientAddressReader(proxies: readonly string[]): ClientAddressReader {
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = '', prefix] = proxy.split('/');
    if (prefix === undefined) trusted.addAddress(address, family(address));
    else trusted.addSubnet(address, Number(prefix), family(address));
  }
  return (headers, peer) => {
    const hops = [headers['x-forwarded-for'] ?? ''].flat().join(',').split(',');
    let client = unmapIPv4(peer);
    // Each proxy appends the address of its own peer, so only the addresses that trusted proxies append are reliable.
    for (const hop of hops.map((address) => unmapIPv4(address.trim())).reverse()) {
      if (!trusted.check(client, family(client)) || !isIP(hop)) break;
      client = hop;
    }
    return client;
  };
}

/** Converts an IPv4-mapped IPv6 address to plain IPv4. */
function unmapIPv4(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
