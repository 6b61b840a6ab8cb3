import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Facade } from './facade.ts';
import { serveWebSockets, type WebSocketOptions } from './websocket.ts';

/** Where to listen. */
export interface ListenOptions extends WebSocketOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

/** A facade that listens. */
export interface RunningServer extends AsyncDisposable {
  /** Address of the GraphQL endpoint. */
  readonly url: string;
  /** Stops listening, lets what is under way finish for a moment, and closes the facade. */
  close(): Promise<void>;
}

/** How long answers under way may take to finish when the server closes. Milliseconds. */
const GRACE = 2_000;

/** Serves a facade over HTTP. Rejects with node's error when it cannot listen (code EADDRINUSE when the port is taken). */
export async function startServer(facade: Facade, options: ListenOptions): Promise<RunningServer> {
  const { host, port } = options;
  const server = createServer(facade.yoga);
  const sockets = serveWebSockets(server, facade, options);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  const close = async (): Promise<void> => {
    await sockets[Symbol.asyncDispose]();
    await stop(server);
    await facade.close();
  };
  return {
    url: `http://${name}:${address.port}${facade.yoga.graphqlEndpoint}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), GRACE);
  await closed;
  clearTimeout(timer);
}
