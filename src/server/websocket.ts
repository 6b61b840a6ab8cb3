// Serves GraphQL over WebSocket with the graphql-transport-ws protocol.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLFormattedError,
  getOperationAST,
} from 'graphql';
import {
  CloseCode,
  type Context,
  GRAPHQL_TRANSPORT_WS_PROTOCOL,
  MessageType,
  type SubscribePayload,
  stringifyMessage,
} from 'graphql-ws';
import { type Extra, useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { StaleTokenError } from '../auth/browser-sessions.ts';
import { OperationLimitError } from '../upstream/errors/request-errors.ts';
import type { Facade } from './facade.ts';
import { formatError, withCost } from './results.ts';
import type { Requester } from './session.ts';
import { createHeaderReader, findParamsProblem } from './websocket-headers.ts';
import { WebSocketUpgrades } from './websocket-upgrades.ts';
import { withoutFailedData } from './whole-failure.ts';

/** Limits of a connection. */
export interface WebSocketOptions {
  /** Longest wait for the ConnectionInit message, in milliseconds; default 3,000. */
  readonly initTimeout?: number;
  /** Time between two pings, in milliseconds; default 12,000. A client that does not answer a ping is disconnected. */
  readonly keepAlive?: number;
}

/** Queries and mutations that one connection may have under way. */
const MAX_OPERATIONS = 200;

/** Largest message, in bytes. */
const MAX_MESSAGE_SIZE = 1_000_000;

type SocketContext = Context<Record<string, unknown>, Extra>;

/** An operation under way. */
interface RunningOperation {
  /** Whether its session is open, so that it may have had effects. */
  hasBegun: boolean;
  /** Whether it is a subscription, which does not count for MAX_OPERATIONS. */
  isStream: boolean;
  /** Payload of its Subscribe message. Identifies the operation, because the client may use the id again while it ends. */
  readonly payload: object;
  readonly requestId: string;
  readonly controller: AbortController;
}

/** The functions that yoga's plugins wrap around graphql-js. */
interface EnvelopedExecution {
  readonly execute: (args: ExecutionArgs) => never;
  readonly subscribe: (args: ExecutionArgs) => never;
}

/** The WebSockets of one facade. */
export interface SocketServer extends AsyncDisposable {
  /** Completes the upgrade of a connection. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/**
 * Serves a facade over WebSocket. Clients send their credential in `connectionParams`, under the name of the HTTP header, in
 * upper or lower case.
 */
export function serveWebSockets(facade: Facade, options: WebSocketOptions = {}): SocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_SIZE,
    handleProtocols: (protocols) =>
      protocols.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) ? GRAPHQL_TRANSPORT_WS_PROTOCOL : false,
  });
  // Without a listener a failed upgrade would end the process.
  sockets.on('error', () => undefined);
  const upgrades = new WebSocketUpgrades(facade, sockets);
  const operations = new SocketOperations(facade, upgrades);
  const server = useServer<Record<string, unknown>>(
    {
      connectionInitWaitTimeout: options.initTimeout ?? 3_000,
      onConnect: (context) => operations.connect(context),
      onSubscribe: (context, id, payload) => operations.subscribe(context, id, payload),
      execute: (args) => (args.rootValue as EnvelopedExecution).execute(args),
      subscribe: (args) => (args.rootValue as EnvelopedExecution).subscribe(args),
      onNext(context, id, _payload, { contextValue }, result) {
        const operation = contextValue as object;
        const { errors, ...rest } = withCost(
          withoutFailedData(result as ExecutionResult, operation),
          operation,
          false,
        );
        if (errors === undefined) return rest;
        return { ...rest, errors: operations.formatErrors(context, id, errors) };
      },
      onError: (context, id, _payload, errors) => operations.formatErrors(context, id, errors),
      onComplete: (context, id, payload) => operations.complete(context, id, payload),
      onClose: (context) => operations.abortAll(context),
    },
    sockets,
    options.keepAlive,
  );
  return {
    upgrade: (request, socket, head) => void upgrades.upgrade(request, socket, head),
    [Symbol.asyncDispose]: async () => server.dispose(),
  };
}

/** The operations of all connections. */
class SocketOperations {
  readonly #facade: Facade;
  readonly #upgrades: WebSocketUpgrades;
  /** By connection and operation id. */
  readonly #running = new WeakMap<SocketContext, Map<string, RunningOperation>>();

  constructor(facade: Facade, upgrades: WebSocketUpgrades) {
    this.#facade = facade;
    this.#upgrades = upgrades;
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
      if (id !== null) this.#operationsOn(context).get(id)?.controller.abort();
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
    const underWay = [...operations.values()].filter(({ isStream }) => !isStream).length;
    const operation = this.#createOperation(context, payload);
    operations.set(id, operation);
    try {
      if (underWay >= MAX_OPERATIONS)
        throw new OperationLimitError(`This connection has ${MAX_OPERATIONS} operations under way already.`);
      return await this.#prepare(operation, payload);
    } catch (error) {
      const failure = this.#facade.toClientError(error);
      // The upgrade of a new connection can renew the session, unless it has just failed to for this connection.
      if (error instanceof StaleTokenError && this.#upgrades.hadSession(context.extra.request))
        this.#endConnection(context, formatError(failure, operation.requestId));
      return [failure];
    }
  }

  async #prepare(
    operation: Requester & RunningOperation,
    payload: SubscribePayload,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const session = await this.#facade.openSession(operation);
    operation.hasBegun = true;
    const enveloped = this.#facade.yoga.getEnveloped({ session, params: payload });
    const document = enveloped.parse(payload.query);
    const errors = enveloped.validate(enveloped.schema, document);
    if (errors.length > 0) return errors as readonly GraphQLError[];
    operation.isStream = getOperationAST(document, payload.operationName)?.operation === 'subscription';
    const { schema, execute, subscribe } = enveloped;
    return {
      schema,
      operationName: payload.operationName ?? null,
      document,
      variableValues: payload.variables ?? null,
      contextValue: await enveloped.contextFactory(),
      rootValue: { execute, subscribe },
    };
  }

  /** Formats the errors of an operation. An error with the code UNAUTHENTICATED also ends the connection. */
  formatErrors(
    context: SocketContext,
    id: string,
    errors: readonly GraphQLError[],
  ): readonly GraphQLFormattedError[] {
    const requestId = this.#operationsOn(context).get(id)?.requestId ?? '';
    const formatted = errors.map((error) => formatError(error, requestId));
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
    operation.controller.abort();
    this.#operationsOn(context).delete(id);
  }

  /** Aborts all operations of a closed connection. */
  abortAll(context: SocketContext): void {
    for (const { controller } of this.#operationsOn(context).values()) controller.abort();
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

  #operationsOn(context: SocketContext): Map<string, RunningOperation> {
    const operations = this.#running.get(context) ?? new Map<string, RunningOperation>();
    this.#running.set(context, operations);
    return operations;
  }

  #createOperation(
    { connectionParams, extra }: SocketContext,
    payload: object,
  ): Requester & RunningOperation {
    const controller = new AbortController();
    return {
      header: createHeaderReader(extra.request, connectionParams),
      address: this.#facade.addressOf(extra.request),
      requestId: randomUUID(),
      signal: controller.signal,
      controller,
      payload,
      hasBegun: false,
      isStream: false,
    };
  }
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
