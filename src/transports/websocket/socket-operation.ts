// The operations of a WebSocket, each from its Subscribe message to its end.
import { randomUUID } from 'node:crypto';
import { OperationTypeNode } from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import { StaleTokenError } from '../../callers/browser-sessions.ts';
import type { Requester } from '../../callers/session.ts';
import type { PartsFormat } from '../../operation/incremental/incremental-result.ts';
import type { OperationRequest } from '../../operation/operation-request.ts';
import type { OperationReport } from '../../operation/reports/operation-report.ts';
import { Abort, toAbortSignal } from '../../upstream/abortable.ts';
import type { HeaderReader } from '../../upstream/http/caller.ts';
import { readAccept } from '../http/http-operation.ts';
import type { SocketConnection } from './socket-connection.ts';
import type { SocketApi } from './socket-transport.ts';

/** One for all, because each would have a stack of its own. */
const LEFT = new DOMException('The client has left.', 'AbortError');

/** An operation under way, which is its own requester. */
export class SocketOperation implements OperationRequest, Requester {
  readonly header: HeaderReader;
  readonly address: string | undefined;
  readonly requestId = randomUUID();
  readonly leaving = new Abort();
  readonly liveAs = 'stream';
  /** Its message has had its turn. */
  readonly waitingSize = null;
  /** Payload of its Subscribe message. Identifies the operation, because the client may use the id again while it ends. */
  readonly payload: SubscribePayload;
  /** Characters of its Subscribe message, which it holds. */
  readonly size: number;
  readonly report: OperationReport | null;
  /** `unknown` until its session is open and its document parsed. */
  kind: 'unknown' | 'stream' | 'single-result' = 'unknown';
  /** Whether its session needs a new token, which this connection cannot get. */
  hasStaleToken = false;
  readonly #connection: SocketConnection;
  /** Gives back the memory of its last large result. */
  #release: () => void = () => undefined;
  /** Lets the server close, as far as this operation is concerned. */
  readonly #leave: () => void;

  constructor(
    { pipeline, shutdown }: Pick<SocketApi, 'pipeline' | 'shutdown'>,
    payload: SubscribePayload,
    connection: SocketConnection,
  ) {
    const { header, address } = connection.sender;
    this.header = header;
    this.address = address;
    this.payload = payload;
    this.size = JSON.stringify(payload).length;
    this.#connection = connection;
    this.report = pipeline.beginReport(this, 'websocket');
    this.#leave = shutdown.operations.enter();
  }

  get requester(): this {
    return this;
  }

  /** Every client of the protocol takes several results. */
  get acceptedParts(): PartsFormat {
    return readAccept(this.header('accept')).parts ?? 'path';
  }

  get signal(): AbortSignal {
    return toAbortSignal(this.leaving);
  }

  readSent(): unknown {
    this.#connection.checkRoom();
    // The protocol lets clients send more, which means nothing here.
    const { query, variables, operationName, extensions } = this.payload;
    const { documentId, onError } = this.payload as {
      readonly documentId?: unknown;
      readonly onError?: unknown;
    };
    return { query, documentId, variables, operationName, extensions, onError };
  }

  admit(kind: OperationTypeNode): void {
    this.kind = kind === OperationTypeNode.SUBSCRIPTION ? 'stream' : 'single-result';
    // A subscription ends with its connection, for which the server does not wait.
    if (this.kind === 'stream') this.#leave();
    this.#connection.admit(this);
  }

  onRefusal(error: unknown): void {
    this.hasStaleToken = error instanceof StaleTokenError;
  }

  writeInOrder<R>(write: () => Promise<R>): Promise<R> {
    return this.#connection.limits.writeInOrder(write);
  }

  /** Each result is sent before the next one is written, and the last one before the operation ends. */
  holdResult(release: () => void): void {
    this.#release();
    this.#release = release;
    // The client has left while the result was written.
    if (this.leaving.aborted) release();
  }

  /** Ends the operation: nobody waits for its results any more. */
  abort(): void {
    this.#release();
    this.leaving.abort(LEFT);
    // Graphql-ws sends the Complete message after the hook that aborts. A client that lacks it would send the operation again.
    setImmediate(this.#leave);
  }
}

/** The operations of one WebSocket by their ids. The sums are kept, so that thousands of messages cost the same each. */
export class RunningOperations {
  readonly #byId = new Map<string, SocketOperation>();
  readonly #singleResults = new Set<SocketOperation>();
  #size = 0;

  get count(): number {
    return this.#byId.size;
  }

  /** Characters of all their Subscribe messages. */
  get size(): number {
    return this.#size;
  }

  /** Number of those that are known to have one result. */
  get singleResults(): number {
    return this.#singleResults.size;
  }

  admit(operation: SocketOperation): void {
    if (operation.kind === 'single-result') this.#singleResults.add(operation);
  }

  get(id: string): SocketOperation | undefined {
    return this.#byId.get(id);
  }

  /** Adds an operation. It replaces one that the client has ended, whose id it may use again. */
  add(id: string, operation: SocketOperation): void {
    this.delete(id);
    this.#byId.set(id, operation);
    this.#size += operation.size;
  }

  delete(id: string): void {
    const operation = this.#byId.get(id);
    if (operation === undefined) return;
    this.#byId.delete(id);
    this.#singleResults.delete(operation);
    this.#size -= operation.size;
  }

  [Symbol.iterator](): IterableIterator<[string, SocketOperation]> {
    return this.#byId.entries();
  }
}
