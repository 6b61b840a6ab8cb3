// Holds what is known of a WebSocket: its operations, and the headers that it sends in connectionParams or with its upgrade.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isAsyncIterable } from '@envelop/core';
import {
  type ExecutionArgs,
  GraphQLError,
  type GraphQLFormattedError,
  GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
} from 'graphql';
import {
  CloseCode,
  MessageType,
  type Context as SocketContext,
  type SubscribePayload,
  stringifyMessage,
} from 'graphql-ws';
import type { WebSocket } from 'ws';
import { StaleTokenError } from '../../callers/browser-sessions.ts';
import type { Requester } from '../../callers/requester.ts';
import { Abort, toAbortSignal } from '../../upstream/abortable.ts';
import type { HeaderReader } from '../../upstream/http/caller.ts';
import type { OperationReport } from '../operation-report.ts';
import type { OperationRequest } from '../operation-request.ts';
import type { Executed } from '../plugin.ts';
import { formatError } from '../results.ts';
import type { SocketApi } from './serve-websockets.ts';

/** Bytes that a client may leave unread; its WebSocket is then closed. */
const MAX_UNREAD = 16 * 1024 * 1024;
/** Subscribe messages of one WebSocket whose operations have not ended. */
const MAX_OPERATIONS = 1_000;
/** Age at which a WebSocket is closed with 1001, so that none outlives its rights for long; clients connect again. Milliseconds. */
const LIFETIME = 24 * 3_600_000;

/** The error of an operation beyond them. */
const TOO_MANY = new GraphQLError(`This connection has ${MAX_OPERATIONS} operations under way already.`, {
  extensions: { code: 'COST_LIMIT_EXCEEDED', retryable: true },
});

/** Graphql-ws reads the kind of an operation, with which it has nothing to do any more. */
const ANY_OPERATION = {
  schema: new GraphQLSchema({}),
  document: parse('{ __typename }'),
  rootValue: undefined,
  contextValue: undefined,
};

type Context = Pick<SocketContext, 'connectionParams' | 'subscriptions'>;

/** An operation that was carried out, in the form in which graphql-ws takes one to execute. */
export interface ExecutedOperation extends ExecutionArgs {
  readonly result: Executed;
}

/** One WebSocket, from its upgrade to its end. */
export class SocketConnection {
  readonly #socket: WebSocket;
  readonly #api: SocketApi;
  readonly #request: IncomingMessage;
  readonly #address: string;
  /** Whether the cookie of the upgrade request held a session that the upstream knew. */
  readonly #hadSession: boolean;
  readonly #operations = new Map<string, SocketOperation>();
  readonly #lifetime: NodeJS.Timeout;
  #header: HeaderReader;
  /** The operations that its client has not completed, by id. */
  #wanted: Context['subscriptions'] = {};

  constructor(
    socket: WebSocket,
    request: IncomingMessage,
    { address, hadSession }: { readonly address: string; readonly hadSession: boolean },
    api: SocketApi,
  ) {
    this.#socket = socket;
    this.#api = api;
    this.#request = request;
    this.#address = address;
    this.#hadSession = hadSession;
    this.#header = createHeaderReader(request);
    this.#lifetime = setTimeout(() => socket.close(1001, 'Going away'), LIFETIME).unref();
  }

  /** Accepts its ConnectionInit message, or closes it with the reason and returns false. */
  connect({ connectionParams, subscriptions }: Context): boolean {
    const params = readParams(connectionParams);
    if (typeof params === 'string') this.#socket.close(CloseCode.BadRequest, params);
    else this.#header = createHeaderReader(this.#request, params);
    this.#wanted = subscriptions;
    return typeof params !== 'string';
  }

  /** Carries out an operation. Returns its errors when it may not be executed. */
  async subscribe(
    id: string,
    payload: SubscribePayload,
  ): Promise<ExecutedOperation | readonly GraphQLError[]> {
    if (this.#operations.size >= MAX_OPERATIONS) return [TOO_MANY];
    const operation = new SocketOperation(this.#api, payload, this.#header, this.#address);
    // The client may use the id of an operation again that it has ended.
    this.#operations.get(id)?.report?.end(null, true);
    this.#operations.set(id, operation);
    const result = await this.#api.pipeline.run(operation);
    if (operation.refusal === undefined || isAsyncIterable(result)) return { ...ANY_OPERATION, result };
    const { errors = [] } = result;
    // The upgrade of a new connection can renew the session, unless it has just failed to for this connection.
    if (operation.refusal instanceof StaleTokenError && this.#hadSession)
      for (const error of errors) this.#end(formatError(error));
    // Graphql-ws does not report the end of an operation that did not begin.
    this.complete(id, payload);
    return errors;
  }

  /** Aborts the operations that the client has completed: graphql-ws reports that only after the result of one with a single result. */
  abortCompleted(): void {
    for (const [id, operation] of this.#operations) if (!(id in this.#wanted)) operation.abort();
  }

  /** Closes the WebSocket of a client that does not read. */
  checkUnread(): void {
    if (this.#socket.bufferedAmount > MAX_UNREAD) this.#socket.terminate();
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

  /** Aborts all operations after its end. */
  abortAll(): void {
    clearTimeout(this.#lifetime);
    for (const operation of this.#operations.values()) {
      operation.report?.end(null, true);
      operation.abort();
    }
    this.#operations.clear();
  }

  /**
   * Ends the connection, because its credential has ended. Operations that have begun get the error; the stock client reconnects, and sends
   * the others again.
   * @param answeredId The operation that has got the error already.
   */
  #end({ message, extensions }: GraphQLFormattedError, answeredId?: string): void {
    for (const [id, { requestId, hasBegun }] of this.#operations) {
      if (id === answeredId || !hasBegun) continue;
      const payload = [{ message, extensions: { ...extensions, requestId } }];
      this.#socket.send(stringifyMessage({ id, type: MessageType.Error, payload }));
    }
    this.#socket.close(CloseCode.Forbidden, 'Forbidden');
  }
}

/** One for all, because each would have a stack of its own. */
const LEFT = new DOMException('The client has left.', 'AbortError');

/** An operation under way, which is its own requester. */
class SocketOperation implements OperationRequest, Requester {
  readonly header: HeaderReader;
  readonly address: string;
  readonly requestId = randomUUID();
  readonly leaving = new Abort();
  readonly liveAs = 'stream';
  /** Every client of the protocol takes several results. */
  readonly acceptsParts = true;
  /** Payload of its Subscribe message. Identifies the operation, because the client may use the id again while it ends. */
  readonly payload: SubscribePayload;
  readonly report: OperationReport | null;
  /** Whether it has been admitted: its session is open, and its document valid. */
  hasBegun = false;
  refusal?: unknown;
  /** Lets the server close, as far as this operation is concerned. */
  readonly #leave: () => void;

  constructor(
    { pipeline, shutdown }: Pick<SocketApi, 'pipeline' | 'shutdown'>,
    payload: SubscribePayload,
    header: HeaderReader,
    address: string,
  ) {
    this.header = header;
    this.address = address;
    this.payload = payload;
    this.report = pipeline.beginReport(this, 'websocket');
    this.#leave = shutdown.operations.enter();
  }

  get requester(): this {
    return this;
  }

  get signal(): AbortSignal {
    return toAbortSignal(this.leaving);
  }

  readSent(): unknown {
    // The protocol lets clients send more, which means nothing here.
    const { query, variables, operationName, extensions } = this.payload;
    const { documentId, onError } = this.payload as {
      readonly documentId?: unknown;
      readonly onError?: unknown;
    };
    return { query, documentId, variables, operationName, extensions, onError };
  }

  admit({ operation }: Pick<OperationDefinitionNode, 'operation'>): void {
    this.hasBegun = true;
    // A subscription ends with its connection, for which the server does not wait.
    if (operation === OperationTypeNode.SUBSCRIPTION) this.#leave();
  }

  /** Ends the operation: nobody waits for its results any more. */
  abort(): void {
    this.leaving.abort(LEFT);
    // Graphql-ws sends the Complete message after the hook that aborts. A client that lacks it would send the operation again.
    setImmediate(this.#leave);
  }
}

/** The characters that an HTTP header value may contain. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that pages cannot set. They show where a connection comes from, so connectionParams must not replace them. */
const BROWSER_HEADERS: ReadonlySet<string> = new Set([
  'cookie',
  'host',
  'origin',
  'sec-fetch-site',
  'upgrade',
  'user-agent',
]);

/** Header values by name in lower case. */
type ConnectionParams = ReadonlyMap<string, string>;

/** Reads the headers that a ConnectionInit message holds. Returns the reason of a close frame where it holds anything else. */
function readParams(sent: Context['connectionParams'] = {}): ConnectionParams | string {
  const params = new Map<string, string>();
  for (const [name, value] of Object.entries(sent)) {
    const key = name.toLowerCase();
    if (value === null || BROWSER_HEADERS.has(key)) continue;
    if (typeof value !== 'string' || !HEADER_VALUE.test(value))
      return 'connectionParams must hold strings only, each one that an HTTP header can hold, under its name';
    if (params.has(key)) return 'connectionParams must hold each header once';
    params.set(key, value);
  }
  return params;
}

const NO_PARAMS: ConnectionParams = new Map();

/** Makes a reader of headers from connectionParams and, for those that they lack, from the upgrade request. */
export const createHeaderReader =
  (request: IncomingMessage, params = NO_PARAMS): HeaderReader =>
  (name) => {
    const key = name.toLowerCase();
    const param = params.get(key);
    // Node makes `headersDistinct` for each request that reads it, and it lacks a cookie that the upgrade has renewed.
    if (param !== undefined || !(key in request.headers)) return param ?? null;
    return (key === 'cookie' ? request.headers.cookie : request.headersDistinct[key]?.join(', ')) ?? null;
  };
