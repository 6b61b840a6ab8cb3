// Makes the headers that describe the client of a call to the management API.
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { atMost } from '../cache-bounds.ts';
import { VERSION } from '../version.ts';

const ADDRESS_HEADERS = ['client-ip', 'x-forwarded-for'] as const;

/** The headers that can describe a client. */
export const CLIENT_HEADERS = [...ADDRESS_HEADERS, 'user-agent'] as const;

/** A header that describes a client. */
export type ClientHeader = (typeof CLIENT_HEADERS)[number];

/** What is known of a client. */
export interface KnownClient {
  /** The address that trusted proxies state; undefined when it is unknown. */
  readonly address?: string | undefined;
  /** Reads a header of the client's request; null when it is absent. */
  readonly header: (name: string) => string | null;
}

/** Headers about a client. Lower-case names. */
export type ClientHeaders = Readonly<Record<string, string>>;

/** A client as callers carry it. */
export interface DescribedClient {
  /** For limits; undefined when it is unknown. */
  readonly address: string | undefined;
  /** What the API receives. */
  readonly clientHeaders: ClientHeaders;
}

/** Describes a client. */
export type DescribeClient = (client: KnownClient) => DescribedClient;

const PRODUCT = `optiongraph/${VERSION}`;

/** The headers of calls that are made for no client, or for several. */
export const NO_CLIENT: ClientHeaders = { 'user-agent': PRODUCT };

/** Longest part of a client's user agent that is sent. Characters. */
const MAX_USER_AGENT = 512;
/** Number of clients whose headers are remembered: each request needs them, and to make them takes microseconds. */
const MAX_REMEMBERED = 10_000;

/**
 * Makes a function that describes clients.
 * @param sent The headers that describe clients. Without `user-agent`, that header names the facade alone.
 */
export function createClientDescriber(sent: readonly ClientHeader[] = CLIENT_HEADERS): DescribeClient {
  const addressHeaders = ADDRESS_HEADERS.filter((name) => sent.includes(name));
  const sendsUserAgent = sent.includes('user-agent');
  const makeHeaders = (address: string, userAgent: string): ClientHeaders => ({
    // What a proxy states may be no address.
    ...(ipaddr.isValid(address)
      ? Object.fromEntries(addressHeaders.map((name) => [name, writeAddress(address)]))
      : {}),
    'user-agent': writeUserAgent(userAgent),
  });
  const known = new LRUCache<string, ClientHeaders>(atMost(MAX_REMEMBERED));
  return ({ address, header }) => {
    const userAgent = sendsUserAgent ? (header('user-agent') ?? '').slice(0, MAX_USER_AGENT) : '';
    const key = `${address ?? ''} ${userAgent}`;
    let clientHeaders = known.get(key);
    if (clientHeaders === undefined) {
      clientHeaders = makeHeaders(address ?? '', userAgent);
      known.set(key, clientHeaders);
    }
    return { address, clientHeaders };
  };
}

/** Writes an address without the zone of an interface, and one of IPv4 as such where IPv6 contains it. */
function writeAddress(address: string): string {
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? new ipaddr.IPv6(parsed.parts).toString() : parsed.toString();
}

/** Writes a client's user agent as the comment of the facade's (RFC 9110, section 10.1.5). */
function writeUserAgent(userAgent: string): string {
  const text = userAgent.replace(/[^\x20-\x7e]/g, '?').trim();
  if (text === '') return PRODUCT;
  const withoutPairs = text.replace(/\([^()\\]*\)/g, '');
  return `${PRODUCT} (${/[()\\]/.test(withoutPairs) ? text.replace(/[()\\]/g, '\\$&') : text})`;
}
