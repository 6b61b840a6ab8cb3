// Makes the connections to another service: directly, over a Unix socket or through a proxy, with TLS as the operator sets it.
import { isIPv6 } from 'node:net';
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';

/** The proxies to other services. */
interface ProxyOptions {
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
  if (socket || !(proxy?.http || proxy?.https)) return new Pool(origin, shared);
  return new EnvHttpProxyAgent({
    ...shared,
    requestTls: tls,
    proxyTls: { timeout: CONNECT_TIMEOUT },
    // In place of a value that is missing, undici reads the environment.
    httpProxy: proxy.http ?? '',
    httpsProxy: proxy.https ?? '',
    noProxy: (proxy.except ?? '')
      .split(/[,\s]+/)
      .map(writeHost)
      .join(),
  });
}

/** Writes an IPv6 address as URLs contain it, any other host as it is. */
const writeHost = (host: string): string => (isIPv6(host) ? new URL(`http://[${host}]`).hostname : host);
