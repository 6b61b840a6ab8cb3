// Counts what the clients of a processor have used, and what of theirs waits.
import { LRUCache } from 'lru-cache';
import { atMost } from '../upstream/cache-bounds.ts';
import type { Client } from './client.ts';

/** How much earlier than others a client comes that has used nothing for a while. Milliseconds, like all times here. */
export const CREDIT = 20;
/** How much later than others a client comes at most that has used more than its part while nobody waited. */
const MAX_LAG = 50;
/** Networks, and clients of a network, whose use is remembered. */
export const MAX_REMEMBERED = 10_000;

/** What waits for its client's turn. */
export interface Waiter {
  readonly client: Client;
  readonly network: NetworkShare;
  readonly share: ClientShare;
  /** Bytes. */
  readonly size: number;
  readonly start: () => void;
  /** Reports the end of the wait. */
  readonly end: (() => void) | undefined;
}

/**
 * A part of the processor. Its use is counted in virtual time (stride scheduling, as in the kernel's CFS): the part that has used least is
 * next. A part that comes back begins where the others are now, so that it neither saves up time nor pays for time that nobody wanted.
 */
export class Share {
  used = 0;
  /** The use of the part below that was next most recently. */
  clock = 0;
  waiting = 0;
  size = 0;

  /** Begins to wait beside others whose clock is given. */
  arrive(clock: number): void {
    if (this.waiting === 0) this.used = Math.max(this.used, clock - CREDIT);
  }

  charge(time: number, clock: number): void {
    this.used = Math.max(this.used, Math.min(this.used + time, clock + MAX_LAG));
  }
}

/** The part of one client in its network's. */
export class ClientShare extends Share {
  readonly queue = new Set<Waiter>();
}

export class NetworkShare extends Share {
  readonly clients = new LRUCache<string, ClientShare>(atMost(MAX_REMEMBERED));
  readonly active = new Set<ClientShare>();

  shareOf(key: string): ClientShare {
    let share = this.clients.get(key);
    if (share === undefined) {
      share = new ClientShare();
      share.used = this.clock - CREDIT;
      this.clients.set(key, share);
    }
    return share;
  }
}

/** The share that has used least; null for none. */
export function leastUsed<S extends Share>(shares: Iterable<S>): S | null {
  let least: S | null = null;
  for (const share of shares) if (least === null || share.used < least.used) least = share;
  return least;
}
