// Finds from which address, from which network and for which client a request comes.
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import proxyaddr from 'proxy-addr';
import { atMost } from '../upstream/cache-bounds.ts';
import { type Caller, type Credential, readCredential } from '../upstream/http/caller.ts';
import type { Requester, SessionSource } from './session.ts';

/** Whose work it is. Clients of one network share what the network gets. */
export interface Client {
  /** An IPv4 address or an IPv6 /64 network; empty where it is unknown. */
  readonly network: string;
  /** The key of a credential that the API knows; `anonymous` for all others, so that nobody gains by inventing credentials. */
  readonly key: string;
}

/** The key of clients without a credential that the API knows. */
const ANONYMOUS = 'anonymous';

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
export function networkOf(address: string): string {
  if (last?.address !== address) last = { address, network: networks.memo(address) };
  return last.network;
}

/** The network that was asked for last: a request needs its own several times in a row. */
let last: { readonly address: string; readonly network: string } | null = null;

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

/** Who has sent a request, as far as its headers show before its session is open. */
interface Sender {
  /** Whose work it is. */
  readonly client: Client;
  /** Null where the headers have none, undefined where it cannot be read: the session cannot be opened then. */
  readonly credential: Credential | null | undefined;
}

/** Finds out who has sent a request. Never throws. */
export function findSender(
  { header, address = '' }: Pick<Requester, 'header' | 'address'>,
  { callers, browsers }: Pick<SessionSource, 'callers' | 'browsers'>,
): Sender {
  const network = networkOf(address);
  try {
    const credential = readCredential(header, callers.base.description.authentication);
    const ofHeader = credential !== null && callers.isVerified({ credential }) ? credential.key : null;
    const known = credential === null ? browsers?.knownKey(header) : ofHeader;
    return { client: { network, key: known ?? ANONYMOUS }, credential };
  } catch {
    return { client: { network, key: ANONYMOUS }, credential: undefined };
  }
}
