// Defines the limits of the transports and of operations: what one client, and all clients together, may occupy.
import type { ShutdownTimes } from '../loaders/shutdown.ts';
import { MAX_WAIT } from '../schema/resolve/write.ts';

/** Limits of HTTP and WebSocket connections. Sizes are in bytes, times in milliseconds. */
export interface TransportLimits extends ShutdownTimes {
  /** Largest request body. GraphQL documents of people and tools are far smaller. */
  readonly bodySize: number;
  /** Time for the head of a request, from the opening of its connection or its first byte. */
  readonly headersTimeout: number;
  /** Time for a whole request with its body, so that half-sent bodies do not stay. */
  readonly requestTimeout: number;
  /** Time that a connection may be idle between two requests. Longer than the 60 s of common proxies, which would send into its end. */
  readonly keepAliveTimeout: number;
  /** Requests of one connection, after which it ends, so that a balancer spreads its connections again. */
  readonly requestsOfConnection: number;
  /** Requests of one connection that may be in progress at a time; one more closes the connection. Browsers send one. */
  readonly pipelined: number;
  /** Open connections, WebSockets and streams included; further ones are closed at once. */
  readonly connections: number;
  /** Open connections of one network address that is no trusted proxy; further ones are closed at once. */
  readonly connectionsOfAddress: number;
  /** Requests, streams and WebSockets in progress of one client address; further ones get 429. Many people may share an address. */
  readonly requestsOfAddress: number;
  /** Time for which a client may read nothing of what waits for it. The connection is then closed. */
  readonly stallTimeout: number;
  /** Slowest reading, in bytes a second: it lengthens `stallTimeout` by the time that the waiting bytes take. */
  readonly minimumRate: number;
  /** What all clients together have not read, or have not sent completely; above it, the connections that hold most are closed. */
  readonly heldBytes: number;
  /** Time between two checks of `stallTimeout`, `heldBytes`, `headersTimeout`, `requestTimeout` and the `lifetime` of streams. */
  readonly checkInterval: number;
  /** Largest WebSocket message; the same as a body. */
  readonly messageSize: number;
  /** Bytes that a WebSocket may send until its ConnectionInit message is accepted: that message has a few headers. */
  readonly initSize: number;
  /** Time for the ConnectionInit message. */
  readonly initTimeout: number;
  /** Largest payload of a Ping or Pong message, in characters. A Ping is answered with its payload. */
  readonly pingSize: number;
  /** Longest id of an operation. A close frame has room for one of this length. */
  readonly idSize: number;
  /** Largest Subscribe message of a subscription, in characters: it is held as long as the subscription. */
  readonly streamSize: number;
  /** Time between two pings of the server. A client that does not answer one until the next is disconnected. */
  readonly pingInterval: number;
  /** What one WebSocket may leave unread before the server reads nothing more of it. */
  readonly unreadBytes: number;
  /** Queries and mutations of one WebSocket that may be in progress. */
  readonly operations: number;
  /** All Subscribe messages of one WebSocket whose operations are in progress, in characters. */
  readonly operationsSize: number;
  /** Further operations of one WebSocket that may be in progress: subscriptions, as many as a caller may have, and what is not parsed yet. */
  readonly streams: number;
  /** Time for which a server that is asked to stop still takes requests, so that balancers find another one first. */
  readonly drainTime: number;
  /** Age at which a WebSocket is closed with 1001, and a stream over HTTP is cut, so that none outlives its rights for long; clients connect again. */
  readonly lifetime: number;
}

/** Limits of one operation while it is executed. Times are in milliseconds. */
export interface OperationLimits {
  /** Time for a query. Reads that are not finished then are aborted. */
  readonly queryTime: number;
  /** Time for a mutation. Writes that have not begun then are not sent; one under way has the deadline of its own call. */
  readonly mutationTime: number;
  /** Largest result, in characters of JSON, and largest event of a subscription. */
  readonly resultSize: number;
}

const KIB = 1_024;
const MIB = 1_024 * KIB;

/** The limits of a server without other settings. */
export const DEFAULT_LIMITS: TransportLimits = Object.freeze({
  bodySize: 1_000_000,
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  requestsOfConnection: 10_000,
  pipelined: 10,
  connections: 10_000,
  connectionsOfAddress: 1_000,
  requestsOfAddress: 1_000,
  stallTimeout: 30_000,
  minimumRate: 32 * KIB,
  heldBytes: 256 * MIB,
  checkInterval: 1_000,
  messageSize: 1_000_000,
  initSize: 64 * KIB,
  initTimeout: 3_000,
  pingSize: 4 * KIB,
  idSize: 90,
  streamSize: 64 * KIB,
  pingInterval: 12_000,
  unreadBytes: MIB,
  operations: 200,
  operationsSize: 4 * MIB,
  streams: 1_000,
  drainTime: 0,
  lifetime: 24 * 3_600_000,
  shutdownTimeout: 25_000,
  closeSpread: 5_000,
});

/** The limits of operations without other settings. */
export const DEFAULT_OPERATION_LIMITS: OperationLimits = Object.freeze({
  queryTime: 30_000,
  mutationTime: 60_000 + MAX_WAIT * 1_000,
  resultSize: 64 * MIB,
});
