// Serves GraphQL over WebSocket with the graphql-transport-ws protocol, by the adapter of graphql-ws.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ExecutionArgs, FormattedExecutionResult, GraphQLError } from 'graphql';
import { type Extra, useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import type { AddressOf } from '../../callers/client-address.ts';
import type { openUpgrade, Requester } from '../../callers/session.ts';
import type { IncrementalResult } from '../../operation/incremental/incremental-result.ts';
import type { Pipeline, PreparedOperation } from '../../operation/pipeline.ts';
import type { Shutdown } from '../../operation/shutdown.ts';
import type { Observer } from '../../telemetry/observer.ts';
import { SocketConnection } from './socket-connection.ts';
import { createUpgrade, ServedSocket } from './websocket-upgrades.ts';

/** Time between two pings of the server; a client that does not answer one within the same time is disconnected. Milliseconds. */
const PING_INTERVAL = 12_000;
/** Time for a client to answer a close frame. Milliseconds. */
const CLOSE_ANSWER_TIMEOUT = 1_000;

/** What WebSockets are served with. */
export interface SocketApi {
  readonly pipeline: Pipeline;
  readonly addressOf: AddressOf;
  readonly observer: Observer;
  readonly shutdown: Shutdown;
  /** Largest message in bytes; the same as a body. */
  readonly messageSize: number;
  /** Opens the session in the cookie of an upgrade request, and renews it if needed. Never rejects. */
  readonly openUpgrade: (upgrade: Pick<Requester, 'header' | 'address'>) => ReturnType<typeof openUpgrade>;
}

/** The WebSockets of one facade. */
export interface SocketServer {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /**
   * Refuses upgrades, and closes all WebSockets with 1001. Resolves when they are closed.
   * @param spread Milliseconds over which the closes are spread, so that clients do not connect again all at once.
   */
  close(spread: number): Promise<void>;
}

/** Graphql-ws passes what `onSubscribe` has returned. */
const runPrepared = (prepared: ExecutionArgs) => (prepared as PreparedOperation).run();

/**
 * Serves operations over WebSocket. Clients send their credential in `connectionParams`, under the name of the HTTP header, in
 * upper or lower case.
 */
export function serveWebSockets(api: SocketApi): SocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: api.messageSize,
    WebSocket: ServedSocket,
  });
  const connections = new WeakMap<object, SocketConnection>();
  const connectionOf = ({ extra }: { readonly extra: Extra }): SocketConnection =>
    connections.get(extra.socket) as SocketConnection;
  const upgrade = createUpgrade(api, sockets, (socket, request, hadSession) => {
    const end = api.observer.socket?.({ address: api.addressOf(request) });
    if (end !== undefined) socket.onceClosed((code) => end({ code }));
    connections.set(socket, new SocketConnection(socket, request, hadSession, api));
    sockets.emit('connection', socket, request);
    // Ws closes sockets with malformed frames itself; the listener of the adapter would write each to the console.
    socket.removeAllListeners('error').on('error', () => undefined);
  });
  useServer<Record<string, unknown>>(
    {
      onConnect: (context) => connectionOf(context).connect(context.connectionParams),
      onSubscribe: (context, id, payload) => connectionOf(context).subscribe(id, payload),
      execute: runPrepared,
      subscribe: runPrepared,
      onNext(context, id, _payload, _args, result) {
        const connection = connectionOf(context);
        connection.checkUnread();
        const { errors, incremental, ...rest } = result as IncrementalResult;
        const format = (list: readonly GraphQLError[]) => connection.formatErrors(id, list);
        return {
          ...rest,
          ...(errors && { errors: format(errors) }),
          ...(incremental && {
            incremental: incremental.map((part) =>
              part.errors ? { ...part, errors: format(part.errors) } : part,
            ),
          }),
        } as FormattedExecutionResult;
      },
      onError(context, id, payload, errors) {
        const connection = connectionOf(context);
        const formatted = connection.formatErrors(id, errors);
        // Graphql-ws does not report the end of an operation that did not begin.
        connection.complete(id, payload);
        return formatted;
      },
      onComplete: (context, id, payload) => connectionOf(context).complete(id, payload),
      onClose: (context) => connectionOf(context).abortAll(),
    },
    sockets,
    PING_INTERVAL,
  );
  // A failed upgrade ends with its connection. The listener of the adapter would close all WebSockets.
  sockets.removeAllListeners('error').on('error', () => undefined);
  return {
    upgrade: (request, socket, head) => void upgrade(request, socket, head),
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
