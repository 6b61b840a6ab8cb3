// Runs the GraphQL operations of WebSockets.
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { CloseCode, MessageType, type SubscribePayload, stringifyMessage } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { InvalidInputError } from '../../loaders/errors.ts';
import { OperationLimitError } from '../../operation/errors.ts';
import type { TransportLimits } from '../../operation/limits.ts';
import { PreparedOperation } from '../../operation/prepared-operation.ts';
import { formatError } from '../../operation/results/results.ts';
import type { Client } from '../../scheduling/client.ts';
import type { SocketLimits } from './socket-limits.ts';
import { RunningOperations, SocketOperation } from './socket-operation.ts';
import type { SocketApi, SocketContext, SocketExtra } from './socket-transport.ts';
import { createHeaderReader, findParamsProblem } from './websocket-headers.ts';
import type { WebSocketUpgrades } from './websocket-upgrades.ts';

type OperationsLimits = Pick<TransportLimits, 'operations' | 'operationsSize' | 'streams' | 'streamSize'>;

/** The operations of all connections. */
export class SocketOperations {
  readonly #api: SocketApi;
  readonly #upgrades: WebSocketUpgrades;
  readonly #limits: OperationsLimits;
  readonly #limitsOf: (context: SocketContext) => SocketLimits | undefined;
  readonly #running = new WeakMap<SocketContext, RunningOperations>();
  /** The connections whose ConnectionInit message is accepted. */
  readonly #contexts = new WeakMap<WebSocket, SocketContext>();

  constructor(
    api: SocketApi,
    upgrades: WebSocketUpgrades,
    limits: OperationsLimits,
    limitsOf: (context: SocketContext) => SocketLimits | undefined,
  ) {
    this.#limitsOf = limitsOf;
    this.#api = api;
    this.#upgrades = upgrades;
    this.#limits = limits;
  }

  /** Accepts a connection, or closes it with the reason and returns false. */
  connect(context: SocketContext): boolean {
    const { connectionParams, extra } = context;
    const problem = findParamsProblem(connectionParams);
    if (problem !== null) {
      extra.socket.close(CloseCode.BadRequest, problem);
      return false;
    }
    this.#contexts.set(extra.socket, context);
    return true;
  }

  /**
   * Reads a message before graphql-ws does, which reports the Complete message for a single-result operation only after the result: too
   * late to abort it.
   */
  receive(socket: WebSocket, message: string): void {
    const context = this.#contexts.get(socket);
    const id = context && readCompletedId(message);
    if (context && id) this.#operationsOn(context).get(id)?.abort();
  }

  /** Whose work the messages of a connection are. */
  clientOf({ socket, request }: SocketExtra): Client {
    const { pipeline, addressOf } = this.#api;
    const header = createHeaderReader(request, this.#contexts.get(socket)?.connectionParams);
    return pipeline.findClient({ header, address: addressOf(request) });
  }

  /** Prepares the execution of an operation. Returns errors when it may not be executed. */
  async subscribe(
    context: SocketContext,
    id: string,
    payload: SubscribePayload,
  ): Promise<PreparedOperation | readonly GraphQLError[]> {
    const operations = this.#operationsOn(context);
    const operation = new SocketOperation(this.#api, context, payload, {
      onArrival: () => this.#checkRoom(operations),
      onAdmission: () => this.#admit(operation, operations),
      writeInOrder: (write) => this.#limitsOf(context)?.writeInOrder(write) ?? write(),
    });
    // The client may use the id of an operation again that it has ended.
    operations.get(id)?.report?.end(null, true);
    operations.add(id, operation);
    const prepared = await this.#api.pipeline.prepare(operation);
    if (prepared instanceof PreparedOperation) return prepared;
    const { errors = [] } = prepared;
    // The upgrade of a new connection can renew the session, unless it has just failed to for this connection.
    if (operation.hasStaleToken && this.#upgrades.hadSession(context.extra.request))
      for (const error of errors) this.#endConnection(context, formatError(error));
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
    context: SocketContext,
    id: string,
    errors: readonly GraphQLError[],
  ): readonly GraphQLFormattedError[] {
    const formatted = errors.map(formatError);
    const unauthenticated = formatted.find(({ extensions }) => extensions?.['code'] === 'UNAUTHENTICATED');
    // Graphql-ws sends these errors after this call; the connection ends after that.
    if (unauthenticated !== undefined) setImmediate(() => this.#endConnection(context, unauthenticated, id));
    return formatted;
  }

  /** Aborts and removes an operation that the client has completed. */
  complete(context: SocketContext, id: string, payload: object): void {
    const operation = this.#operationsOn(context).get(id);
    // A new operation may have the same id already.
    if (operation?.payload !== payload) return;
    operation.report?.end(null, operation.leaving.aborted);
    operation.abort();
    this.#operationsOn(context).delete(id);
  }

  /** Aborts all operations of a closed connection, in its client's turns: there may be a thousand, each with a line of the log. */
  async abortAll(context: SocketContext): Promise<void> {
    const client = this.clientOf(context.extra);
    for (const [, operation] of this.#operationsOn(context)) {
      operation.report?.end(null, true);
      operation.abort();
      const paused = this.#api.pipeline.pause(client);
      if (paused !== undefined) await paused;
    }
  }

  /**
   * Ends a connection whose credential has ended. Operations that have begun get the error; the stock client reconnects, and sends
   * the others again.
   * @param answeredId The operation that has got the error already.
   */
  #endConnection(
    context: SocketContext,
    { message, extensions }: GraphQLFormattedError,
    answeredId?: string,
  ): void {
    const { socket } = context.extra;
    for (const [id, { requestId, kind }] of this.#operationsOn(context)) {
      if (id === answeredId || kind === 'unknown') continue;
      const payload = [{ message, extensions: { ...extensions, requestId } }];
      socket.send(stringifyMessage({ id, type: MessageType.Error, payload }));
    }
    socket.close(CloseCode.Forbidden, 'Forbidden');
  }

  #operationsOn(context: SocketContext): RunningOperations {
    const operations = this.#running.get(context) ?? new RunningOperations();
    this.#running.set(context, operations);
    return operations;
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
