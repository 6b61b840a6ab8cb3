// Defines what a facade and its server report while they work, and joins observers. Logs, metrics and traces observe it.

/**
 * Observes a facade and its server. A facade calls only the methods that its observer has, so what nobody observes costs nothing.
 * Methods are called synchronously and must not throw. A method that reports a begin may return what is to be called at the end, once.
 */
export interface Observer {
  /** A request with an operation has arrived. Its session is not open, and its document not parsed. */
  readonly operation?: Begin<ObservedOperation, OperationEnd> | undefined;
  /** Names the trace of an operation; null for none. At most one observer does. */
  readonly traceId?: ((operation: ObservedOperation) => string | null) | undefined;
  /** A step of an operation begins; a subscription is not executed as one step. Errors of a result in several parts are not known. */
  readonly step?: Begin<OperationStep, { readonly hasFailed: boolean }> | undefined;
  /** A request to the management API or the snippet service begins; a repeated read is a request of its own. */
  readonly upstreamCall?: Begin<UpstreamCall, UpstreamCallEnd> | undefined;
  /** The management API sent a response that contradicts its description or the protocol. */
  readonly invalidResponse?: Notice<InvalidResponse> | undefined;
  /** A call waits for its turn, because other calls occupy the connections. */
  readonly queueWait?: Begin<{ readonly cause: CallCause | null; readonly action: string }, void> | undefined;
  /** The objects that an operation needs of one resource are fetched. */
  readonly batch?: Begin<Batch, void> | undefined;
  /** A read asked for associations: how many its response contains, and lacks because the API fails with them. */
  readonly includes?:
    | Notice<{ readonly action: string; readonly used: number; readonly refused: number }>
    | undefined;
  /** A mutation waits until its action is finished. It is not at the end of the wait's time, or when its state is unknown. */
  readonly actionWait?: Begin<ActionWait, { readonly isFinished: boolean }> | undefined;
  /** A poller of running actions starts. */
  readonly poller?: Begin<ObservedPoller, void> | undefined;
  /** A subscription sends events from now on. */
  readonly subscription?: Begin<ObservedOperation, void> | undefined;
  /** A live query sends results from now on. */
  readonly liveQuery?: Begin<ObservedOperation, void> | undefined;
  /** A WebSocket has opened, and closes with a code of RFC 6455, or of graphql-transport-ws above 4000. A client can send any. */
  readonly socket?: Begin<{ readonly address: string }, { readonly code: number }> | undefined;
  /** A schema is assembled from a description of `length` characters. The problem is why it cannot be served, without its values. */
  readonly assembly?:
    | Begin<{ readonly length: number }, { readonly problem: string | null; readonly duration: number }>
    | undefined;
  /** A new description has replaced the operator's schema: the coordinates that differ. */
  readonly schemaChange?:
    | Notice<Readonly<Record<'added' | 'removed' | 'breaking', readonly string[]>>>
    | undefined;
  /** The circuit breaker of the management API has changed its state. */
  readonly breaker?: Notice<{ readonly from: BreakerState; readonly to: BreakerState }> | undefined;
  /** This replica can share with others, or has to go on alone: why, as a code such as `TIMEOUT`, or the first word of Redis' error. */
  readonly sharing?: Notice<{ readonly isAlone: boolean; readonly reason: string | null }> | undefined;
  /** A limit has refused something: an internal error code, or the name of a connection's limit. An operation reports no address. */
  readonly limit?: Notice<{ readonly limit: string; readonly address: string | null }> | undefined;
  /** A request is refused, or its response kept from the page that sent it, because of the host or origin that it names. */
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
interface ObservedCaller {
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
interface CallSummary {
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

/** A step of an operation. `session` finds the caller's schema, and verifies a new credential. */
export interface OperationStep {
  readonly cause: ObservedOperation;
  readonly step: 'session' | 'parse' | 'validate' | 'execute';
}

/** What needs a call. The object identifies what has begun with it. */
export type CallCause = ObservedOperation | Batch | ObservedPoller;

/** One HTTP request to the management API or the snippet service. */
interface UpstreamCall {
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
interface InvalidResponse {
  readonly cause: CallCause | null;
  readonly action: string;
  readonly template: string;
  readonly status: number;
  /** What is wrong with it, without its content. */
  readonly problem: string;
}

/** The objects of one resource that are fetched together. Their calls refer to it as `cause`. */
export interface Batch {
  readonly cause: ObservedOperation | null;
  /** Scope of the action that fetches one of them. */
  readonly action: string;
  /** Number of objects. */
  readonly size: number;
}

/** The wait for a running action. */
export interface ActionWait {
  readonly cause: ObservedOperation | null;
}

/** The reader for whom a poller starts; others may share it. Null for lists, which it reads for all readers of a caller. */
export type PollerCause = ObservedOperation | ActionWait | null;

/** A poller of running actions. Its calls refer to it as `cause`. */
interface ObservedPoller {
  readonly cause: PollerCause;
  /** `action`: long polls of one action. `list`: reads of the list of unfinished actions. */
  readonly poller: 'action' | 'list';
}

/** States of the circuit breaker. While it is open, no requests are sent; half-open, a trial is under way. */
export type BreakerState = 'closed' | 'open' | 'half-open';

/** A request of a host that is not served, or of a page whose origin is not listed. */
export interface Refusal {
  readonly reason: 'HOST' | 'ORIGIN';
  /** The host or origin, as the client has sent it. */
  readonly value: string;
  /** The client's address; null when it is unknown. */
  readonly address: string | null;
}

/** A phase of the shutdown, and the number of operations under way. */
export interface ShutdownPhase {
  readonly phase: 'draining' | 'begun' | 'operations ended' | 'connections closed' | 'done';
  readonly operations: number;
}

/** Makes an observer that passes everything on. It has only the methods that one of the given observers has as its own properties. */
export function combineObservers(observers: readonly Observer[]): Observer {
  const names = new Set(observers.flatMap((observer) => Object.keys(observer) as (keyof Observer)[]));
  const methods = [...names].map((name) => {
    const all = observers.flatMap((observer) => observer[name] ?? []) as readonly Method[];
    return [name, all.length > 1 ? callAll(all) : all[0]];
  });
  return Object.fromEntries(methods);
}

/** A method of any name. Its argument is that of all others with the name. */
type Method = (begun: never) => ((end: never) => void) | undefined;

const callAll =
  (methods: readonly Method[]): Method =>
  (begun) => {
    const ends: ((end: never) => void)[] = [];
    for (const method of methods) {
      const end = method(begun);
      if (end !== undefined) ends.push(end);
    }
    if (ends.length < 2) return ends[0];
    return (end) => {
      for (const one of ends) one(end);
    };
  };
