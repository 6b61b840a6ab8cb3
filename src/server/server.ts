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
  /** 0: any free one. */
  readonly port: number;
}

/** A server that listens; alive, but not ready until it is given facades to serve. */
export interface OpenServer extends AsyncDisposable {
  /** Its address, without a path. */
  readonly origin: string;
  /** Answers with facades, each at its own endpoint, from now on. They are closed with the server. */
  serve(facades: readonly Facade[]): void;
  /** Stops listening, lets what is under way finish for a moment, and closes the facades. */
  close(): Promise<void>;
}

/** A facade that listens. */
export interface RunningServer extends AsyncDisposable {
  /** Address of its GraphQL endpoint. */
  readonly url: string;
  /** Stops listening, lets what is under way finish for a moment, and closes the facade. */
  close(): Promise<void>;
}

/** How long answers under way may take to finish when the server closes. Milliseconds. */
const GRACE = 2_000;

/** Serves a facade over HTTP and WebSockets. Rejects as `openServer` does. */
export async function startServer(facade: Facade, options: ListenOptions): Promise<RunningServer> {
  const server = await openServer(options);
  server.serve([facade]);
  const { origin, close } = server;
  return { url: origin + facade.yoga.graphqlEndpoint, close, [Symbol.asyncDispose]: close };
}

/** Listens for HTTP. Rejects with node's error when it cannot (code EADDRINUSE when the port is taken). */
export async function openServer(options: ListenOptions): Promise<OpenServer> {
  const { host, port } = options;
  let answer: RequestListener = answerNotReady;
  let served: readonly ServedFacade[] = [];
  const server = createServer((request, response) => answer(request, response));
  const endIdle = trackConnections(server);
  server.on('upgrade', (request, socket, head) => {
    const found = served.find(({ endpoint }) => endpoint === pathOf(request));
    // Node listens no more to what goes wrong with a socket that it has handed over.
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
      answer = (request, response) => {
        if (pathOf(request) === READY) return void response.writeHead(200).end();
        const path = pathOf(request);
        // A version's endpoint lies under that of the first one.
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

/** Whether there is a schema to serve; `/health` tells whether the process is alive. */
const READY = '/ready';

const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0] ?? '/';

/** Alive, but without a schema yet. */
function answerNotReady(request: IncomingMessage, response: ServerResponse): void {
  if (pathOf(request) === '/health') return void response.writeHead(200).end();
  const message = 'The management API has not sent its description yet; ask again in a moment.';
  const extensions = { code: 'UPSTREAM_UNAVAILABLE', retryable: true };
  const type = ['application/graphql-response+json', 'application/json'].find((type) =>
    request.headers.accept?.includes(type),
  );
  response
    .writeHead(503, { 'content-type': type ?? 'application/json', 'retry-after': '5' })
    .end(JSON.stringify({ errors: [{ message, extensions }] }));
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
