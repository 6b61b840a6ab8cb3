// Counts what the clients of a processor have used, and what of theirs waits.
import { LRUCache } from 'lru-cache';
import { atMost } from '../upstream/cache-bounds.ts';
import type { Client } from './client.ts';

/** How much later than others a client comes at most that has used more than its part. Milliseconds, like all times here. */
const MAX_LAG = 50;
/** How much the last turn counts in the expected one, and how long that is at most. */
const LAST_TURN = 0.25;
const MAX_EXPECTED = 5;
/** Networks, and clients of a network, whose use is remembered. */
const MAX_REMEMBERED = 10_000;

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

/** A part of the processor. Its use is counted in virtual time, as in the kernel's EEVDF: see `nextClient`. */
abstract class Share {
  used = 0;
  waiting = 0;
  size = 0;

  /** Begins to wait where the others are now, so that it neither saves up time nor pays for time that nobody wanted. */
  arrive(clock: number): void {
    if (this.waiting === 0) this.used = Math.max(this.used, clock);
  }

  charge(time: number, clock: number): void {
    this.used = Math.max(this.used, Math.min(this.used + time, clock + MAX_LAG));
  }
}

/** The part of one client in its network's. */
export class ClientShare extends Share {
  readonly queue = new Set<Waiter>();
  /** Length of its next turn, as the last ones were. */
  expected = 0;

  /** Ends a turn of a length. */
  endTurn(time: number): void {
    this.expected += LAST_TURN * (Math.min(time, MAX_EXPECTED) - this.expected);
  }
}

/** A part that others share. */
class SharedPart<S extends Share> extends Share {
  /** Use of the active share that has used least, or did when one was active. It never falls. */
  clock = 0;
  /** Those that have waiting work. */
  readonly active = new Set<S>();
  readonly #shares = new LRUCache<string, S>(atMost(MAX_REMEMBERED));
  readonly #create: () => S;

  constructor(create: () => S) {
    super();
    this.#create = create;
  }

  shareOf(key: string): S {
    let share = this.#shares.get(key);
    if (share === undefined) {
      share = this.#create();
      share.used = this.clock;
      this.#shares.set(key, share);
    }
    return share;
  }

  /** Sets the clock. Called before a turn, because others may wait by then. */
  advance(): void {
    let least = Number.POSITIVE_INFINITY;
    for (const { used } of this.active) least = Math.min(least, used);
    if (this.active.size > 0) this.clock = Math.max(this.clock, least);
  }
}

/** The part of a network in that of all. */
export class NetworkShare extends SharedPart<ClientShare> {
  constructor() {
    super(() => new ClientShare());
  }
}

/** The whole processor. */
export class WholeShare extends SharedPart<NetworkShare> {
  constructor() {
    super(() => new NetworkShare());
  }
}

/**
 * The client whose next turn would end first if each network had its part, and each client its part of that; null where nobody waits.
 * So who needs little at a time does not wait for those who have just begun as much as they may.
 */
export function nextClient(whole: WholeShare): ClientShare | null {
  let next: ClientShare | null = null;
  let earliest = Number.POSITIVE_INFINITY;
  for (const network of whole.active) {
    const client = firstOf(network.active);
    if (client === null || network.used + client.expected >= earliest) continue;
    next = client;
    earliest = network.used + client.expected;
  }
  return next;
}

function firstOf(clients: Iterable<ClientShare>): ClientShare | null {
  let first: ClientShare | null = null;
  for (const client of clients)
    if (first === null || client.used + client.expected < first.used + first.expected) first = client;
  return first;
}
