// Connects WebSockets of ws to graphql-ws: messages come in their client's turn, and large payloads go as they are written. Unlike the
// adapter of graphql-ws, it writes no failures of clients to the console.
import { randomUUID } from 'node:crypto';
import type { FormattedExecutionResult } from 'graphql';
import { CloseCode, type Server } from 'graphql-ws';
import type { RawData } from 'ws';
import type { AddressOf } from '../../callers/client-address.ts';
import type { openUpgrade, Requester } from '../../callers/session.ts';
import type { Pipeline } from '../../operation/pipeline.ts';
import type { Shutdown } from '../../operation/shutdown.ts';
import type { Observer } from '../../telemetry/observer.ts';
import { encodeLong } from '../result-pieces.ts';
import type { SocketConnection } from './socket-connection.ts';

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

/**
 * Serves one WebSocket until it closes.
 * @param connection What graphql-ws passes to the functions of the server.
 * @param written The payloads that its messages only refer to.
 * @param pingInterval Milliseconds between two pings. A client that has not answered one until the next is disconnected.
 * @param onFailure Called with an unexpected error. The WebSocket is then closed with 4500.
 */
export function serveSocket(
  server: Server<SocketConnection>,
  connection: SocketConnection,
  written: WrittenPayloads,
  pingInterval: number,
  onFailure: (error: unknown) => void,
): void {
  const { socket } = connection;
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
          const fragments = written.fill(data);
          if (socket.readyState !== socket.OPEN) return resolve();
          const last = fragments.pop() ?? '';
          for (const fragment of fragments) socket.send(fragment, { binary: false, fin: false });
          socket.send(last, { binary: false }, () => resolve());
        }),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (handle) => {
        const messages = new SocketMessages(connection, (message) => void handle(message).catch(onError));
        socket.on('message', (data) => messages.receive(data)).on('close', () => messages.close());
      },
    },
    connection,
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

/**
 * The messages of one WebSocket. While one waits, the others wait behind it, so that they are handled in their order. They are few: the
 * WebSocket is not read meanwhile, so only what it has read at once can follow.
 */
class SocketMessages {
  readonly #connection: SocketConnection;
  readonly #handle: (message: string) => void;
  readonly #waiting: RawData[] = [];
  #isWaiting = false;

  constructor(connection: SocketConnection, handle: (message: string) => void) {
    this.#connection = connection;
    this.#handle = handle;
  }

  receive(message: RawData): void {
    this.#waiting.push(message);
    if (!this.#isWaiting) this.#handleAll();
  }

  /** Forgets what waits. */
  close(): void {
    this.#waiting.length = 0;
  }

  #handleAll(): void {
    while (this.#waiting.length > 0) {
      const turn = this.#connection.takeTurn();
      if (turn !== undefined) {
        this.#isWaiting = true;
        this.#connection.limits.isWaiting = true;
        void turn.then(() => {
          this.#isWaiting = false;
          this.#handleFirst();
          this.#handleAll();
        });
        return;
      }
      this.#handleFirst();
    }
    this.#connection.limits.isWaiting = false;
  }

  #handleFirst(): void {
    const data = this.#waiting.shift();
    // The WebSocket has closed.
    if (data === undefined) return;
    const message = String(data);
    if (this.#connection.receive(message)) this.#handle(message);
  }
}

/** Payloads that are written already, of messages that graphql-ws is about to write. */
export class WrittenPayloads {
  readonly #mark = randomUUID();
  readonly #payloads = new Map<string, readonly Buffer[]>();
  #count = 0;

  /** Returns what stands for a payload until its message is sent. @param pieces Its JSON. */
  add(pieces: readonly Buffer[]): FormattedExecutionResult & { toJSON(): string } {
    this.#count += 1;
    const mark = `${this.#mark}:${this.#count}`;
    this.#payloads.set(mark, pieces);
    return { toJSON: () => mark };
  }

  /** Puts the payload into a message; graphql-ws writes the payload at the end of it. Returns the fragments of the message. */
  fill(message: string): (string | Buffer)[] {
    if (this.#payloads.size === 0) return [encodeLong(message)];
    const start = message.lastIndexOf('"', message.length - 3);
    const mark = message.slice(start + 1, -2);
    const pieces = this.#payloads.get(mark);
    if (pieces === undefined) return [encodeLong(message)];
    this.#payloads.delete(mark);
    return [message.slice(0, start), ...pieces, '}'];
  }
}
