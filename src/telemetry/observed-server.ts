// Defines what a server reports besides operations.

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
