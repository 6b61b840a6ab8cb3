// The limits of the facade, in the groups of the configuration file: what a client, an operation or a description may take.
import { DEFAULT_UPSTREAM_LIMITS, type UpstreamLimits } from '../loaders/operation-cost.ts';
import { DEFAULT_DESCRIPTION_LIMITS, type DescriptionLimits } from '../schema/registry.ts';
import { MAX_WAIT } from '../schema/resolve/write.ts';
import type { ShutdownTimes } from './shutdown.ts';

/** Limits of a document, which are checked before it is validated. */
export interface DocumentLimits {
  /** Characters of its text. Long values belong into variables. */
  readonly characters: number;
  /** Lines of its text. To find the line of an error, all before it are counted. */
  readonly lines: number;
  /** Tokens, comments aside. The default is far above what people and their tools write. */
  readonly tokens: number;
  /** Values of all variables together: items of lists and fields of objects, at all levels. */
  readonly values: number;
  /** Brackets within brackets, which the parser handles recursively. */
  readonly brackets: number;
  /** Fields within fields, through fragments; the query of introspection tools needs 15. */
  readonly depth: number;
  readonly aliases: number;
  /** Fields at the top of an operation, through fragments. */
  readonly rootFields: number;
  readonly directives: number;
  /** Defined fragments. Validation compares them in pairs. */
  readonly fragments: number;
}

/** Limits of the cost: estimated fields in the result, lists multiplied by their `first`. */
export interface CostLimits {
  /** Of one operation. The default is about half a second of processor time. */
  readonly operation: number;
  /** Of all operations in a minute with one credential. The default is half of one processor. */
  readonly credentialPerMinute: number;
  /** Of all operations in a minute from one IPv4 address or IPv6 /64 network, with all its credentials. */
  readonly addressPerMinute: number;
}

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

/** What is recorded of mutations with idempotency keys. */
export interface IdempotencyLimits {
  /** Bytes of the results of one caller in a day; each counts as 1,024 at least. An anonymous network has a sixteenth of it. */
  readonly callerBytes: number;
  /** The same for all callers together. */
  readonly bytes: number;
  /** Characters of one result. Of a larger one, only the fact is recorded. */
  readonly resultSize: number;
}

/** Limits of live queries. Times are in milliseconds. */
export interface LiveLimits {
  /** Live queries that one caller may have open. Anonymous callers of one network are one caller. */
  readonly queries: number;
  /** Time from the end of one execution to the next, where the query does not say. */
  readonly intervalTime: number;
  /** Shortest such time that a query may have. */
  readonly minimumTime: number;
  /** Longest such time that a query may have. */
  readonly maximumTime: number;
}

/** All limits. Each group and each of its keys has the same name in the configuration file. */
export interface Limits {
  readonly document: DocumentLimits;
  readonly cost: CostLimits;
  readonly operation: OperationLimits;
  readonly idempotency: IdempotencyLimits;
  readonly live: LiveLimits;
  /** What operations may use of the management API. */
  readonly upstream: UpstreamLimits;
  readonly description: DescriptionLimits;
  readonly transport: TransportLimits;
}

/** Limits that differ from the defaults. */
export type LimitOptions = { readonly [Group in keyof Limits]?: Partial<Limits[Group]> };

const KIB = 1_024;
const MIB = 1_024 * KIB;

/** The limits without configuration. */
export const DEFAULT_LIMITS: Limits = {
  document: {
    characters: 262_144,
    lines: 10_000,
    tokens: 20_000,
    values: 20_000,
    brackets: 200,
    depth: 30,
    aliases: 250,
    rootFields: 100,
    directives: 250,
    fragments: 150,
  },
  cost: { operation: 50_000, credentialPerMinute: 3_000_000, addressPerMinute: 6_000_000 },
  operation: {
    queryTime: 30_000,
    mutationTime: 60_000 + MAX_WAIT * 1_000,
    resultSize: 64 * MIB,
  },
  idempotency: { callerBytes: 16 * MIB, bytes: 256 * MIB, resultSize: MIB },
  live: { queries: 200, intervalTime: 5_000, minimumTime: 1_000, maximumTime: 3_600_000 },
  upstream: DEFAULT_UPSTREAM_LIMITS,
  description: DEFAULT_DESCRIPTION_LIMITS,
  transport: {
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
  },
};

/** Adds the defaults to limits. The groups are new objects, to which `changeLimits` can assign others. */
export const completeLimits = (given: LimitOptions = {}): Limits => ({
  document: { ...DEFAULT_LIMITS.document, ...given.document },
  cost: { ...DEFAULT_LIMITS.cost, ...given.cost },
  operation: { ...DEFAULT_LIMITS.operation, ...given.operation },
  idempotency: { ...DEFAULT_LIMITS.idempotency, ...given.idempotency },
  live: { ...DEFAULT_LIMITS.live, ...given.live },
  upstream: { ...DEFAULT_LIMITS.upstream, ...given.upstream },
  description: { ...DEFAULT_LIMITS.description, ...given.description },
  transport: { ...DEFAULT_LIMITS.transport, ...given.transport },
});

/** The groups that can change while a facade serves. Of the others, other parts have copies. */
export const CHANGEABLE_LIMITS = ['document', 'cost', 'live', 'upstream', 'transport'] as const;

/** Changes limits that are in use, as far as they can change. */
export function changeLimits(limits: Limits, changed: LimitOptions): void {
  for (const group of CHANGEABLE_LIMITS) Object.assign(limits[group], changed[group]);
}
