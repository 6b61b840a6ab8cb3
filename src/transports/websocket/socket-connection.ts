// Holds what is known of a WebSocket, and runs its GraphQL operations.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { CloseCode, MessageType, type SubscribePayload, stringifyMessage } from 'graphql-ws';
import type { Requester } from '../../callers/session.ts';
import { InvalidInputError } from '../../loaders/errors.ts';
import { OperationLimitError } from '../../operation/errors.ts';
import type { TransportLimits } from '../../operation/limits.ts';
import { PreparedOperation } from '../../operation/prepared-operation.ts';
import { formatError } from '../../operation/results/results.ts';
import type { Client } from '../../scheduling/client.ts';
import { SocketLimits } from './socket-limits.ts';
import { RunningOperations, SocketOperation } from './socket-operation.ts';
import type { SocketApi } from './socket-transport.ts';
import { type ConnectionParams, createHeaderReader, findParamsProblem } from './websocket-headers.ts';
import type { ServedSocket } from './websocket-upgrades.ts';

/** One WebSocket, from its upgrade to its end, with its operations. */
export class SocketConnection {
  readonly socket: ServedSocket;
  readonly limits: SocketLimits;
  readonly #api: SocketApi;
  readonly #maxima: TransportLimits;
  readonly #request: IncomingMessage;
  /** Whether the cookie of the upgrade request held a session that the upstream knew. */
  readonly #hadSession: boolean;
  readonly #operations = new RunningOperations();
  /** Set when its ConnectionInit message is accepted. */
  #params: ConnectionParams;

  /** @param stream The connection under the WebSocket. */
  constructor(
    socket: ServedSocket,
    stream: Duplex,
    request: IncomingMessage,
    hadSession: boolean,
    api: SocketApi,
    limits: TransportLimits,
  ) {
    this.socket = socket;
    this.limits = new SocketLimits(socket, stream, limits);
    this.#api = api;
    this.#maxima = limits;
    this.#request = request;
    this.#hadSession = hadSession;
  }

  /** Accepts its ConnectionInit message, or closes it with the reason and returns false. */
  connect(params: ConnectionParams): boolean {
    const problem = findParamsProblem(params);
    if (problem !== null) {
      this.socket.close(CloseCode.BadRequest, problem);
      return false;
    }
    this.#params = params;
    this.limits.accept();
    return true;
  }

  /**
   * Reads a message before graphql-ws does, which reports the Complete message for a single-result operation only after the result: too
   * late to abort it. False: the message is beyond a limit, and the WebSocket closes.
   */
  receive(message: string): boolean {
    try {
      this.#api.pipeline.checkJson(message, 'message');
    } catch (error) {
      this.socket.close(CloseCode.BadRequest, (error as Error).message);
      return false;
    }
    const id = readCompletedId(message);
    if (id !== null) this.#operations.get(id)?.abort();
    return true;
  }

  /** Waits for the turn of a message among the work of other clients. Undefined when it is now. */
  takeTurn(): Promise<void> | undefined {
    return this.#api.pipeline.processor.takeTurn(this.#client);
  }

  /** Whose work its messages are. */
  get #client(): Client {
    return this.#api.pipeline.findClient(this.sender);
  }

  /** Who sends its messages. */
  get sender(): Pick<Requester, 'header' | 'address'> {
    return {
      header: createHeaderReader(this.#request, this.#params),
      address: this.#api.addressOf(this.#request),
    };
  }

  /** Prepares the execution of an operation. Returns errors when it may not be executed. */
  async subscribe(
    id: string,
    payload: SubscribePayload,
  ): Promise<PreparedOperation | readonly GraphQLError[]> {
    const operation = new SocketOperation(this.#api, payload, this);
    // The client may use the id of an operation again that it has ended.
    this.#operations.get(id)?.report?.end(null, true);
    this.#operations.add(id, operation);
    const prepared = await this.#api.pipeline.prepare(operation);
    if (prepared instanceof PreparedOperation) return prepared;
    const { errors = [] } = prepared;
    // The upgrade of a new connection can renew the session, unless it has just failed to for this connection.
    if (operation.hasStaleToken && this.#hadSession)
      for (const error of errors) this.#end(formatError(error));
    return errors;
  }

  /** @throws OperationLimitError when too much is under way. */
  checkRoom(): void {
    const { count, size } = this.#operations;
    const { operations: maxOperations, operationsSize, streams } = this.#maxima;
    if (count > maxOperations + streams) throw tooMany(maxOperations + streams, 'operations');
    if (size > operationsSize) throw tooMany(operationsSize, 'characters of operations');
  }

  /** Admits an operation when its kind is known. @throws the error of an operation that may not begin. */
  admit(operation: SocketOperation): void {
    const { kind, size } = operation;
    const { operations: maxOperations, streamSize } = this.#maxima;
    if (kind === 'stream' && size > streamSize)
      throw new InvalidInputError(
        `A subscription or live query has at most ${streamSize} characters; shorten it.`,
      );
    this.#operations.admit(operation);
    if (kind !== 'stream' && this.#operations.singleResults > maxOperations)
      throw tooMany(maxOperations, 'queries and mutations');
  }

  /** Formats errors for the client. An error with the code UNAUTHENTICATED also ends the connection. */
  formatErrors(id: string, errors: readonly GraphQLError[]): readonly GraphQLFormattedError[] {
    const formatted = errors.map(formatError);
    const unauthenticated = formatted.find(({ extensions }) => extensions?.['code'] === 'UNAUTHENTICATED');
    // Graphql-ws sends these errors after this call; the connection ends after that.
    if (unauthenticated !== undefined) setImmediate(() => this.#end(unauthenticated, id));
    return formatted;
  }

  /** Aborts and removes an operation that the client has completed. */
  complete(id: string, payload: object): void {
    const operation = this.#operations.get(id);
    // A new operation may have the same id already.
    if (operation?.payload !== payload) return;
    operation.report?.end(null, operation.leaving.aborted);
    operation.abort();
    this.#operations.delete(id);
  }

  /** Aborts all operations after its end, in its client's turns: there may be a thousand, each with a line of the log. */
  async abortAll(): Promise<void> {
    const client = this.#client;
    for (const [, operation] of this.#operations) {
      operation.report?.end(null, true);
      operation.abort();
      const paused = this.#api.pipeline.processor.pause(client);
      if (paused !== undefined) await paused;
    }
  }

  /**
   * Ends the connection, because its credential has ended. Operations that have begun get the error; the stock client reconnects, and sends
   * the others again.
   * @param answeredId The operation that has got the error already.
   */
  #end({ message, extensions }: GraphQLFormattedError, answeredId?: string): void {
    for (const [id, { requestId, kind }] of this.#operations) {
      if (id === answeredId || kind === 'unknown') continue;
      const payload = [{ message, extensions: { ...extensions, requestId } }];
      this.socket.send(stringifyMessage({ id, type: MessageType.Error, payload }));
    }
    this.socket.close(CloseCode.Forbidden, 'Forbidden');
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
