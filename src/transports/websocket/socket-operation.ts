// One operation of a WebSocket, from its Subscribe message to its end.
import { randomUUID } from 'node:crypto';
import type { SubscribePayload } from 'graphql-ws';
import type { Requester } from '../../callers/session.ts';
import type { Facade } from '../../facade/facade.ts';
import { OperationReport } from '../../operation/reports/operation-report.ts';
import { Abort, toAbortSignal } from '../../upstream/abortable.ts';
import type { HeaderReader } from '../../upstream/http/caller.ts';
import type { SocketContext } from './socket-transport.ts';
import { createHeaderReader } from './websocket-headers.ts';

/** An operation under way. Its session takes it as the requester. */
export class SocketOperation implements Requester {
  readonly header: HeaderReader;
  readonly address: string | undefined;
  readonly requestId = randomUUID();
  readonly leaving = new Abort();
  /** Payload of its Subscribe message. Identifies the operation, because the client may use the id again while it ends. */
  readonly payload: SubscribePayload;
  /** Characters of its Subscribe message, which it holds. */
  readonly size: number;
  /** Null when nobody observes operations. */
  readonly report: OperationReport | null;
  /** Whether its session is open, so that it may have had effects. */
  hasBegun = false;
  /** `unknown` until its session is open and its document parsed. */
  kind: 'unknown' | 'stream' | 'single-result' = 'unknown';
  /** Lets the server close, as far as this operation is concerned. */
  readonly leave: () => void;

  constructor(facade: Facade, { connectionParams, extra }: SocketContext, payload: SubscribePayload) {
    this.header = createHeaderReader(extra.request, connectionParams);
    this.address = facade.addressOf(extra.request);
    this.payload = payload;
    this.size = JSON.stringify(payload).length;
    const { requestId, address, header } = this;
    this.report = OperationReport.begin(facade.observer, { requestId, address, header }, 'websocket');
    this.leave = facade.shutdown.operations.enter();
  }

  get signal(): AbortSignal {
    return toAbortSignal(this.leaving);
  }

  /** Ends the operation: nobody waits for its results any more. */
  abort(): void {
    this.leaving.abort(new DOMException('The client has left.', 'AbortError'));
    // Graphql-ws sends the Complete message after the hook that aborts. A client that lacks it would send the operation again.
    setImmediate(this.leave);
  }
}
