// Serves GraphQL over WebSocket with the graphql-transport-ws protocol.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { GraphQLError } from 'graphql';
import { handleProtocols, makeServer } from 'graphql-ws';
import { WebSocketServer } from 'ws';
import type { IncrementalResult } from '../../operation/incremental/incremental-result.ts';
import type { TransportLimits } from '../../operation/limits.ts';
import { PreparedOperation } from '../../operation/prepared-operation.ts';
import { SocketConnection } from './socket-connection.ts';
import { type SocketApi, serveSocket, WrittenPayloads } from './socket-transport.ts';
import { createUpgrade, ServedSocket } from './websocket-upgrades.ts';

/** Time for a client to answer a close frame. Milliseconds. */
const CLOSE_ANSWER_TIMEOUT = 1_000;

/** What an operation gets whose id closes the connection; nobody receives it. */
const TOO_LONG: readonly GraphQLError[] = [new GraphQLError('The id of the operation is too long.')];

/** Graphql-ws passes what `onSubscribe` has returned. */
function runPrepared(prepared: unknown): ReturnType<PreparedOperation['run']> {
  if (!(prepared instanceof PreparedOperation)) throw new TypeError('expected a prepared operation');
  return prepared.run();
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

/**
 * Serves operations over WebSocket. Clients send their credential in `connectionParams`, under the name of the HTTP header, in
 * upper or lower case.
 * @param onMessage Called with the connection when a message is complete.
 */
export function serveWebSockets(
  api: SocketApi,
  limits: TransportLimits,
  onMessage: (stream: Duplex) => void,
): SocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.messageSize,
    handleProtocols,
    WebSocket: ServedSocket,
  });
  // Without a listener a failed upgrade would end the process.
  sockets.on('error', () => undefined);
  const written = new WrittenPayloads();
  const server = makeServer<Record<string, unknown>, SocketConnection>({
    // `SocketLimits` counts only the time for which the client is late.
    connectionInitWaitTimeout: 0,
    onConnect: ({ connectionParams, extra }) => extra.connect(connectionParams),
    onPing: ({ extra }, payload) => extra.limits.checkPing(payload),
    onPong: ({ extra }, payload) => extra.limits.checkPing(payload),
    onSubscribe: ({ extra }, id, payload) =>
      extra.limits.acceptsId(id) ? extra.subscribe(id, payload) : TOO_LONG,
    execute: runPrepared,
    subscribe: runPrepared,
    onNext({ extra }, id, _payload, _args, result) {
      const { errors, incremental, encode, ...rest } = result as IncrementalResult;
      const format = (list: readonly GraphQLError[]) => extra.formatErrors(id, list);
      const payload = {
        ...rest,
        ...(errors && { errors: format(errors) }),
        ...(incremental && {
          incremental: incremental.map((item) =>
            item.errors ? { ...item, errors: format(item.errors) } : item,
          ),
        }),
      };
      return encode === undefined ? payload : written.add(encode(payload));
    },
    onError({ extra }, id, payload, errors) {
      const formatted = extra.formatErrors(id, errors);
      // Graphql-ws does not report the end of an operation that did not begin.
      extra.complete(id, payload);
      return formatted;
    },
    onComplete: ({ extra }, id, payload) => extra.complete(id, payload),
    onClose: ({ extra }) => extra.abortAll(),
  });
  const upgrade = createUpgrade(api, sockets, (socket, stream, request, hadSession) => {
    const end = api.observer.socket?.({ address: api.addressOf(request) });
    if (end !== undefined) socket.onceClosed((code) => end({ code }));
    const connection = new SocketConnection(socket, stream, request, hadSession, api, limits);
    socket.on('message', () => onMessage(stream));
    serveSocket(server, connection, written, limits.pingInterval, api.toClientError);
  });
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
