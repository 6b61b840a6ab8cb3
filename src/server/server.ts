// Listens for HTTP, and passes requests to a facade.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AddressOf, OwnPages } from '../callers/requester.ts';
import type { Observer, ShutdownPhase } from '../observer.ts';
import { type ListenAddress, listen, OpenConnections } from './http/listen.ts';
import type { HttpListener } from './http/plain-post.ts';
import { type HostOptions, ServedHosts } from './http/served-hosts.ts';
import {
  answerError,
  answerJson,
  CLOSING,
  findRequestProblem,
  foreignHostError,
  NO_ENDPOINT,
  refuseUpgrade,
  type ServerError,
  STARTING,
} from './http/server-answers.ts';
import { completeLimits, type LimitOptions, type Limits } from './limits.ts';
import type { Shutdown } from './under-way.ts';
import type { SocketServer } from './websocket/serve-websockets.ts';

/** Where to listen, and what clients may occupy. */
export interface ListenOptions extends ListenAddress, HostOptions {
  /** Times of the shutdown that differ from the defaults. */
  readonly limits?: LimitOptions;
  /** Observes connections and the shutdown; default: nobody does. */
  readonly observer?: Observer;
}

/** What a server needs of a facade. It knows nothing of what the requests are about. */
export interface ServableFacade {
  /** Path of GraphQL. */
  readonly endpoint: string;
  /** What operators want to know of it, without addresses, names and credentials. */
  readonly health: object;
  /** The pages that may open WebSockets. */
  readonly pages: OwnPages;
  readonly addressOf: AddressOf;
  readonly observer: Observer;
  readonly shutdown: Shutdown;
  /** Answers requests. */
  readonly listener: HttpListener;
  serveWebSockets(): SocketServer;
  /** Ends what would send without end. */
  endStreams(): void;
  close(): Promise<void>;
}

/** A server of one facade. */
export interface RunningServer extends AsyncDisposable {
  /** Address of the GraphQL endpoint. */
  readonly url: string;
  /** Closes the server and the facade, as `HttpServer.close` does. */
  close(): Promise<void>;
}

/** Serves a facade over HTTP and WebSocket, also at the host of its public URL. Rejects as `openServer` does. */
export async function startServer(facade: ServableFacade, options: ListenOptions): Promise<RunningServer> {
  const { observer, pages } = facade;
  const publicHosts = pages.publicUrl === null ? [] : [new URL(pages.publicUrl).hostname];
  const allowedHosts = [...(options.allowedHosts ?? []), ...publicHosts];
  const server = await openServer({ observer, ...options, allowedHosts }, pages.basePath);
  server.serve(facade);
  const close = (): Promise<void> => server.close();
  return { url: server.origin + facade.endpoint, close, [Symbol.asyncDispose]: close };
}

/**
 * Listens before there is anything to serve, so that health checks see a process that is alive. Rejects when it cannot listen.
 * @param basePath Path below which browsers reach the server. Requests without it count as requests with it, because a reverse proxy
 *   may remove it, and health checks do not know it.
 */
export async function openServer(options: ListenOptions, basePath = ''): Promise<HttpServer> {
  const server = new HttpServer(options, basePath);
  await server.listen();
  return server;
}

/**
 * A server that listens. It is alive, but not ready until `serve` is called. Requests pass from `#answer` or `#upgrade` to the facade only
 * while the state is `serving` or `draining`.
 */
class HttpServer implements AsyncDisposable {
  /** Address of the server, without a path. */
  origin = '';
  readonly #options: ListenOptions;
  readonly #basePath: string;
  readonly #observer: Observer;
  readonly #limits: Limits;
  readonly #server: Server;
  readonly #connections: OpenConnections;
  readonly #hosts: ServedHosts;
  /** What it does: wait for the first schema, serve, serve until balancers have found another one, or let operations finish. */
  #state: 'starting' | 'serving' | 'draining' | 'stopping' = 'starting';
  #facade: ServableFacade | null = null;
  #sockets: SocketServer | null = null;
  #closing: Promise<void> | null = null;

  constructor(options: ListenOptions, basePath: string) {
    this.#options = options;
    this.#basePath = basePath;
    this.#observer = options.observer ?? {};
    this.#limits = completeLimits(options.limits);
    this.#server = createServer((request, response) => this.#answer(request, response));
    this.#connections = new OpenConnections(this.#server);
    this.#hosts = new ServedHosts(this.#server, options);
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  async listen(): Promise<void> {
    this.origin = `http://${await listen(this.#server, this.#options)}`;
  }

  /** Serves a facade from now on. The server closes it when it closes. */
  serve(facade: ServableFacade): void {
    this.#facade = facade;
    this.#sockets = facade.serveWebSockets();
    if (this.#state === 'starting') this.#state = 'serving';
  }

  /**
   * Reports at once that it is not ready, and serves for `drainTime`. Then it refuses requests with SHUTTING_DOWN, lets operations under
   * way finish for up to `shutdownTime`, closes WebSockets and streams over `closeSpread`, and closes the facade. A write under way
   * is waited for until its own deadline.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse) {
    const state = this.#state;
    // The client's next request needs a new connection, which leads to another server.
    if (state === 'draining' || state === 'stopping') response.setHeader('connection', 'close');
    const problem = findRequestProblem(request, this.#hosts);
    if (problem !== null) return answerError(request, response, problem);
    const path = this.#pathOf(request);
    // Balancers and orchestrators name the address of a process.
    if (this.#answerHealth(request, response, path.slice(this.#basePath.length))) return;
    const foreign = this.#findForeignHost(request);
    if (foreign !== null) return answerError(request, response, foreign);
    if (state === 'stopping') return answerError(request, response, CLOSING);
    if (this.#facade === null) return answerError(request, response, STARTING);
    void this.#facade.listener(request, response);
  }

  /**
   * Answers `/livez` with 200 while the process runs, and `/readyz` with 200 while requests can be served, else with 503. `?verbose` adds
   * the reasons.
   * @param path The path of the request below the base path.
   * @returns False when the request is no health check.
   */
  #answerHealth(request: IncomingMessage, response: ServerResponse, path: string): boolean {
    const isLiveness = path === '/livez' || path === '/health';
    if (!isLiveness && path !== '/readyz' && path !== '/ready') return false;
    const state = this.#state;
    const isReady = state === 'serving';
    const status = isLiveness ? 'alive' : isReady ? 'ready' : 'not ready';
    const isVerbose = /[?&]verbose(=|&|$)/.test(request.url ?? '');
    const answer = isVerbose ? { status, state, ...this.#facade?.health } : { status };
    answerJson(response, isLiveness || isReady ? 200 : 503, answer);
    return true;
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
    // Node does not handle errors of a socket after the upgrade event.
    socket.on('error', () => socket.destroy());
    const problem = findRequestProblem(request, this.#hosts) ?? this.#findForeignHost(request);
    if (problem !== null) return refuseUpgrade(socket, problem);
    const path = this.#pathOf(request);
    if (this.#state === 'stopping') return refuseUpgrade(socket, CLOSING);
    if (this.#facade?.endpoint !== path) return refuseUpgrade(socket, NO_ENDPOINT);
    this.#sockets?.upgrade(request, socket, head);
  }

  #pathOf(request: IncomingMessage): string {
    const { url = '/' } = request;
    if (!url.startsWith(`${this.#basePath}/`)) request.url = this.#basePath + url;
    return request.url?.split('?', 1)[0] ?? '/';
  }

  #findForeignHost(request: IncomingMessage): ServerError | null {
    if (this.#hosts.find(request) === 'served') return null;
    const { host = '' } = request.headers;
    const address = this.#facade?.addressOf(request) ?? request.socket.remoteAddress ?? null;
    this.#observer.refusal?.({ reason: 'HOST', value: host, address });
    return foreignHostError(request);
  }

  async #close(): Promise<void> {
    const { drainTime, shutdownTime, closeSpread } = this.#limits;
    if (this.#state === 'serving' && drainTime > 0) {
      this.#state = 'draining';
      this.#report('draining');
      await new Promise((resolve) => setTimeout(resolve, drainTime));
    }
    this.#state = 'stopping';
    const startedAt = performance.now();
    this.#report('begun');
    await this.#facade?.shutdown.finish(this.#limits);
    this.#report('operations ended');
    await Promise.all([this.#sockets?.close(closeSpread), this.#connections.cutStreams(closeSpread)]);
    this.#facade?.endStreams();
    // Answers that are being sent have the rest of the time.
    const rest = startedAt + shutdownTime - performance.now();
    await stop(this.#server, this.#connections, Math.max(rest, closeSpread));
    this.#report('connections closed');
    await this.#facade?.close();
    this.#report('done');
  }

  #report(phase: ShutdownPhase['phase']): void {
    if (this.#facade === null) return;
    const operations = this.#facade.shutdown.operations.members.size;
    this.#observer.shutdown?.({ phase, operations });
  }
}

/** @param timeout Milliseconds after which all connections are closed. */
async function stop(server: Server, connections: OpenConnections, timeout: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  connections.endIdle();
  const timer = setTimeout(() => connections.closeAll(), timeout);
  await closed;
  clearTimeout(timer);
}
