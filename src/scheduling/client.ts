// Names whose work is scheduled.

/** Whose work it is. Clients of one network share what the network gets. */
export interface Client {
  /** An IPv4 address or an IPv6 /64 network; empty where it is unknown. */
  readonly network: string;
  /** The key of a credential that the API knows; `anonymous` for all others, so that nobody gains by inventing credentials. */
  readonly key: string;
}

/** The key of clients without a credential that the API knows. */
export const ANONYMOUS = 'anonymous';
