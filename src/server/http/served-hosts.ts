// Decides which hosts the requests to a server may name.
import type { IncomingMessage } from 'node:http';
import type { Server } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** Stands for any host in a list of them. */
export const ANY_HOST = '*';

/** The options that decide which hosts are served. */
export interface HostOptions {
  /** The name or address to listen at. */
  readonly host: string;
  /**
   * Names and addresses without a port, or `ANY_HOST`. Default: none, which means any host, but on a loopback address only that of
   * `host`. Those of this machine are served in any case: `localhost` and loopback addresses.
   */
  readonly allowedHosts?: readonly string[];
}

/** Hosts whose decision is remembered. Most requests name the same one. */
const MAX_HOSTS = 100;

/** A host name or address with an optional port (RFC 9110, section 7.2). */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** Reads a `Host` header: the name or address without the port, in lower case. Null when it is malformed. */
export function hostnameOf(host: string): string | null {
  if (!HOST.test(host) || !URL.canParse(`http://${host}`)) return null;
  // A dot at the end marks a name as complete, and is no part of it.
  return new URL(`http://${host}`).hostname.replace(/\.$/, '');
}

/** Whether requests may name a host. */
type HostDecision = 'served' | 'foreign' | 'malformed';

/**
 * The hosts that a server serves. The owner of a name can have it point at another's machine (DNS rebinding). Browsers then take the
 * server there for a part of the owner's page, but name the owner's host in their requests.
 */
export class ServedHosts {
  readonly #listed: ReadonlySet<string | null>;
  readonly #own: string | null;
  readonly #server: Server;
  readonly #decisions = new LRUCache<string, HostDecision>({
    max: MAX_HOSTS,
    memoMethod: (host) => this.#decide(hostnameOf(host)),
  });

  constructor(server: Server, { host, allowedHosts = [] }: HostOptions) {
    this.#server = server;
    this.#own = hostnameOf(ipaddr.IPv6.isValid(host) ? `[${host}]` : host);
    this.#listed = new Set(allowedHosts.map((listed) => (listed === ANY_HOST ? listed : hostnameOf(listed))));
  }

  /** Decides about the host that a request names. One that names none is from no browser. */
  find({ headers: { host } }: Pick<IncomingMessage, 'headers'>): HostDecision {
    return host === undefined ? 'served' : this.#decisions.memo(host);
  }

  #decide(name: string | null): HostDecision {
    if (name === null) return 'malformed';
    const isServed = this.#listed.size > 0 ? this.#listed.has(name) : this.#isOwn(name);
    return isServed || this.#listed.has(ANY_HOST) || isOfThisMachine(name) ? 'served' : 'foreign';
  }

  #isOwn(name: string): boolean {
    const bound = this.#server.address();
    const isLocal = bound !== null && typeof bound === 'object' && isLoopback(bound.address);
    return !isLocal || name === this.#own;
  }
}

/** Whether a name or address means this machine, so that nobody else can have it point elsewhere. */
const isOfThisMachine = (name: string): boolean =>
  name === 'localhost' || isLoopback(name.replace(/^\[|\]$/g, ''));

const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
