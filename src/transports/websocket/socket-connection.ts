// Holds what the server knows of one WebSocket.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TransportLimits } from '../../operation/limits.ts';
import type { HeaderReader } from '../../upstream/http/caller.ts';
import { SocketLimits } from './socket-limits.ts';
import { RunningOperations } from './socket-operation.ts';
import { type ConnectionParams, createHeaderReader } from './websocket-headers.ts';
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
