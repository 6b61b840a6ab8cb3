// Counts the connections of a server, and closes those that occupy too much.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type AddressOf, networkOf } from '../../callers/client-address.ts';
import type { TransportLimits } from '../../operation/limits.ts';
import type { Observer } from '../../telemetry/observer.ts';
import { answerError, TOO_MANY_REQUESTS } from './server-answers.ts';

/** One connection. */
interface Connection {
  /**
   * Responses in progress, with the time at which each began, in milliseconds of the monotonic clock. Only the first is being sent; the
   * others are queued.
   */
  readonly responses: Map<ServerResponse, number>;
  /** Value of the socket's `bytesRead` at the end of the last request or message. */
  inputBegan: number;
  /** Bytes that waited for the client at the last check. */
  unread: number;
  /** When the client last read something, in milliseconds of the monotonic clock. */
  readAt: number;
}

/** The connections of a server, with their requests. */
export class ConnectionLimits {
  readonly #server: Server;
  readonly #limits: TransportLimits;
  readonly #report: (limit: string, address?: string) => void;
  readonly #open = new Map<Socket, Connection>();
  /** All sockets, those with an unfinished TLS handshake included. */
  readonly #accepted = new Set<Socket>();
  /** Connections by the network at their other end. */
  readonly #peers = new Counter();
  /** Requests and WebSockets in progress by the client's network. */
  readonly #clients = new Counter();
  readonly #timer: NodeJS.Timeout;
  /** Finds addresses; null before there are any facades. */
  addressOf: AddressOf | null = null;

  constructor(server: Server, limits: TransportLimits, { limit }: Observer) {
    this.#report = (name, address) => limit?.({ limit: name, address: address ?? null });
    this.#server = server;
    this.#limits = limits;
    this.applyLimits();
    server.on('drop', (dropped) => this.#report('CONNECTIONS', dropped?.remoteAddress));
    server.on('connection', (socket) => this.#accept(socket));
    // With TLS, requests belong to a socket that wraps the accepted one.
    server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket) =>
      this.#add(socket),
    );
    server.once('close', () => clearInterval(this.#timer));
    this.#timer = setInterval(() => this.#check(), limits.checkInterval).unref();
  }

  /** Sets the limits that node checks itself, from the current values. */
  applyLimits(): void {
    const { connections, headersTimeout, requestTimeout, keepAliveTimeout, requestsOfConnection } =
      this.#limits;
    Object.assign(this.#server, {
      maxConnections: connections,
      headersTimeout,
      requestTimeout,
      keepAliveTimeout,
      maxRequestsPerSocket: requestsOfConnection,
    });
  }

  /** Counts a request until its response has ended. Returns false when the request has been refused. */
  admit(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    const connection = this.#open.get(socket);
    if (connection === undefined || socket.destroyed) return false;
    const { responses } = connection;
    if (responses.size >= this.#limits.pipelined) {
      this.#report('PIPELINED_REQUESTS', socket.remoteAddress);
      socket.destroy();
      return false;
    }
    responses.set(response, performance.now());
    const leave = this.#enter(request);
    response.once('close', () => {
      responses.delete(response);
      if (responses.size === 0) connection.inputBegan = socket.bytesRead;
      leave?.();
      if (!this.#server.listening) this.endIdle();
    });
    if (leave !== null) return true;
    answerError(request, response, TOO_MANY_REQUESTS);
    return false;
  }

  /** Counts a WebSocket until it closes. Returns false when its client has too many requests in progress. */
  admitUpgrade(request: IncomingMessage): boolean {
    const leave = this.#enter(request);
    if (leave === null) return false;
    request.socket.on('close', leave);
    this.endMessage(request.socket);
    return true;
  }

  /** Reports that a WebSocket has sent a complete message. */
  endMessage(socket: Duplex): void {
    const connection = this.#open.get(socket as Socket);
    if (connection !== undefined) connection.inputBegan = (socket as Socket).bytesRead;
  }

  /**
   * Ends all connections that are idle or have not sent a whole request. Once the server has stopped listening, each other connection
   * ends after its last response. Node's `closeIdleConnections` spares connections that never sent a request, which browsers open in
   * advance, and connections that become idle later.
   */
  endIdle(): void {
    for (const [socket, { responses }] of this.#open)
      if ([...responses.keys()].every(({ req }) => !req.complete)) socket.destroySoon();
  }

  /**
   * Cuts all streams of server-sent events. Without an event `complete`, their clients connect again. Resolves when this is done.
   * @param spread Milliseconds over which the cuts are spread, so that clients do not connect again all at once.
   */
  async cutStreams(spread: number): Promise<void> {
    const streams = [...this.#open].filter(([, { responses }]) => [...responses.keys()].some(isEventStream));
    await Promise.all(
      streams.map(async ([socket], index) => {
        await new Promise((resolve) => setTimeout(resolve, (spread * index) / streams.length));
        socket.destroySoon();
      }),
    );
  }

  /** Closes all connections at once. Node's `closeAllConnections` spares those with an unfinished TLS handshake. */
  closeAll(): void {
    for (const socket of this.#accepted) socket.destroy();
  }

  #accept(socket: Socket): void {
    const peer = socket.remoteAddress ?? '';
    const { connectionsOfAddress } = this.#limits;
    if (
      this.addressOf?.isProxy(peer) !== true &&
      this.#peers.count(networkOf(peer)) >= connectionsOfAddress
    ) {
      this.#report('CONNECTIONS_OF_ADDRESS', peer);
      socket.destroy();
      return;
    }
    const leave = this.#peers.enter(networkOf(peer));
    this.#accepted.add(socket);
    socket.on('close', () => {
      leave();
      this.#accepted.delete(socket);
    });
  }

  #add(socket: Socket): void {
    if (socket.destroyed) return;
    const connection: Connection = { responses: new Map(), inputBegan: 0, unread: 0, readAt: 0 };
    this.#open.set(socket, connection);
    socket.on('close', () => {
      this.#open.delete(socket);
      // Node reports the close only to the response that is being sent.
      for (const pending of connection.responses.keys()) if (pending.socket === null) pending.emit('close');
    });
  }

  /** Counts a request of a client. Returns what ends it, or null when the client has too many in progress. */
  #enter(request: IncomingMessage): (() => void) | null {
    if (this.addressOf === null) return () => undefined;
    const address = this.addressOf(request);
    const network = networkOf(address);
    if (this.#clients.count(network) >= this.#limits.requestsOfAddress) {
      this.#report('REQUESTS_OF_ADDRESS', address);
      return null;
    }
    return this.#clients.enter(network);
  }

  /** Closes connections whose clients do not read or whose stream is too old, and those that hold most when all together hold too much. */
  #check(): void {
    const now = performance.now();
    const { stallTimeout, minimumRate, heldBytes, lifetime } = this.#limits;
    const holders: { readonly socket: Socket; readonly bytes: number }[] = [];
    let held = 0;
    for (const [socket, connection] of this.#open) {
      const unread = unreadBytes(socket, connection);
      if (unread === 0 || unread < connection.unread || connection.unread === 0) connection.readAt = now;
      connection.unread = unread;
      const [startedAt = now] = connection.responses.values();
      const isStalled = now - connection.readAt > stallTimeout + (unread / minimumRate) * 1_000;
      // A stream that ended properly would tell its client that all events have been sent.
      if (isStalled || now - startedAt > lifetime) {
        this.#report(isStalled ? 'STALLED_READER' : 'LIFETIME', socket.remoteAddress);
        socket.destroy();
        continue;
      }
      const bytes = unread + socket.bytesRead - connection.inputBegan;
      held += bytes;
      if (bytes > 0) holders.push({ socket, bytes });
    }
    if (held <= heldBytes) return;
    for (const { socket, bytes } of holders.sort((a, b) => b.bytes - a.bytes)) {
      if (held <= heldBytes) return;
      this.#report('HELD_BYTES', socket.remoteAddress);
      socket.destroy();
      held -= bytes;
    }
  }
}

/** Whether a response is a stream of events that has not ended. */
const isEventStream = (response: ServerResponse): boolean =>
  !response.writableEnded && String(response.getHeader('content-type')).startsWith('text/event-stream');

/** What waits for the client of a connection, in its socket and in queued responses. */
function unreadBytes(socket: Socket, { responses }: Connection): number {
  let bytes = socket.writableLength;
  for (const pending of responses.keys()) if (pending.socket === null) bytes += pending.writableLength;
  return bytes;
}

/** Counts by key. */
class Counter {
  readonly #counts = new Map<string, number>();

  count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Adds one. Returns a function that subtracts it again, once. */
  enter(key: string): () => void {
    this.#counts.set(key, this.count(key) + 1);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      const rest = this.count(key) - 1;
      if (rest === 0) this.#counts.delete(key);
      else this.#counts.set(key, rest);
    };
  }
}
