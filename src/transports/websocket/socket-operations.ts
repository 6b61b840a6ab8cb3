// Runs the GraphQL operations of WebSockets.
import {
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLError,
  type GraphQLFormattedError,
  getOperationAST,
} from 'graphql';
import { CloseCode, MessageType, type SubscribePayload, stringifyMessage } from 'graphql-ws';
import { StaleTokenError } from '../../callers/browsers/browser-sessions.ts';
import type { Facade } from '../../facade/facade.ts';
import { InvalidInputError } from '../../loaders/errors.ts';
import { OperationLimitError } from '../../operation/errors.ts';
import type { TransportLimits } from '../../operation/limits.ts';
import { openReported } from '../../operation/reports/operation-report.ts';
import { formatError } from '../../operation/results.ts';
import { SocketOperation } from './socket-operation.ts';
import type { SocketContext } from './socket-transport.ts';
import { findParamsProblem } from './websocket-headers.ts';
import type { WebSocketUpgrades } from './websocket-upgrades.ts';

type OperationsLimits = Pick<TransportLimits, 'operations' | 'operationsSize' | 'streams' | 'streamSize'>;

/** The operations of all connections. */
export class SocketOperations {
  readonly #facade: Facade;
  readonly #upgrades: WebSocketUpgrades;
  readonly #limits: OperationsLimits;
  /** By connection and operation id. */
  readonly #running = new WeakMap<SocketContext, Map<string, SocketOperation>>();

  constructor(facade: Facade, upgrades: WebSocketUpgrades, limits: OperationsLimits) {
    this.#facade = facade;
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

  /** Opens the session of an operation, and prepares its execution. Returns errors when it cannot be executed. */
  async subscribe(
    context: SocketContext,
    id: string,
    payload: SubscribePayload,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const operations = this.#operationsOn(context);
    const operation = new SocketOperation(this.#facade, context, payload);
    // The client may use the id of an operation again that it has ended.
    operations.get(id)?.report?.end(null, true);
    operations.set(id, operation);
    try {
      const { operations: maxOperations, operationsSize, streams } = this.#limits;
      if (operations.size > maxOperations + streams) throw tooMany(maxOperations + streams, 'operations');
      const size = [...operations.values()].reduce((sum, one) => sum + one.size, 0);
      if (size > operationsSize) throw tooMany(operationsSize, 'characters of operations');
      const begin = (document: DocumentNode): void => this.#begin(operation, document, operations);
      return await this.#prepare(operation, begin);
    } catch (error) {
      const failure = this.#facade.toClientError(error);
      // The upgrade of a new connection can renew the session, unless it has just failed to for this connection.
      if (error instanceof StaleTokenError && this.#upgrades.hadSession(context.extra.request))
        this.#endConnection(context, formatError(failure, operation.requestId));
      return [failure];
    }
  }

  /** @param begin Throws when the operation of the document may not begin. */
  async #prepare(
    operation: SocketOperation,
    begin: (document: DocumentNode) => void,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const { report, payload } = operation;
    const params = this.#facade.documents.resolve(payload);
    const unread = { params, documents: this.#facade.documents };
    const session = await openReported(report, unread, () => this.#facade.openSession(operation, report));
    operation.hasBegun = true;
    const context = { session, params, ...(report && { report }) };
    const { known, yoga } = this.#facade;
    const found = known?.find(params, context) ?? null;
    if (known !== null && found !== null) {
      begin(found);
      return known.prepare(found, params, context, known.executor);
    }
    const { schema, parse, validate, contextFactory, execute, subscribe } = yoga.getEnveloped(context);
    const document = parse(params.query);
    const errors = validate(schema, document);
    if (errors.length > 0) return errors as readonly GraphQLError[];
    begin(document);
    return {
      schema,
      operationName: payload.operationName ?? null,
      document,
      variableValues: payload.variables ?? null,
      contextValue: await contextFactory(),
      rootValue: { execute, subscribe },
    };
  }

  /** Begins an operation, whose document shows of which kind it is. @throws the error of an operation that may not begin. */
  #begin(
    operation: SocketOperation,
    document: DocumentNode,
    operations: ReadonlyMap<string, SocketOperation>,
  ): void {
    const { operations: maxOperations, streamSize } = this.#limits;
    if (getOperationAST(document, operation.payload.operationName)?.operation === 'subscription') {
      operation.kind = 'stream';
      operation.leave();
      if (operation.size > streamSize)
        throw new InvalidInputError(`A subscription has at most ${streamSize} characters; shorten it.`);
      return;
    }
    operation.kind = 'single-result';
    // A subscription ends with its connection, after which its client subscribes again elsewhere.
    const { refusal } = this.#facade.shutdown;
    if (refusal !== null) throw refusal;
    const singleResults = [...operations.values()].filter(({ kind }) => kind === 'single-result').length;
    if (singleResults > maxOperations) throw tooMany(maxOperations, 'queries and mutations');
  }

  /**
   * Formats the errors of an operation's result. An error with the code UNAUTHENTICATED also ends the connection.
   * @param data The data of the result; undefined for none.
   */
  formatErrors(
    context: SocketContext,
    id: string,
    errors: readonly GraphQLError[],
    data?: unknown,
  ): readonly GraphQLFormattedError[] {
    const { requestId = '', report } = this.#operationsOn(context).get(id) ?? {};
    const formatted = errors.map((error) => formatError(error, requestId));
    report?.addResult({ data, errors: formatted });
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
    for (const [id, { requestId, hasBegun }] of this.#operationsOn(context)) {
      if (id === answeredId || !hasBegun) continue;
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
