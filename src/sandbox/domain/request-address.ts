import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** This machine's own addresses. */
export const loopback: readonly string[] = ['127.0.0.0/8', '::1'];

/** Finds a client's address: who stands at the other end of the socket, or who a believed proxy there says it is. */
export type AddressOf = (headers: IncomingHttpHeaders, peer: string) => string;

/**
 * Believes what X-Forwarded-For says of those from whom the given proxies got a request. Proxies are addresses or networks such
 * as `10.0.0.0/8`; throws node's error for anything else.
 */
export function createAddressOf(proxies: readonly string[]): AddressOf {
  const believed = new BlockList();
  for (const proxy of proxies) {
    const [address = '', prefix] = proxy.split('/');
    if (prefix === undefined) believed.addAddress(address, family(address));
    else believed.addSubnet(address, Number(prefix), family(address));
  }
  return (headers, peer) => {
    const hops = [headers['x-forwarded-for'] ?? ''].flat().join(',').split(',');
    let client = plain(peer);
    // Each proxy adds the one before it, so what an unknown one was told is no longer believed.
    for (const hop of hops.map((one) => plain(one.trim())).reverse()) {
      if (!believed.check(client, family(client)) || !isIP(hop)) break;
      client = hop;
    }
    return client;
  };
}

/** An IPv4 address that arrived over IPv6 is written as what it is. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
