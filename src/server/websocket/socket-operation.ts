// Describes one operation of a WebSocket, from its Subscribe message to its end.
import { randomUUID } from 'node:crypto';
import { type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import { StaleTokenError } from '../../callers/browser-sessions.ts';
import type { Requester } from '../../callers/session.ts';
import { Abort, toAbortSignal } from '../../upstream/abortable.ts';
import type { HeaderReader } from '../../upstream/http/caller.ts';
import type { OperationRequest } from '../operation-request.ts';
import type { OperationReport } from '../reports/operation-report.ts';
import type { SocketApi } from './serve-websockets.ts';

/** One for all, because each would have a stack of its own. */
const LEFT = new DOMException('The client has left.', 'AbortError');

/** An operation under way, which is its own requester. */
export class SocketOperation implements OperationRequest, Requester {
  readonly header: HeaderReader;
  readonly address: string | undefined;
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
  /** Whether its session needs a new token, which this connection cannot get. */
  hasStaleToken = false;
  /** Lets the server close, as far as this operation is concerned. */
  readonly #leave: () => void;

  constructor(
    { pipeline, shutdown }: Pick<SocketApi, 'pipeline' | 'shutdown'>,
    payload: SubscribePayload,
    { header, address }: Pick<Requester, 'header' | 'address'>,
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

  onRefusal(error: unknown): void {
    this.hasStaleToken = error instanceof StaleTokenError;
  }

  /** Ends the operation: nobody waits for its results any more. */
  abort(): void {
    this.leaving.abort(LEFT);
    // Graphql-ws sends the Complete message after the hook that aborts. A client that lacks it would send the operation again.
    setImmediate(this.#leave);
  }
}
