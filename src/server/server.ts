import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
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
  const endIdle = trackConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  // Not before it listens: the WebSocket server would log a taken port as a failure of its own.
  const sockets = serveWebSockets(server, facade, options);
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  let closing: Promise<void> | null = null;
  const closeAll = async (): Promise<void> => {
    facade.states.close();
    await sockets[Symbol.asyncDispose]();
    await stop(server, endIdle);
    await facade.close();
  };
  const close = (): Promise<void> => {
    closing ??= closeAll();
    return closing;
  };
  return {
    url: `http://${name}:${address.port}${facade.yoga.graphqlEndpoint}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Returns what ends every connection without an answer under way; once the server listens no more, others end with their
 * last answer. Node's own `closeIdleConnections` spares those that never sent a request, as browsers open them in advance,
 * and those that are kept alive after an answer under way.
 */
function trackConnections(server: Server): () => void {
  const answersOf = new Map<Socket, number>();
  const count = (socket: Socket, change: 1 | -1): void => {
    const answers = answersOf.get(socket);
    if (answers !== undefined) answersOf.set(socket, answers + change);
  };
  const endIdle = (): void => {
    for (const [socket, answers] of answersOf) if (answers === 0) socket.destroySoon();
  };
  server.on('connection', (socket) => {
    answersOf.set(socket, 0);
    socket.once('close', () => answersOf.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    count(socket, 1);
    response.once('close', () => {
      count(socket, -1);
      if (!server.listening) endIdle();
    });
  });
  return endIdle;
}

async function stop(server: Server, endIdle: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  endIdle();
  const timer = setTimeout(() => server.closeAllConnections(), GRACE);
  await closed;
  clearTimeout(timer);
}
