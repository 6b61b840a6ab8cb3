// Listens for HTTP, and passes requests to facades.
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Facade } from './facade.ts';
import { type SocketServer, serveWebSockets, type WebSocketOptions } from './websocket.ts';

/** Where to listen. */
export interface ListenOptions extends WebSocketOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** A server that listens. It is alive, but not ready until `serve` is called. */
export interface OpenServer extends AsyncDisposable {
  /** Address of the server, without a path. */
  readonly origin: string;
  /** Serves facades from now on, each at its own endpoint. The server closes them when it closes. */
  serve(facades: readonly Facade[]): void;
  /** Stops listening, waits up to two seconds for responses under way, and closes the facades. */
  close(): Promise<void>;
}

/** A server of one facade. */
export interface RunningServer extends AsyncDisposable {
  /** Address of the GraphQL endpoint. */
  readonly url: string;
  /** Stops listening, waits up to two seconds for responses under way, and closes the facade. */
  close(): Promise<void>;
}

/** Time for responses under way to finish when the server closes. Milliseconds. */
const CLOSE_TIMEOUT = 2_000;

/** Serves a facade over HTTP and WebSocket. Rejects as `openServer` does. */
export async function startServer(facade: Facade, options: ListenOptions): Promise<RunningServer> {
  const server = await openServer(options);
  server.serve([facade]);
  const { origin, close } = server;
  return { url: origin + facade.yoga.graphqlEndpoint, close, [Symbol.asyncDispose]: close };
}

/** Listens for HTTP. Rejects with node's error when that fails (code EADDRINUSE when the port is in use). */
export async function openServer(options: ListenOptions): Promise<OpenServer> {
  const { host, port } = options;
  let listener: RequestListener = answerNotReady;
  let served: readonly ServedFacade[] = [];
  const server = createServer((request, response) => listener(request, response));
  const endIdle = trackConnections(server);
  server.on('upgrade', (request, socket, head) => {
    const found = served.find(({ endpoint }) => endpoint === pathOf(request));
    // Node does not handle errors of a socket after the upgrade event.
    socket.on('error', () => socket.destroy());
    if (found !== undefined) found.sockets.upgrade(request, socket, head);
    else socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n', () => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  let closing: Promise<void> | null = null;
  const closeAll = async (): Promise<void> => {
    for (const { facade } of served) facade.states.close();
    for (const { sockets } of served) await sockets[Symbol.asyncDispose]();
    await stop(server, endIdle);
    for (const { facade } of served) await facade.close();
  };
  const close = (): Promise<void> => {
    closing ??= closeAll();
    return closing;
  };
  return {
    origin: `http://${name}:${address.port}`,
    serve(facades) {
      served = facades.map((facade) => ({
        facade,
        endpoint: facade.yoga.graphqlEndpoint,
        sockets: serveWebSockets(facade, options),
      }));
      const [first] = served;
      listener = (request, response) => {
        if (pathOf(request) === READY) return void response.writeHead(200).end();
        const path = pathOf(request);
        // The endpoint of the first facade is a prefix of the others'.
        const found =
          served.findLast(({ endpoint }) => path === endpoint || path.startsWith(`${endpoint}/`)) ?? first;
        return void found?.facade.yoga(request, response);
      };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface ServedFacade {
  readonly facade: Facade;
  readonly endpoint: string;
  readonly sockets: SocketServer;
}

/** Path that answers 200 when there is a schema to serve; `/health` answers 200 when the process is alive. */
const READY = '/ready';

const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0] ?? '/';

/** Answers while there is no schema yet. */
function answerNotReady(request: IncomingMessage, response: ServerResponse): void {
  if (pathOf(request) === '/health') return void response.writeHead(200).end();
  const message = 'The management API has not sent its description yet; try again in a moment.';
  const extensions = { code: 'UPSTREAM_UNAVAILABLE', retryable: true };
  const type = ['application/graphql-response+json', 'application/json'].find((type) =>
    request.headers.accept?.includes(type),
  );
  response
    .writeHead(503, { 'content-type': type ?? 'application/json', 'retry-after': '5' })
    .end(JSON.stringify({ errors: [{ message, extensions }] }));
}

/**
 * Returns a function that ends all idle connections. Once the server has stopped listening, each other connection ends after its
 * last response. Node's `closeIdleConnections` spares connections that never sent a request, which browsers open in advance,
 * and connections that become idle later.
 */
function trackConnections(server: Server): () => void {
  const responsesUnderWay = new Map<Socket, number>();
  const addToCount = (socket: Socket, change: 1 | -1): void => {
    const count = responsesUnderWay.get(socket);
    if (count !== undefined) responsesUnderWay.set(socket, count + change);
  };
  const endIdle = (): void => {
    for (const [socket, count] of responsesUnderWay) if (count === 0) socket.destroySoon();
  };
  server.on('connection', (socket) => {
    responsesUnderWay.set(socket, 0);
    socket.once('close', () => responsesUnderWay.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    addToCount(socket, 1);
    response.once('close', () => {
      addToCount(socket, -1);
      if (!server.listening) endIdle();
    });
  });
  return endIdle;
}

async function stop(server: Server, endIdle: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  endIdle();
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT);
  await closed;
  clearTimeout(timer);
}
