// Serves GraphQL over WebSocket with the graphql-transport-ws protocol.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { GraphQLError } from 'graphql';
import { handleProtocols, makeServer } from 'graphql-ws';
import { WebSocketServer } from 'ws';
import type { IncrementalResult } from '../../operation/incremental/incremental-result.ts';
import type { TransportLimits } from '../../operation/limits.ts';
import { PreparedOperation } from '../../operation/prepared-operation.ts';
import { SocketLimits } from './socket-limits.ts';
import { SocketOperations } from './socket-operations.ts';
import {
  type SocketApi,
  type SocketContext,
  type SocketExtra,
  serveSocket,
  WrittenPayloads,
} from './socket-transport.ts';
import { ServedSocket, WebSocketUpgrades } from './websocket-upgrades.ts';

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
  /** Completes the upgrade of a connection. */
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
  const limited = new WeakMap<object, SocketLimits>();
  const limitsOf = ({ extra }: SocketContext): SocketLimits | undefined => limited.get(extra.socket);
  const upgrades = new WebSocketUpgrades(api, sockets, (socket, stream, request) => {
    const end = api.observer.socket?.({ address: api.addressOf(request) });
    if (end !== undefined) socket.onceClosed((code) => end({ code }));
    limited.set(socket, new SocketLimits(socket, stream, limits));
    socket.on('message', () => onMessage(stream));
  });
  const operations = new SocketOperations(api, upgrades, limits, limitsOf);
  const written = new WrittenPayloads();
  const server = makeServer<Record<string, unknown>, SocketExtra>({
    connectionInitWaitTimeout: limits.initTimeout,
    onConnect(context) {
      const isAccepted = operations.connect(context);
      if (isAccepted) limitsOf(context)?.accept();
      return isAccepted;
    },
    onPing: (context, payload) => limitsOf(context)?.checkPing(payload),
    onPong: (context, payload) => limitsOf(context)?.checkPing(payload),
    onSubscribe: (context, id, payload) =>
      limitsOf(context)?.acceptsId(id) === false ? TOO_LONG : operations.subscribe(context, id, payload),
    execute: runPrepared,
    subscribe: runPrepared,
    onNext(context, id, _payload, _args, result) {
      const { errors, incremental, stringify, ...rest } = result as IncrementalResult;
      const format = (list: readonly GraphQLError[]) => operations.formatErrors(context, id, list);
      const payload = {
        ...rest,
        ...(errors && { errors: format(errors) }),
        ...(incremental && {
          incremental: incremental.map((item) =>
            item.errors ? { ...item, errors: format(item.errors) } : item,
          ),
        }),
      };
      return stringify === undefined ? payload : written.add(stringify(payload));
    },
    onError(context, id, payload, errors) {
      const formatted = operations.formatErrors(context, id, errors);
      // Graphql-ws does not report the end of an operation that did not begin.
      operations.complete(context, id, payload);
      return formatted;
    },
    onComplete: (context, id, payload) => operations.complete(context, id, payload),
    onClose: (context) => operations.abortAll(context),
  });
  sockets.on('connection', (socket, request) =>
    serveSocket(
      server,
      { socket, request },
      written,
      {
        takeTurn: () => api.pipeline.takeTurn(operations.clientOf({ socket, request })),
        setWaiting: (isWaiting) => {
          const ofSocket = limited.get(socket);
          if (ofSocket !== undefined) ofSocket.isWaiting = isWaiting;
        },
        onTurn: (message) => operations.receive(socket, message),
      },
      limits.pingInterval,
      api.toClientError,
    ),
  );
  return {
    upgrade: (request, socket, head) => void upgrades.upgrade(request, socket, head),
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
