// Connects WebSockets of ws to graphql-ws. Unlike the adapter of graphql-ws, it writes no failures of clients to the console.
import type { IncomingMessage } from 'node:http';
import { CloseCode, type Context, type Server } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { AddressOf } from '../../callers/client-address.ts';
import type { openUpgrade, Requester } from '../../callers/session.ts';
import type { Pipeline } from '../../operation/pipeline.ts';
import type { Shutdown } from '../../operation/shutdown.ts';
import type { Observer } from '../../telemetry/observer.ts';
import { encodeLong } from '../long-text.ts';
import { type MessageTurns, SocketMessages } from './socket-messages.ts';
import type { WrittenPayloads } from './written-payloads.ts';

/** What WebSockets are served with. */
export interface SocketApi {
  readonly pipeline: Pipeline;
  readonly addressOf: AddressOf;
  readonly observer: Observer;
  readonly shutdown: Shutdown;
  /** Opens the session in the cookie of an upgrade request, and renews it if needed. Never rejects. */
  readonly openUpgrade: (upgrade: Pick<Requester, 'header' | 'address'>) => ReturnType<typeof openUpgrade>;
  /** Logs an error that has no client. */
  readonly toClientError: (error: unknown) => unknown;
}

/** What graphql-ws knows of a connection. */
export interface SocketExtra {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
}

/** A connection, as graphql-ws knows it. */
export type SocketContext = Context<Record<string, unknown>, SocketExtra>;

/**
 * Serves one WebSocket until it closes.
 * @param written The payloads that its messages only refer to.
 * @param turns Lets its messages take turns with the work of other clients.
 * @param pingInterval Milliseconds between two pings. A client that has not answered one until the next is disconnected.
 * @param onFailure Called with an unexpected error. The WebSocket is then closed with 4500.
 */
export function serveSocket(
  server: Server<SocketExtra>,
  { socket, request }: SocketExtra,
  written: WrittenPayloads,
  turns: MessageTurns,
  pingInterval: number,
  onFailure: (error: unknown) => void,
): void {
  // Ws itself closes sockets with malformed frames.
  socket.on('error', () => undefined);
  const onError = (error: unknown): void => {
    if (isFaultOfMessage(error)) return void socket.close(CloseCode.BadRequest, 'Invalid message received');
    onFailure(error);
    socket.close(CloseCode.InternalServerError, 'Internal server error');
  };
  const closed = server.opened(
    {
      protocol: socket.protocol,
      // A failure to send means that the client has disconnected, which closes the socket.
      send: (data) =>
        new Promise((resolve) => {
          const message = written.fill(data);
          if (socket.readyState !== socket.OPEN) resolve();
          else socket.send(encodeLong(message), { binary: false }, () => resolve());
        }),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (handle) => {
        const messages = new SocketMessages(turns, (message) => void handle(message).catch(onError));
        socket.on('message', (data) => messages.receive(String(data))).on('close', () => messages.close());
      },
    },
    { socket, request },
  );
  let isAnswered = true;
  const pings = setInterval(() => {
    if (!isAnswered) return socket.terminate();
    isAnswered = false;
    socket.ping();
  }, pingInterval);
  socket.on('pong', () => {
    isAnswered = true;
  });
  socket.on('close', (code, reason) => {
    clearInterval(pings);
    closed(code, String(reason)).catch(onFailure);
  });
}

/**
 * Whether a message could not be handled because of what it is: of a type that only servers send, which graphql-ws reports by this text,
 * or nested so deeply that its payload cannot be written as JSON again.
 */
const isFaultOfMessage = (error: unknown): boolean =>
  error instanceof RangeError ||
  (error instanceof Error && error.message.startsWith('Unexpected message of type '));
