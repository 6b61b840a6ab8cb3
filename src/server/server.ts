// Listens for HTTP, and passes requests to facades.
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { isFromOwnPage } from '../auth/own-pages.ts';
import { networkOf } from '../callers/client-address.ts';
import { ConnectionLimits } from './connection-limits.ts';
import type { Facade } from './facade.ts';
import { DEFAULT_LIMITS, type TransportLimits } from './limits.ts';
import { RequestTurns } from './request-turns.ts';
import {
  answerClosing,
  answerEmpty,
  answerError,
  findRequestProblem,
  refuseUpgrade,
} from './server-answers.ts';
import { type SocketServer, serveWebSockets } from './websocket/serve-websockets.ts';
import { createHeaderReader } from './websocket/websocket-headers.ts';

/** Where to listen, and what clients may occupy. */
export interface ListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Limits that differ from the defaults. */
  readonly limits?: Partial<TransportLimits>;
}

/** A server that listens. It is alive, but not ready until `serve` is called. */
export interface OpenServer extends AsyncDisposable {
  /** Address of the server, without a path. */
  readonly origin: string;
  /** Serves facades from now on, each at its own endpoint. The server closes them when it closes. */
  serve(facades: readonly Facade[]): void;
  /**
   * Refuses requests with SHUTTING_DOWN, lets operations under way finish for up to `shutdownTimeout`, closes WebSockets over
   * `closeSpread`, ends streams, and closes the facades. A write under way is waited for until its own deadline.
   */
  close(): Promise<void>;
}

/** A server of one facade. */
export interface RunningServer extends AsyncDisposable {
  /** Address of the GraphQL endpoint. */
  readonly url: string;
  /** Closes the server and the facade, as `OpenServer.close` does. */
  close(): Promise<void>;
}

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
  const limits: TransportLimits = { ...DEFAULT_LIMITS, ...options.limits };
  let listener: RequestListener = answerNotReady;
  let served: readonly ServedFacade[] = [];
  let closing: Promise<void> | null = null;
  const turns = new RequestTurns();
  const server = createServer({ connectionsCheckingInterval: limits.checkInterval }, (request, response) => {
    if (!connections.admit(request, response)) return;
    if (closing !== null && pathOf(request) !== HEALTH) return answerClosing(request, response);
    const message = findRequestProblem(request);
    if (message === null) return listener(request, response);
    answerError(request, response, { status: 400, code: 'BAD_USER_INPUT', message });
  });
  const connections = new ConnectionLimits(server, limits);
  server.on('connection', () => turns.noteConnection());
  server.on('upgrade', (request, socket, head) => {
    const found = served.find(({ endpoint }) => endpoint === pathOf(request));
    // Node does not handle errors of a socket after the upgrade event.
    socket.on('error', () => socket.destroy());
    if (closing !== null) return refuseUpgrade(socket, '503 Service Unavailable');
    if (found === undefined) return refuseUpgrade(socket, '404 Not Found');
    const { facade, sockets } = found;
    if (!isFromOwnPage(createHeaderReader(request, undefined), facade.pages))
      return refuseUpgrade(socket, '403 Forbidden');
    if (!connections.admitUpgrade(request)) return refuseUpgrade(socket, '429 Too Many Requests');
    sockets.upgrade(request, socket, head);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // Node's default of 511 lets the kernel drop further connections of a burst, whose clients try again after a second.
    server.listen({ port, host, backlog: limits.connections }, resolve);
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  const closeAll = async (): Promise<void> => {
    const startedAt = performance.now();
    await Promise.all(served.map(({ facade }) => facade.shutdown.finish(limits)));
    await Promise.all(served.map(({ sockets }) => sockets.close(limits.closeSpread)));
    for (const { facade } of served) facade.states.close();
    // Answers that are being sent have the rest of the time.
    const rest = startedAt + limits.shutdownTimeout - performance.now();
    await stop(server, connections, Math.max(rest, limits.closeSpread));
    await Promise.all(served.map(({ facade }) => facade.close()));
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
        sockets: serveWebSockets(facade, limits, (stream) => connections.endMessage(stream)),
      }));
      const [first] = served;
      connections.addressOf = first?.facade.addressOf ?? null;
      listener = (request, response) => {
        const path = pathOf(request);
        if (path === READY) return void answerEmpty(response);
        // The endpoint of the first facade is a prefix of the others'.
        const found =
          served.findLast(({ endpoint }) => path === endpoint || path.startsWith(`${endpoint}/`)) ?? first;
        if (found === undefined) return;
        const { addressOf, listener } = found.facade;
        turns.take(
          () => networkOf(addressOf(request)),
          () => {
            if (!response.closed) listener(request, response);
          },
        );
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

/** Path that answers 200 when there is a schema to serve, and 503 otherwise. */
const READY = '/ready';
/** Path that answers 200 when the process is alive. */
const HEALTH = '/health';

/** Answers while there is no schema yet. */
function answerNotReady(request: IncomingMessage, response: ServerResponse): void {
  if (pathOf(request) === HEALTH) return void answerEmpty(response);
  const message = 'The management API has not sent its description yet; try again in a moment.';
  answerError(request, response, { status: 503, code: 'UPSTREAM_UNAVAILABLE', message, retryAfter: 5 });
}

const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0] ?? '/';

/** @param timeout Milliseconds after which all connections are closed. */
async function stop(server: Server, connections: ConnectionLimits, timeout: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  connections.endIdle();
  const timer = setTimeout(() => server.closeAllConnections(), timeout);
  await closed;
  clearTimeout(timer);
}
