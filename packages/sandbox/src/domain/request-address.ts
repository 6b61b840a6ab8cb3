// Finds the address of a request's client, as the API records it.
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/**
 * Reads an address from `Client-IP`, which programs that forward calls of their users send, then from `X-Real-IP`, which a proxy in front
 * sets, else takes the connection's. Values that are no addresses do not count.
 * @param isBehindProxy Whether to simulate a proxy, which replaces `X-Real-IP` by the address that connects.
 */
export function readClientAddress(
  headers: IncomingHttpHeaders,
  peer: string,
  isBehindProxy: boolean,
): string {
  const realIp = isBehindProxy ? peer : headers['x-real-ip'];
  const stated = [headers['client-ip'], realIp].flat().find((address) => isIP(address ?? '') > 0);
  return unmapIPv4(stated ?? peer);
}

/** Converts an IPv4-mapped IPv6 address to plain IPv4. */
const unmapIPv4 = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');
