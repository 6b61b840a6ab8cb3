// Serves GraphQL over WebSocket with the graphql-transport-ws protocol.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ExecutionArgs, FormattedExecutionResult } from 'graphql';
import { CloseCode, handleProtocols, makeServer, type Server } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { isFromOwnPage } from '../../callers/requester.ts';
import type { Sessions } from '../../callers/session.ts';
import { FOREIGN_PAGE, refuseUpgrade } from '../http/server-answers.ts';
import type { HttpOptions } from '../http/yoga-bridge.ts';
import { type IncrementalResult, mapErrors } from '../results.ts';
import type { Shutdown } from '../under-way.ts';
import { createHeaderReader, type ExecutedOperation, SocketConnection } from './socket-connection.ts';

/** Time between two pings of the server; a client that does not answer one within the same time is disconnected. Milliseconds. */
const PING_INTERVAL = 12_000;
/** Time for a client to answer a close frame. Milliseconds. */
const CLOSE_ANSWER_TIMEOUT = 1_000;

/** What WebSockets are served with. */
export interface SocketApi extends Omit<HttpOptions, 'endpoint' | 'routes'> {
  readonly sessions: Pick<Sessions, 'openUpgrade'>;
  readonly shutdown: Shutdown;
}

/** The WebSockets of one facade. */
export interface SocketServer {
  /** Completes the upgrade of a connection, or refuses one that a page of another origin opens. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /**
   * Refuses upgrades, and closes all WebSockets with 1001. Resolves when they are closed.
   * @param spread Milliseconds over which the closes are spread, so that clients do not connect again all at once.
   */
  close(spread: number): Promise<void>;
}

/**
 * Serves operations over WebSocket. Clients send their credential in `connectionParams`, under the name of the HTTP header, in
 * upper or lower case.
 */
export function serveWebSockets(api: SocketApi): SocketServer {
  const { pages, addressOf, observer, limits, sessions } = api;
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols,
    maxPayload: limits.bodySize,
    // Requests of others are served between two messages that arrive together.
    allowSynchronousEvents: false,
  });
  // Without a listener a failed upgrade would end the process.
  sockets.on('error', () => undefined);
  const protocol = createProtocol();

  /** Completes an upgrade. The response carries the cookie of a session that was renewed. Never rejects. */
  const complete = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const { cookie } = request.headers;
    const address = addressOf(request);
    const header = createHeaderReader(request);
    const opened = cookie === undefined ? null : await sessions.openUpgrade({ header, address });
    const setCookie = opened?.setCookie ?? null;
    const addCookie = (headers: string[]): void => {
      if (setCookie !== null) headers.push(`Set-Cookie: ${setCookie}`);
    };
    if (setCookie !== null) request.headers.cookie = replaceCookie(cookie ?? '', setCookie);
    // Ws makes the response before `handleUpgrade` returns.
    sockets.on('headers', addCookie);
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const end = observer.socket?.({ address });
      webSocket.once('close', (code) => end?.({ code }));
      const hadSession = opened?.isOpen === true;
      const connection = new SocketConnection(webSocket, request, { address, hadSession }, api);
      serveSocket(protocol, webSocket, connection, api.toClientError);
    });
    sockets.off('headers', addCookie);
  };

  return {
    upgrade(request, socket, head) {
      // Node does not handle errors of a socket after the upgrade event.
      socket.on('error', () => socket.destroy());
      if (isFromOwnPage(createHeaderReader(request), pages)) return void complete(request, socket, head);
      const { origin = '' } = request.headers;
      observer.refusal?.({ reason: 'ORIGIN', value: origin, address: addressOf(request) });
      refuseUpgrade(socket, FOREIGN_PAGE);
    },
    async close(spread) {
      const open = [...sockets.clients];
      const timers = open.map((socket, index) =>
        setTimeout(() => socket.close(1001, 'Going away'), (spread * index) / open.length),
      );
      const terminate = (): void => open.forEach((socket) => void socket.terminate());
      timers.push(setTimeout(terminate, spread + CLOSE_ANSWER_TIMEOUT));
      await new Promise((resolve) => sockets.close(resolve));
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/**
 * Connects a WebSocket with graphql-ws, whose own adapter would write each malformed message of a client to the console.
 * @param onFailure Called with an unexpected error. The WebSocket is then closed with 4500.
 */
function serveSocket(
  protocol: Server<SocketConnection>,
  socket: WebSocket,
  connection: SocketConnection,
  onFailure: (error: unknown) => void,
): void {
  // Ws itself closes sockets with malformed frames.
  socket.on('error', () => undefined);
  const fail = (error: unknown): void => {
    if (isFaultOfMessage(error)) return void socket.close(CloseCode.BadRequest, 'Invalid message received');
    onFailure(error);
    socket.close(CloseCode.InternalServerError, 'Internal server error');
  };
  const closed = protocol.opened(
    {
      protocol: socket.protocol,
      // A failure to send means that the client has disconnected, which closes the socket.
      send: (data) =>
        new Promise((resolve) => {
          if (socket.readyState === socket.OPEN) socket.send(data, () => resolve());
          else resolve();
        }),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (handle) =>
        socket.on('message', (data) => {
          // Ws still delivers what has arrived before the client left.
          if (socket.readyState !== socket.OPEN) return;
          const message = String(data);
          handle(message).catch(fail);
          if (message.includes('"complete"')) connection.abortCompleted();
        }),
    },
    connection,
  );
  let isAnswered = true;
  const pings = setInterval(() => {
    if (!isAnswered) return socket.terminate();
    isAnswered = false;
    socket.ping();
  }, PING_INTERVAL);
  socket.on('pong', () => {
    isAnswered = true;
  });
  socket.on('close', (code, reason) => {
    clearInterval(pings);
    closed(code, String(reason)).catch(onFailure);
  });
}

/** Makes the protocol of graphql-ws, whose operations the pipeline carries out. */
const createProtocol = (): Server<SocketConnection> =>
  makeServer<Record<string, unknown>, SocketConnection>({
    onConnect: (context) => context.extra.connect(context),
    onSubscribe: ({ extra }, id, payload) => extra.subscribe(id, payload),
    // What `onSubscribe` has returned.
    execute: (executed: ExecutionArgs) => (executed as ExecutedOperation).result,
    onNext({ extra }, id, _payload, _args, result) {
      extra.checkUnread();
      const formatted = mapErrors(result as IncrementalResult, (errors) => extra.formatErrors(id, errors));
      return formatted as FormattedExecutionResult;
    },
    onError: ({ extra }, id, _payload, errors) => extra.formatErrors(id, errors),
    onComplete: ({ extra }, id, payload) => extra.complete(id, payload),
    onClose: ({ extra }) => extra.abortAll(),
  });

/**
 * Whether a message could not be handled because of what it is: of a type that only servers send, which graphql-ws reports by this text,
 * or nested so deeply that its payload cannot be written as JSON again.
 */
const isFaultOfMessage = (error: unknown): boolean =>
  error instanceof RangeError ||
  (error instanceof Error && error.message.startsWith('Unexpected message of type '));

/** The `Cookie` header that a browser sends after it has received a `Set-Cookie` header. */
function replaceCookie(cookies: string, setCookie: string): string {
  const [pair = ''] = setCookie.split('; ', 1);
  const name = pair.slice(0, pair.indexOf('=') + 1);
  const others = cookies.split(/; */).filter((one) => !one.startsWith(name));
  return [...others, pair].join('; ');
}
