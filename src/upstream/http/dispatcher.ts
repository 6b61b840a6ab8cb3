// Makes the connections to another service: directly, over a Unix socket or through a proxy, with TLS as the operator sets it.
import ipaddr from 'ipaddr.js';
import { type Dispatcher, Pool, ProxyAgent } from 'undici';

/** The proxies to other services. */
export interface ProxyOptions {
  /** Address of the proxy to https services; default: that for http. It may contain a credential. */
  readonly https?: string | null;
  /** Address of the proxy to http services; default: none. */
  readonly http?: string | null;
  /** Hosts, separated by commas, that are reached without a proxy with their subdomains, each with or without a port; `*` for all. */
  readonly except?: string | null;
}

/** How a service is reached. Certificates and keys are in PEM. */
export interface ConnectionOptions {
  /** Maximum number of connections. */
  readonly connections?: number;
  /** Authorities whose certificates are trusted; default: those of Node. */
  readonly ca?: string | null;
  /** The certificate that the client shows, with its key; default: none. */
  readonly certificate?: string | null;
  readonly key?: string | null;
  /** Path of a Unix socket, which no proxy is used for; default: none. */
  readonly socket?: string | null;
  /** Default: no proxy. */
  readonly proxy?: ProxyOptions | null;
}

/** Longest time to open a connection. Milliseconds. */
const CONNECT_TIMEOUT = 10_000;

/** Makes a pool of connections to an origin. They are opened on demand, and follow no redirects. */
export function createDispatcher(origin: string, options: ConnectionOptions): Dispatcher {
  const { connections, ca, certificate, key, socket, proxy } = options;
  const tls = {
    timeout: CONNECT_TIMEOUT,
    ...(ca ? { ca } : {}),
    ...(certificate && key ? { cert: certificate, key } : {}),
  };
  const shared = {
    ...(connections === undefined ? {} : { connections }),
    // The deadline of each request replaces undici's timeouts, which restart with each chunk of the body.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { ...tls, ...(socket ? { socketPath: socket } : {}) },
  };
  const uri = socket || !proxy ? null : proxyTo(new URL(origin), proxy);
  if (uri === null) return new Pool(origin, shared);
  return new ProxyAgent({ ...shared, uri, requestTls: tls, proxyTls: { timeout: CONNECT_TIMEOUT } });
}

/** The proxy to a service; null where none is used. */
function proxyTo(service: URL, { https, http, except }: ProxyOptions): string | null {
  const uri = (service.protocol === 'https:' && https) || http || null;
  return uri === null || isExcepted(service, except ?? '') ? null : uri;
}

/** Whether a service is reached without a proxy. @param except See `ProxyOptions`. */
function isExcepted({ hostname, protocol, port }: URL, except: string): boolean {
  const host = normalizeHost(hostname);
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  return except.split(/[,\s]+/).some((entry) => {
    if (entry === '*') return true;
    const [, name = entry, entryPort] = ipaddr.isValid(entry) ? [] : (/^(.+):(\d+)$/.exec(entry) ?? []);
    const excepted = normalizeHost(name.replace(/^\*?\./, ''));
    if (excepted === '' || (entryPort !== undefined && entryPort !== ownPort)) return false;
    return host === excepted || host.endsWith(`.${excepted}`);
  });
}

/** Writes a host in one way: in lower case, without a last point, and an IPv6 address in its shortest form without brackets. */
function normalizeHost(host: string): string {
  const bare = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : bare.replace(/\.$/, '');
}
