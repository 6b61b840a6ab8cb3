// Runs the GraphQL operations of WebSockets, and holds what is known of each connection.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { CloseCode, MessageType, type SubscribePayload, stringifyMessage } from 'graphql-ws';
import { InvalidInputError } from '../../loaders/errors.ts';
import { OperationLimitError } from '../../operation/errors.ts';
import type { TransportLimits } from '../../operation/limits.ts';
import { PreparedOperation } from '../../operation/prepared-operation.ts';
import { formatError } from '../../operation/results/results.ts';
import type { Client } from '../../scheduling/client.ts';
import type { HeaderReader } from '../../upstream/http/caller.ts';
import { SocketLimits } from './socket-limits.ts';
import { RunningOperations, SocketOperation } from './socket-operation.ts';
import type { SocketApi } from './socket-transport.ts';
import { type ConnectionParams, createHeaderReader, findParamsProblem } from './websocket-headers.ts';
import type { ServedSocket } from './websocket-upgrades.ts';

/** One WebSocket, from its upgrade to its end. */
export class SocketConnection {
  readonly socket: ServedSocket;
  readonly request: IncomingMessage;
  /** Whether the cookie of the upgrade request held a session that the upstream knew. */
  readonly hadSession: boolean;
  readonly limits: SocketLimits;
  readonly operations = new RunningOperations();
  /** Set when its ConnectionInit message is accepted. */
  params: ConnectionParams;

  /** @param stream The connection under the WebSocket. */
  constructor(
    socket: ServedSocket,
    stream: Duplex,
    request: IncomingMessage,
    hadSession: boolean,
    limits: TransportLimits,
  ) {
    this.socket = socket;
    this.request = request;
    this.hadSession = hadSession;
    this.limits = new SocketLimits(socket, stream, limits);
  }

  /** Reads the headers that hold for all its messages. */
  get header(): HeaderReader {
    return createHeaderReader(this.request, this.params);
  }
}

type OperationsLimits = Pick<TransportLimits, 'operations' | 'operationsSize' | 'streams' | 'streamSize'>;

/** Runs the operations of all connections. */
export class SocketOperations {
  readonly #api: SocketApi;
  readonly #limits: OperationsLimits;

  constructor(api: SocketApi, limits: OperationsLimits) {
    this.#api = api;
    this.#limits = limits;
  }

  /** Accepts the ConnectionInit message of a connection, or closes the connection with the reason and returns false. */
  connect(connection: SocketConnection, params: ConnectionParams): boolean {
    const problem = findParamsProblem(params);
    if (problem !== null) {
      connection.socket.close(CloseCode.BadRequest, problem);
      return false;
    }
    connection.params = params;
    connection.limits.accept();
    return true;
  }

  /**
   * Reads a message before graphql-ws does, which reports the Complete message for a single-result operation only after the result: too
   * late to abort it.
   */
  receive({ operations }: SocketConnection, message: string): void {
    const id = readCompletedId(message);
    if (id !== null) operations.get(id)?.abort();
  }

  /** Whose work the messages of a connection are. */
  clientOf({ header, request }: SocketConnection): Client {
    const { pipeline, addressOf } = this.#api;
    return pipeline.findClient({ header, address: addressOf(request) });
  }

  /** Prepares the execution of an operation. Returns errors when it may not be executed. */
  async subscribe(
    connection: SocketConnection,
    id: string,
    payload: SubscribePayload,
  ): Promise<PreparedOperation | readonly GraphQLError[]> {
    const { operations, limits, header, request } = connection;
    const operation = new SocketOperation(this.#api, payload, {
      onArrival: () => this.#checkRoom(operations),
      onAdmission: () => this.#admit(operation, operations),
      writeInOrder: (write) => limits.writeInOrder(write),
      header,
      address: this.#api.addressOf(request),
    });
    // The client may use the id of an operation again that it has ended.
    operations.get(id)?.report?.end(null, true);
    operations.add(id, operation);
    const prepared = await this.#api.pipeline.prepare(operation);
    if (prepared instanceof PreparedOperation) return prepared;
    const { errors = [] } = prepared;
    // The upgrade of a new connection can renew the session, unless it has just failed to for this connection.
    if (operation.hasStaleToken && connection.hadSession)
      for (const error of errors) this.#endConnection(connection, formatError(error));
    return errors;
  }

  /** @throws OperationLimitError when too much of a connection is under way. */
  #checkRoom({ count, size }: RunningOperations): void {
    const { operations: maxOperations, operationsSize, streams } = this.#limits;
    if (count > maxOperations + streams) throw tooMany(maxOperations + streams, 'operations');
    if (size > operationsSize) throw tooMany(operationsSize, 'characters of operations');
  }

  /** Admits an operation when its kind is known. @throws the error of an operation that may not begin. */
  #admit(operation: SocketOperation, operations: RunningOperations): void {
    const { kind, size } = operation;
    const { operations: maxOperations, streamSize } = this.#limits;
    if (kind === 'stream' && size > streamSize)
      throw new InvalidInputError(
        `A subscription or live query has at most ${streamSize} characters; shorten it.`,
      );
    operations.admit(operation);
    if (kind !== 'stream' && operations.singleResults > maxOperations)
      throw tooMany(maxOperations, 'queries and mutations');
  }

  /** Formats errors for the client. An error with the code UNAUTHENTICATED also ends the connection. */
  formatErrors(
    connection: SocketConnection,
    id: string,
    errors: readonly GraphQLError[],
  ): readonly GraphQLFormattedError[] {
    const formatted = errors.map(formatError);
    const unauthenticated = formatted.find(({ extensions }) => extensions?.['code'] === 'UNAUTHENTICATED');
    // Graphql-ws sends these errors after this call; the connection ends after that.
    if (unauthenticated !== undefined)
      setImmediate(() => this.#endConnection(connection, unauthenticated, id));
    return formatted;
  }

  /** Aborts and removes an operation that the client has completed. */
  complete({ operations }: SocketConnection, id: string, payload: object): void {
    const operation = operations.get(id);
    // A new operation may have the same id already.
    if (operation?.payload !== payload) return;
    operation.report?.end(null, operation.leaving.aborted);
    operation.abort();
    operations.delete(id);
  }

  /** Aborts all operations of a closed connection, in its client's turns: there may be a thousand, each with a line of the log. */
  async abortAll(connection: SocketConnection): Promise<void> {
    const client = this.clientOf(connection);
    for (const [, operation] of connection.operations) {
      operation.report?.end(null, true);
      operation.abort();
      const paused = this.#api.pipeline.processor.pause(client);
      if (paused !== undefined) await paused;
    }
  }

  /**
   * Ends a connection whose credential has ended. Operations that have begun get the error; the stock client reconnects, and sends
   * the others again.
   * @param answeredId The operation that has got the error already.
   */
  #endConnection(
    { socket, operations }: SocketConnection,
    { message, extensions }: GraphQLFormattedError,
    answeredId?: string,
  ): void {
    for (const [id, { requestId, kind }] of operations) {
      if (id === answeredId || kind === 'unknown') continue;
      const payload = [{ message, extensions: { ...extensions, requestId } }];
      socket.send(stringifyMessage({ id, type: MessageType.Error, payload }));
    }
    socket.close(CloseCode.Forbidden, 'Forbidden');
  }
}

function tooMany(limit: number, what: string): OperationLimitError {
  return new OperationLimitError(`This connection has ${limit} ${what} under way already.`);
}

/** The operation id of a Complete message; null for any other message. */
function readCompletedId(message: string): string | null {
  if (!message.includes('"complete"')) return null;
  try {
    const { type, id } = JSON.parse(message) as { readonly type?: unknown; readonly id?: unknown };
    return type === MessageType.Complete && typeof id === 'string' ? id : null;
  } catch {
    return null;
  }
}
