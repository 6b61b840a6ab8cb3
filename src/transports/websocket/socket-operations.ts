// Runs the GraphQL operations of WebSockets.
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { CloseCode, MessageType, type SubscribePayload, stringifyMessage } from 'graphql-ws';
import { InvalidInputError } from '../../loaders/errors.ts';
import { OperationLimitError } from '../../operation/errors.ts';
import type { TransportLimits } from '../../operation/limits.ts';
import { PreparedOperation } from '../../operation/prepared-operation.ts';
import { formatError } from '../../operation/results.ts';
import { SocketOperation } from './socket-operation.ts';
import type { SocketApi, SocketContext } from './socket-transport.ts';
import { findParamsProblem } from './websocket-headers.ts';
import type { WebSocketUpgrades } from './websocket-upgrades.ts';

type OperationsLimits = Pick<TransportLimits, 'operations' | 'operationsSize' | 'streams' | 'streamSize'>;

/** The operations of all connections. */
export class SocketOperations {
  readonly #api: SocketApi;
  readonly #upgrades: WebSocketUpgrades;
  readonly #limits: OperationsLimits;
  /** By connection and operation id. */
  readonly #running = new WeakMap<SocketContext, Map<string, SocketOperation>>();

  constructor(api: SocketApi, upgrades: WebSocketUpgrades, limits: OperationsLimits) {
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
    // Graphql-ws reports the Complete message for a single-result operation only after the result, too late to abort it.
    extra.socket.on('message', (data) => {
      const id = readCompletedId(String(data));
      if (id !== null) this.#operationsOn(context).get(id)?.abort();
    });
    return true;
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
    });
    // The client may use the id of an operation again that it has ended.
    operations.get(id)?.report?.end(null, true);
    operations.set(id, operation);
    const prepared = await this.#api.pipeline.prepare(operation);
    if (prepared instanceof PreparedOperation) return prepared;
    const { errors = [] } = prepared;
    // The upgrade of a new connection can renew the session, unless it has just failed to for this connection.
    if (operation.hasStaleToken && this.#upgrades.hadSession(context.extra.request))
      for (const error of errors) this.#endConnection(context, formatError(error));
    return errors;
  }

  /** @throws OperationLimitError when too much of a connection is under way. */
  #checkRoom(operations: ReadonlyMap<string, SocketOperation>): void {
    const { operations: maxOperations, operationsSize, streams } = this.#limits;
    if (operations.size > maxOperations + streams) throw tooMany(maxOperations + streams, 'operations');
    const size = [...operations.values()].reduce((sum, one) => sum + one.size, 0);
    if (size > operationsSize) throw tooMany(operationsSize, 'characters of operations');
  }

  /** Admits an operation when its kind is known. @throws the error of an operation that may not begin. */
  #admit({ kind, size }: SocketOperation, operations: ReadonlyMap<string, SocketOperation>): void {
    const { operations: maxOperations, streamSize } = this.#limits;
    if (kind === 'stream' && size > streamSize)
      throw new InvalidInputError(`A subscription has at most ${streamSize} characters; shorten it.`);
    const singleResults = [...operations.values()].filter((one) => one.kind === 'single-result').length;
    if (kind !== 'stream' && singleResults > maxOperations)
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

  /** Aborts all operations of a closed connection. */
  abortAll(context: SocketContext): void {
    for (const operation of this.#operationsOn(context).values()) {
      operation.report?.end(null, true);
      operation.abort();
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

  #operationsOn(context: SocketContext): Map<string, SocketOperation> {
    const operations = this.#running.get(context) ?? new Map<string, SocketOperation>();
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
