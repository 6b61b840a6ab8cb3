// Defines who sends a request: from which address, network, client and page.

import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import proxyaddr from 'proxy-addr';
import type { Abortable } from '../upstream/abortable.ts';
import { atMost } from '../upstream/cache-bounds.ts';
import type { Caller, HeaderReader } from '../upstream/http/caller.ts';
import type { KnownClient } from '../upstream/http/client-headers.ts';

/** The cookie that a response sets in the browser. */
export interface ResponseCookie {
  /** The `Set-Cookie` header; null for none. */
  setCookie: string | null;
  /** Whether the response has not begun, so that a cookie set now reaches the browser. */
  isOpen: boolean;
}

/** A client's request that may have a cookie, and the cookie of its response. */
export interface CookieRequest extends KnownClient {
  /** The cookie of the response; absent when there is no response to set one, e.g. for operations on an open WebSocket. */
  readonly cookie?: ResponseCookie | undefined;
}

/** Who sent a request, over any transport. */
export interface Requester extends CookieRequest {
  /** The client's address; undefined when it is unknown. */
  readonly address: string | undefined;
  readonly requestId: string;
  /** The door of this process that let an agent in, for the audit; absent for GraphQL itself. No client can set it. */
  readonly via?: 'mcp';
  /** Aborts when the client disconnects. */
  readonly leaving?: Abortable | undefined;
  /** The same, for functions that need an AbortSignal. */
  readonly signal: AbortSignal | undefined;
}

/** Whose work it is. Clients of one network share what the network gets. */
export interface Client {
  /** An IPv4 address or an IPv6 /64 network; empty where it is unknown. */
  readonly network: string;
  /** The key of a credential that the API knows; `anonymous` for all others, so that nobody gains by inventing credentials. */
  readonly key: string;
}

/** Number of addresses whose networks are remembered. */
const MAX_ADDRESSES = 10_000;

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
  const compiled = proxyaddr.compile([...proxies]);
  const known = new LRUCache<string, boolean>({
    ...atMost(MAX_ADDRESSES),
    memoMethod: (address) => compiled(address, 0),
  });
  const trust = (address: string): boolean => known.memo(address);
  const addressOf = (request: IncomingMessage): string => proxyaddr(request, trust);
  return Object.assign(addressOf, { isProxy: trust });
}

/** The network that rate limits count as one client: an IPv4 address, or the /64 network of an IPv6 address. */
export const networkOf = (address: string): string => networks.memo(address);

/** Whose work a call of a caller is. Anonymous callers of one network are one client. */
export const clientOf = ({ address = '', key }: Pick<Caller, 'address' | 'key'>): Client => ({
  network: networkOf(address),
  key,
});

/** Who has what a caller opens: anonymous callers of one network share it. */
export const ownerOf = ({ credential, address = '', key }: Caller): string =>
  credential === null ? networkOf(address) : key;

/** Networks of recent addresses: parsing takes microseconds. */
const networks = new LRUCache<string, string>({ ...atMost(MAX_ADDRESSES), memoMethod: parseNetwork });

function parseNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}

/** The facade's own pages, and those that its operator lists. */
export interface OwnPages {
  /** Address under which browsers reach the facade, without a path; null: the address of each request. */
  readonly publicUrl: string | null;
  /** Path below which browsers reach the facade, without a slash at its end; empty: the root. */
  readonly basePath: string;
  /** Other origins whose pages may use the cookie. */
  readonly origins: readonly string[];
}

/**
 * Whether a request is from one of these pages, or from no page: browsers send `Origin` with all requests to other origins, and with
 * upgrades, and pages cannot set it.
 */
export function isFromOwnPage(header: HeaderReader, { publicUrl, origins }: OwnPages): boolean {
  const origin = header('origin');
  if (origin === null || origins.includes(origin)) return true;
  // A reverse proxy may replace the Host header.
  if (publicUrl !== null) return origin === publicUrl;
  return URL.canParse(origin) && new URL(origin).host === header('host');
}
