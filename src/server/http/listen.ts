// Listens at a TCP port, and knows the open connections, so that a shutdown ends those that serve nothing.
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Where to listen. */
export interface ListenAddress {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** Listens, and returns the host and port in the form of addresses. Rejects when it cannot, e.g. because the port is in use. */
export async function listen(server: Server, { host, port }: ListenAddress): Promise<string> {
  await once(server.listen({ port, host }), 'listening');
  const { family, address, port: bound } = server.address() as AddressInfo;
  return `${family === 'IPv6' ? `[${address}]` : address}:${bound}`;
}

/** Largest number of open connections; further ones are closed at once. A proxy in front has limits for each address. */
const MAX_CONNECTIONS = 10_000;
/** Time for the head of a request, and for a whole request, so that half-sent ones do not stay. Milliseconds. */
const HEADERS_TIMEOUT = 15_000;
const REQUEST_TIMEOUT = 30_000;
/** Time between two requests; longer than the 60 s of common proxies, which would send into its end. Milliseconds. */
const KEEP_ALIVE_TIMEOUT = 65_000;
/** Time for which a connection with a response may neither send nor receive; streams send pings. Milliseconds. */
const SOCKET_TIMEOUT = 120_000;

/** The open connections of a server. */
export class OpenConnections {
  readonly #open = new Map<Socket, Set<ServerResponse>>();

  constructor(server: Server) {
    server.maxConnections = MAX_CONNECTIONS;
    server.headersTimeout = HEADERS_TIMEOUT;
    server.requestTimeout = REQUEST_TIMEOUT;
    server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT;
    server.timeout = SOCKET_TIMEOUT;
    server.on('connection', (socket) => {
      this.#open.set(socket, new Set());
      socket.once('close', () => this.#open.delete(socket));
    });
    server.prependListener('request', ({ socket }, response) => {
      const responses = this.#open.get(socket);
      responses?.add(response);
      response.once('close', () => {
        responses?.delete(response);
        if (!server.listening && responses?.size === 0) socket.destroySoon();
      });
    });
  }

  /** Ends all connections that serve no request. Node's `closeIdleConnections` spares those that never sent one, which browsers open. */
  endIdle(): void {
    for (const [socket, responses] of this.#open) if (responses.size === 0) socket.destroySoon();
  }

  /**
   * Cuts all streams of server-sent events. Without an event `complete`, their clients connect again. Resolves when this is done.
   * @param spread Milliseconds over which the cuts are spread, so that clients do not connect again all at once.
   */
  async cutStreams(spread: number): Promise<void> {
    const streams = [...this.#open].filter(([, responses]) => [...responses].some(isEventStream));
    await Promise.all(
      streams.map(async ([socket], index) => {
        await new Promise((resolve) => setTimeout(resolve, (spread * index) / streams.length));
        socket.destroySoon();
      }),
    );
  }

  /** Closes all connections at once. */
  closeAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }
}

const isEventStream = (response: ServerResponse): boolean =>
  String(response.getHeader('content-type')).startsWith('text/event-stream');
