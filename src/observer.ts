// Defines what a facade and its server report while they work. Logs, metrics and traces observe it.

/**
 * Observes a facade and its server. A facade calls only the methods that its observer has, so what nobody observes costs nothing.
 * Methods are called synchronously and must not throw. A method that reports a begin may return what is to be called at the end, once.
 */
export interface Observer {
  /** A request with an operation has arrived. Its session is not open, and its document not parsed. */
  readonly operation?: Begin<ObservedOperation, OperationEnd> | undefined;
  /** Names the trace of an operation; null for none. At most one observer does. */
  readonly traceId?: ((operation: ObservedOperation) => string | null) | undefined;
  /** A step of an operation begins. A subscription is not executed as one step. */
  readonly step?: Begin<OperationStep, StepEnd> | undefined;
  /** A request to the management API or the snippet service begins; a repeated read is a request of its own. */
  readonly upstreamCall?: Begin<UpstreamCall, UpstreamCallEnd> | undefined;
  /** The management API sent a response that contradicts its description or the protocol. */
  readonly invalidResponse?: Notice<InvalidResponse> | undefined;
  /** A call waits for its turn, because other calls occupy the connections. */
  readonly queueWait?: Begin<QueueWait, void> | undefined;
  /** The objects that an operation needs of one resource are fetched. */
  readonly batch?: Begin<Batch, void> | undefined;
  /** A read has asked for associations to be included in its response. */
  readonly includes?: Notice<Includes> | undefined;
  /** A mutation waits until the action that it has started is finished. */
  readonly actionWait?: Begin<ActionWait, ActionWaitEnd> | undefined;
  /** A poller of running actions starts. */
  readonly poller?: Begin<ObservedPoller, void> | undefined;
  /** A subscription sends events from now on. */
  readonly subscription?: Begin<ObservedOperation, void> | undefined;
  /** A live query sends results from now on. */
  readonly liveQuery?: Begin<ObservedOperation, void> | undefined;
  /** A WebSocket has opened. */
  readonly socket?: Begin<ObservedSocket, SocketEnd> | undefined;
  /** A schema is assembled from a description. */
  readonly assembly?: Begin<Assembly, AssemblyEnd> | undefined;
  /** A new description has replaced the operator's schema. */
  readonly schemaChange?: Notice<SchemaChange> | undefined;
  /** The circuit breaker of the management API has changed its state. */
  readonly breaker?: Notice<BreakerChange> | undefined;
  /** This replica can share with others, or has to go on alone. */
  readonly sharing?: Notice<SharingChange> | undefined;
  /** A limit has refused something. */
  readonly limit?: Notice<LimitHit> | undefined;
  /** A request is refused, or its response kept from the page that sent it, because of what it names. */
  readonly refusal?: Notice<Refusal> | undefined;
  /** Lines of the log could not be written. */
  readonly logLoss?: Notice<{ readonly lines: number }> | undefined;
  /** The server has come to a phase of its shutdown. */
  readonly shutdown?: Notice<ShutdownPhase> | undefined;
}

/** Reports a begin. Returns what is called at the end; undefined when the end does not matter. */
export type Begin<B, E> = (begun: B) => ((end: E) => void) | undefined;

/** Reports a single moment. */
export type Notice<T> = (event: T) => void;

/** One GraphQL operation. The object identifies it: what the operation causes refers to it as `cause`. */
export interface ObservedOperation {
  readonly requestId: string;
  /** The client's address; null when it is unknown. */
  readonly address: string | null;
  /** Reads a header of the request, such as `traceparent`. Some of them are secrets. */
  readonly header: (name: string) => string | null;
}

/** What is known of an operation at its end. It holds names and numbers, and no value of a client but the operation's name. */
export interface OperationEnd {
  readonly transport: 'http' | 'sse' | 'websocket';
  /** Null when the session could not be opened. */
  readonly caller: ObservedCaller | null;
  /** Null when the session could not be opened, or the document not be parsed, or it does not contain the operation. */
  readonly document: ObservedDocument | null;
  /** The requests that were sent upstream for the operation. */
  readonly calls: readonly CallSummary[];
  /** Reads that shared a call of this operation or of another one. */
  readonly coalesced: number;
  /** Coordinates of the deprecated elements that its valid document uses, each once, e.g. `Book.title`. */
  readonly deprecated: readonly string[];
  /** Estimated cost; null when the operation failed before the estimate. */
  readonly cost: number | null;
  /** HTTP status; null for WebSockets, and when the client left before the answer. */
  readonly status: number | null;
  /** Whether a client got an answer, or all events until the end of a subscription. */
  readonly outcome: 'ok' | 'partial' | 'failed' | 'left';
  /** The public codes of its errors, each once. */
  readonly codes: readonly string[];
  /** Milliseconds. */
  readonly duration: number;
}

/** Who sent an operation. */
export interface ObservedCaller {
  readonly kind: 'anonymous' | 'basic' | 'bearer' | 'token' | 'oauth2';
  /** Identifies the credential within this process, and reveals nothing of it. */
  readonly key: string;
}

/** The document of an operation. */
export interface ObservedDocument {
  readonly type: 'query' | 'mutation' | 'subscription' | 'live query';
  /** The name that the client has given the operation; null for none. */
  readonly name: string | null;
  /** SHA-256 of the document's text, hexadecimal. */
  readonly hash: string;
  /** Whether the document is one of those that the operator trusts. */
  readonly isTrusted: boolean;
}

/** One call that an operation made. */
export interface CallSummary {
  /** Scope of the action, e.g. `shelf.book#index`. */
  readonly action: string;
  /** Path template of the action. */
  readonly path: string;
  readonly status: number | null;
  /** Milliseconds from the start of the operation to the sending. */
  readonly start: number;
  /** Milliseconds. */
  readonly ms: number;
}

/** A step of an operation. */
export interface OperationStep {
  readonly cause: ObservedOperation;
  /** `session`: finds the caller's schema, and verifies a new credential. */
  readonly step: 'session' | 'parse' | 'validate' | 'execute';
}

/** The end of a step. */
export interface StepEnd {
  /** Whether the step has errors. Those of a result in several parts are not known. */
  readonly hasFailed: boolean;
}

/** What needs a call. The object identifies what has begun with it. */
export type CallCause = ObservedOperation | Batch | ObservedPoller;

/** One HTTP request to the management API or the snippet service. */
export interface UpstreamCall {
  /** For a verification or a description, the operation that has begun it. Null where none has. */
  readonly cause: CallCause | null;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Scope of the action; null for `OPTIONS`. */
  readonly action: string | null;
  readonly method: string;
  /** The path with placeholders in place of values. */
  readonly template: string;
  /** Headers that are added to the request, e.g. `traceparent`. */
  readonly extraHeaders: Record<string, string>;
}

/** How a request ended. */
export interface UpstreamCallEnd {
  /** Null when no response arrived. */
  readonly status: number | null;
  /** Null when a response arrived completely. */
  readonly failure: UpstreamFailure | null;
  /** Milliseconds, with the wait for a connection. */
  readonly duration: number;
}

/** Why a request got no complete response. */
export interface UpstreamFailure {
  /** The internal code of the error, e.g. `UNREACHABLE`; `ABORTED` when nobody needs the response any more. */
  readonly code: string;
  /** Code of the connection's error, e.g. `ECONNREFUSED`; null for none. */
  readonly cause: string | null;
}

/** A response that the facade cannot use. */
export interface InvalidResponse {
  readonly cause: CallCause | null;
  readonly action: string;
  readonly template: string;
  readonly status: number;
  /** What is wrong with it, without its content. */
  readonly problem: string;
}

/** A call that waits for its turn. */
export interface QueueWait {
  readonly cause: CallCause | null;
  readonly action: string;
}

/** The objects of one resource that are fetched together. The object identifies the batch: its calls refer to it as `cause`. */
export interface Batch {
  readonly cause: ObservedOperation | null;
  /** Scope of the action that fetches one of them. */
  readonly action: string;
  /** Number of objects. */
  readonly size: number;
}

/** The associations that a read asked for. */
export interface Includes {
  readonly action: string;
  /** How many the response contains. */
  readonly used: number;
  /** How many it lacks, because the API fails with them. */
  readonly refused: number;
}

/** The wait for a running action. */
export interface ActionWait {
  readonly cause: ObservedOperation | null;
}

/** The end of a wait. */
export interface ActionWaitEnd {
  /** Whether the action is finished; false when the time of the wait was over before, or the state is unknown. */
  readonly isFinished: boolean;
}

/** The reader for whom a poller starts; others may share it. Null for lists, which it reads for all readers of a caller. */
export type PollerCause = ObservedOperation | ActionWait | null;

/** A poller of running actions. The object identifies it: its calls refer to it as `cause`. */
export interface ObservedPoller {
  readonly cause: PollerCause;
  /** `action`: long polls of one action. `list`: reads of the list of unfinished actions. */
  readonly poller: 'action' | 'list';
}

/** An assembly of a schema. */
export interface Assembly {
  /** Length of the description, in characters. */
  readonly length: number;
}

/** The end of an assembly. */
export interface AssemblyEnd {
  /** Why the description cannot be served, without its values; null when the schema is served. */
  readonly problem: string | null;
  /** Milliseconds. */
  readonly duration: number;
}

/** How a schema differs from the one before: coordinates and what happened to them. */
export interface SchemaChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly breaking: readonly string[];
}

/** States of the circuit breaker. While it is open, no requests are sent; half-open, a trial is under way. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** A change of the circuit breaker. */
export interface BreakerChange {
  readonly from: BreakerState;
  readonly to: BreakerState;
}

/** A change of whether a replica reaches the others. */
export interface SharingChange {
  readonly isAlone: boolean;
  /** Why it is alone: a code such as `ECONNREFUSED` or `TIMEOUT`, or the first word of Redis' error; null when it is not alone. */
  readonly reason: string | null;
}

/** A WebSocket. */
export interface ObservedSocket {
  readonly address: string;
}

/** The end of a WebSocket. */
export interface SocketEnd {
  /** Close code of RFC 6455, or of graphql-transport-ws above 4000. A client can send any. */
  readonly code: number;
}

/** A limit that has refused something. */
export interface LimitHit {
  /** The name of the limit: an internal error code, or that of a connection's limit. */
  readonly limit: string;
  /** The client's address, or the connection's, which may be that of a proxy; null where an operation reports it. */
  readonly address: string | null;
}

/** A request of a host that is not served, or of a page whose origin is not listed. */
export interface Refusal {
  readonly reason: 'HOST' | 'ORIGIN';
  /** The host or origin, as the client has sent it. */
  readonly value: string;
  /** The client's address; null when it is unknown. */
  readonly address: string | null;
}

/** A phase of the shutdown. */
export interface ShutdownPhase {
  readonly phase: 'draining' | 'begun' | 'operations ended' | 'connections closed' | 'done';
  /** Operations that are under way. */
  readonly operations: number;
}
