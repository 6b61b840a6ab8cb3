import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/**
 * The address of the client: the first one of X-Forwarded-For where the other end of the socket is this machine, so a
 * proxy, else that other end itself.
 */
export function addressOf(headers: IncomingHttpHeaders, peer: string): string {
  const near = plain(peer);
  const forwarded = [headers['x-forwarded-for'] ?? ''].flat().join(',').split(',', 1)[0]?.trim() ?? '';
  return isLoopback(near) && isIP(forwarded) ? plain(forwarded) : near;
}

/** An IPv4 address that arrived over IPv6 is written as what it is. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
