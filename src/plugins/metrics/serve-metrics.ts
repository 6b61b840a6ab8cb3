// Serves metrics over HTTP.
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import ipaddr from 'ipaddr.js';
import { listen } from '../../server/http/listen.ts';
import { ServedHosts } from '../../server/http/served-hosts.ts';
import { answerError, foreignHostError } from '../../server/http/server-answers.ts';
import { METRICS } from '../../server/server.ts';
import type { MetricsText } from './metrics.ts';

/** Headers of proxies. A client on this machine sends none of them. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'];

/** Serves metrics to clients on this machine. Others get 404, also those of a proxy on this machine. */
export function serveLocalMetrics(metrics: MetricsText): RequestListener {
  return ({ headers, socket }, response) => {
    const isProxied = PROXY_HEADERS.some((name) => headers[name] !== undefined);
    const { remoteAddress = '' } = socket;
    const isLocal =
      ipaddr.isValid(remoteAddress) && ipaddr.process(remoteAddress).range() === 'loopback' && !isProxied;
    if (isLocal) return void answerMetrics(metrics, response);
    response.writeHead(404).end();
  };
}

/** A server of metrics. */
export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves metrics at a port of its own to everyone who reaches it, except for pages of other hosts (see `ServedHosts`). Rejects with
 * node's error when it cannot listen.
 */
export async function openMetricsServer(
  metrics: MetricsText,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (!hosts.has(request)) return answerError(request, response, foreignHostError(request));
    if (request.url === METRICS) return void answerMetrics(metrics, response);
    response.writeHead(404).end();
  });
  const hosts = new ServedHosts(server, { host });
  const authority = await listen(server, { host, port });
  return {
    url: `http://${authority}${METRICS}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answerMetrics({ text, contentType }: MetricsText, response: ServerResponse): Promise<void> {
  try {
    const body = await text();
    response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' }).end(body);
  } catch {
    response.writeHead(500).end();
  }
}
