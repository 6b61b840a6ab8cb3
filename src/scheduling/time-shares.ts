// Counts the processor time that clients have used, and decides whose turn is next.
import { LRUCache } from 'lru-cache';
import { atMost } from '../upstream/cache-bounds.ts';
import type { Client } from './client.ts';

/** How much of its part a client may save, for when its network has run ahead. Milliseconds, like all times here. */
const MAX_SAVED = 25;
/** How much later than others a client comes at most that has used more than its part. */
const MAX_LAG = 50;
/** How much the last turn counts in the expected one, and what is expected of an unknown client. */
const LAST_TURN = 0.25;
const UNKNOWN = 0.5;
/** What a turn costs at least, with the events around it. */
const LEAST_TURN = 0.1;
/** What is unusually long: this many expected turns, and milliseconds. */
const UNUSUAL = { factor: 2, more: 0.5 } as const;
/** Networks and clients whose use is remembered. */
const MAX_REMEMBERED = 10_000;

/** What waits for its client's turn. */
export interface Waiter {
  readonly share: ClientTime;
  /** Whether it is a request, whose number is limited; nothing else bounds how many there are. */
  readonly isRequest: boolean;
  /** Bytes. */
  readonly size: number;
  readonly start: () => void;
  /** Reports the end of the wait. */
  readonly end: (() => void) | undefined;
}

/** What waits, of all, of one network, or of one client. */
export class Waiting {
  waiting = 0;
  /** Requests among them. */
  requests = 0;
  /** Bytes. */
  size = 0;
}

/** The time of a network: what its clients have used together. */
export class NetworkTime extends Waiting {
  used: number;
  /** Number of its clients with waiting work. */
  active = 0;

  constructor(used: number) {
    super();
    this.used = used;
  }
}

/** The time of one client. */
export class ClientTime extends Waiting {
  readonly client: Client;
  readonly network: NetworkTime;
  readonly queue = new Set<Waiter>();
  /** The time it has used, multiplied by the number of active clients of its network. */
  used: number;
  /** What it has left of its part, multiplied as `used` is. */
  saved = 0;
  /** Length of its next turn, as the last ones were. */
  expected = UNKNOWN;
  /** What it is charged in its turn. */
  charged = 0;
  /** How much longer than expected its work has run when it was charged last. */
  excess = 0;

  constructor(client: Client, network: NetworkTime, used: number) {
    super();
    this.client = client;
    this.network = network;
    this.used = used;
  }
}

/**
 * The time of all clients. It is counted in virtual time, which passes as fast as a network uses its part: an n-th of the processor with n
 * active networks.
 */
export class Times extends Waiting {
  /** Virtual time: the earliest possible start of the turn that began last. It never falls. */
  clock = 0;
  readonly #active = new Set<ClientTime>();
  readonly #networks = new LRUCache<string, NetworkTime>(atMost(MAX_REMEMBERED));
  readonly #clients = new LRUCache<string, ClientTime>(atMost(MAX_REMEMBERED));
  /** The share that was asked for last: a request asks for its own several times. */
  #last: ClientTime | null = null;

  shareOf(client: Client): ClientTime {
    const { network, key } = this.#last?.client ?? client;
    if (this.#last !== null && network === client.network && key === client.key) return this.#last;
    this.#last = this.#findShare(client);
    return this.#last;
  }

  #findShare(client: Client): ClientTime {
    const name = `${client.network} ${client.key}`;
    let share = this.#clients.get(name);
    if (share === undefined) {
      let network = this.#networks.get(client.network);
      if (network === undefined) {
        network = new NetworkTime(this.clock);
        this.#networks.set(client.network, network);
      }
      share = new ClientTime(client, network, this.clock);
      this.#clients.set(name, share);
    }
    return share;
  }

  /** Adds what waits. Who has not waited begins where the others are, so that nobody saves up time. */
  add(waiter: Waiter): void {
    const { share } = waiter;
    const { network } = share;
    if (network.waiting === 0) network.used = Math.max(network.used, this.clock);
    if (share.waiting === 0) {
      share.saved = Math.min(share.saved + Math.max(0, this.clock - share.used), MAX_SAVED);
      share.used = Math.max(share.used, this.clock);
      network.active += 1;
      this.#active.add(share);
    }
    share.queue.add(waiter);
    this.#count(waiter, 1);
  }

  remove(waiter: Waiter): void {
    const { share } = waiter;
    const { network } = share;
    if (!share.queue.delete(waiter)) return;
    this.#count(waiter, -1);
    if (share.waiting === 0) {
      network.active -= 1;
      this.#active.delete(share);
    }
  }

  #count({ share, size, isRequest }: Waiter, change: 1 | -1): void {
    for (const counted of [this, share.network, share]) {
      counted.waiting += change;
      if (isRequest) counted.requests += change;
      counted.size += change * size;
    }
  }

  /** Charges time to a client. */
  charge(share: ClientTime, passed: number): void {
    const time = usualPart(share, passed);
    share.charged += time;
    const { network } = share;
    network.used = Math.max(network.used, Math.min(network.used + time, this.clock + MAX_LAG));
    // Clients of a network share its part, so that time costs each of them more.
    const clients = network.active + (share.waiting > 0 ? 0 : 1);
    share.used = Math.max(share.used, Math.min(share.used + clients * time, this.clock + clients * MAX_LAG));
    share.saved = Math.max(0, share.saved - clients * time);
    // Nobody pays for time that nobody else has waited for.
    if (this.waiting === share.waiting) this.clock = Math.max(this.clock, share.used, network.used);
  }

  /** Learns from a turn how long the next one will be. */
  endTurn(share: ClientTime): void {
    if (share.charged < LEAST_TURN) this.charge(share, LEAST_TURN - share.charged);
    share.expected += LAST_TURN * (share.charged - share.expected);
  }

  /**
   * Finds whose turn would end first if each network had its part all the time, and each client its part of that (virtual deadlines, as in
   * the kernel's EEVDF). So who needs little at a time does not wait for those who have just begun as much as they may. Removes what begins;
   * null where nothing waits.
   * @param slice Length of a turn that ends because others wait.
   */
  next(slice: number): Waiter | null {
    let next: ClientTime | null = null;
    let startOfNext = 0;
    let earliest = Number.POSITIVE_INFINITY;
    let least = Number.POSITIVE_INFINITY;
    for (const share of this.#active) {
      const { network, used, saved, expected, waiting } = share;
      // Who always has work waits until its network has paid for what its other clients have used; these do not.
      const start = Math.max(used, network.used - saved);
      const deadline = start + Math.max(expected, Math.min(expected * waiting, slice));
      if (start < least) least = start;
      if (deadline >= earliest) continue;
      earliest = deadline;
      startOfNext = start;
      next = share;
    }
    const [first = null] = next?.queue ?? [];
    if (next === null || first === null) return null;
    // What it has not used before is no credit.
    next.used = startOfNext;
    next.charged = 0;
    this.clock = Math.max(this.clock, least);
    this.remove(first);
    return first;
  }
}

/**
 * The part of some time that is due to a client's work. What takes unusually long once was a garbage collection, which all have caused, or
 * another process.
 */
function usualPart(share: ClientTime, passed: number): number {
  const excess = Math.max(0, passed - UNUSUAL.factor * share.expected - UNUSUAL.more);
  const usual = passed - excess + Math.min(excess, share.excess);
  share.excess = excess;
  return usual;
}
