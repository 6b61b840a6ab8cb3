// Serves metrics over HTTP.
import { createServer } from 'node:http';
import { listen } from '../../server/http/listen.ts';
import { ServedHosts } from '../../server/http/served-hosts.ts';
import { answerError, foreignHostError } from '../../server/http/server-answers.ts';
import type { MetricsText } from './metrics.ts';

/** Path of the metrics. */
const PATH = '/metrics';

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
  { text, contentType }: MetricsText,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<MetricsServer> {
  const server = createServer(async (request, response) => {
    if (hosts.find(request) !== 'served') return answerError(request, response, foreignHostError(request));
    const body = request.url === PATH ? await text().catch(() => null) : undefined;
    if (typeof body !== 'string') return response.writeHead(body === null ? 500 : 404).end();
    response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' }).end(body);
  });
  const hosts = new ServedHosts(server, { host });
  const authority = await listen(server, { host, port });
  return {
    url: `http://${authority}${PATH}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
