// Shares the processor of this thread among clients, by the time that each has really used.
import { LRUCache } from 'lru-cache';
import type { Observer, TurnWait } from '../telemetry/observer.ts';
import type { Abortable } from '../upstream/abortable.ts';
import { atMost } from '../upstream/cache-bounds.ts';
import type { Client } from './client.ts';
import { ServerBusyError, TooMuchWaitingError } from './errors.ts';
import { HeavyUses } from './heavy-use.ts';
import { CREDIT, leastUsed, MAX_REMEMBERED, NetworkShare, Share, type Waiter } from './shares.ts';

/** Time for which the event loop is busy before work pauses. Milliseconds, like all times here. */
const SLICE = 5;
/** How often a network may wait in proportion to the room that is free. A client has half of it, an office or a proxy is many clients. */
const NETWORK_SHARE = 7;

/** What may wait for a turn. */
export interface WaitingLimits {
  /** Requests of all clients; default 10,000. */
  readonly requests?: number;
  /** Bytes of these requests; default 128 MiB. */
  readonly bytes?: number;
  /** Longest wait of a request, in milliseconds; default 10,000. */
  readonly time?: number;
}

/** The time of a thread. */
export interface ThreadClock {
  now(): number;
  /** Calls a function after the events that have arrived are handled. */
  afterEvents(call: () => void): void;
}

const REAL_CLOCK: ThreadClock = {
  now: () => performance.now(),
  afterEvents: (call) => void setImmediate(call),
};

/** What a processor is made with. */
export interface ProcessorOptions {
  /** Default: nobody observes it. */
  readonly observer?: Observer;
  readonly limits?: WaitingLimits;
  /** Default: that of this thread. */
  readonly clock?: ThreadClock;
}

/** Lets the work of clients take turns on this thread. */
export class Processor {
  readonly #limits: Required<WaitingLimits>;
  readonly #clock: ThreadClock;
  readonly #observer: Observer;
  /** Null when nobody observes it. */
  readonly #heavyUses: HeavyUses | null;
  readonly #networks = new LRUCache<string, NetworkShare>(atMost(MAX_REMEMBERED));
  /** Networks with waiting work. */
  readonly #active = new Set<NetworkShare>();
  readonly #all = new Share();
  /** Who has run since `#since`. Null while nobody does. */
  #current: Client | null = null;
  #since = 0;
  /** When this turn of the event loop began. */
  #turnAt = 0;
  #isWatching = false;

  constructor({ observer = {}, limits = {}, clock = REAL_CLOCK }: ProcessorOptions = {}) {
    const { requests = 10_000, bytes = 128 * 1024 * 1024, time = 10_000 } = limits;
    this.#limits = { requests, bytes, time };
    this.#clock = clock;
    this.#observer = observer;
    this.#heavyUses = observer.heavyUse === undefined ? null : new HeavyUses(observer.heavyUse);
  }

  /** Requests and begun work that wait. */
  get waiting(): number {
    return this.#all.waiting;
  }

  /**
   * Waits until it is the turn of a client's request. Undefined when it is now, as on a server with nothing else to do.
   * @param size Bytes that wait with the request.
   * @param signal Ends the wait; the promise rejects with its reason.
   * @throws TooMuchWaitingError, ServerBusyError when it may not wait. Rejects with ServerBusyError after the longest wait.
   */
  enter(client: Client, size: number, signal?: Abortable): Promise<void> | undefined {
    const now = this.#mark();
    if (this.#all.waiting === 0 && now - this.#turnAt < SLICE) {
      this.#current = client;
      return undefined;
    }
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.#refuse(client, size);
    return this.#waitLimited(client, size, signal);
  }

  /** Waits as `enter` does, without a limit: something else bounds how much waits. */
  takeTurn(client: Client): Promise<void> | undefined {
    const now = this.#mark();
    if (this.#all.waiting > 0 || now - this.#turnAt >= SLICE) return this.#wait(client, 'message');
    this.#current = client;
    return undefined;
  }

  /** Lets others go first when the event loop has been busy for long. Undefined: go on. */
  pause(client: Client): Promise<void> | undefined {
    // What ran last was the work that pauses now.
    this.#current = client;
    const now = this.#mark();
    if (now - this.#turnAt < SLICE) return undefined;
    return this.#wait(client, 'begun');
  }

  #wait(client: Client, work: TurnWait['work']): Promise<void> {
    return new Promise((resolve) => this.#add(client, work, 0, resolve));
  }

  /** Charges the time since the last call to who has run. Returns the time now. */
  #mark(): number {
    const now = this.#clock.now();
    if (!this.#isWatching) {
      this.#isWatching = true;
      this.#turnAt = now;
      this.#clock.afterEvents(this.#endTurn);
    } else if (this.#current !== null) this.#charge(this.#current, now);
    this.#since = now;
    return now;
  }

  #charge(client: Client, now: number): void {
    const time = now - this.#since;
    const network = this.#shareOf(client.network);
    const share = network.shareOf(client.key);
    network.charge(time, this.#all.clock);
    share.charge(time, network.clock);
    if (this.#heavyUses !== null && this.#all.waiting > share.waiting) this.#heavyUses.add(client, time, now);
  }

  /** Ends the turn that has run, and begins that of the client who has used least. */
  readonly #endTurn = (): void => {
    this.#mark();
    this.#current = null;
    const next = this.#next();
    if (next === null) {
      this.#isWatching = false;
      return;
    }
    this.#current = next.client;
    this.#turnAt = this.#since;
    this.#clock.afterEvents(this.#endTurn);
    this.#remove(next);
    next.start();
  };

  #next(): Waiter | null {
    const network = leastUsed(this.#active);
    const client = network && leastUsed(network.active);
    if (network === null || client === null) return null;
    this.#all.clock = Math.max(this.#all.clock, network.used);
    network.clock = Math.max(network.clock, client.used);
    const [first = null] = client.queue;
    return first;
  }

  #waitLimited(client: Client, size: number, signal: Abortable | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
      };
      const waiter = this.#add(client, 'request', size, () => {
        stop();
        resolve();
      });
      const end = (error: unknown): void => {
        stop();
        this.#remove(waiter);
        reject(error);
      };
      const leave = (): void => end(signal?.reason);
      const timer = setTimeout(() => end(new ServerBusyError()), this.#limits.time);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  #add(client: Client, work: TurnWait['work'], size: number, start: () => void): Waiter {
    const network = this.#shareOf(client.network);
    const share = network.shareOf(client.key);
    network.arrive(this.#all.clock);
    share.arrive(network.clock);
    const end = this.#observer.turnWait?.({ work });
    const waiter = { client, network, share, size, start, end };
    this.#count(waiter, 1);
    share.queue.add(waiter);
    network.active.add(share);
    this.#active.add(network);
    return waiter;
  }

  #remove(waiter: Waiter): void {
    const { network, share } = waiter;
    share.queue.delete(waiter);
    waiter.end?.();
    this.#count(waiter, -1);
    if (share.waiting === 0) network.active.delete(share);
    if (network.waiting === 0) this.#active.delete(network);
  }

  #count({ network, share, size }: Waiter, change: 1 | -1): void {
    for (const part of [this.#all, network, share]) {
      part.waiting += change;
      part.size += change * size;
    }
  }

  /** Refuses what would fill the room of others: a client may hold what is free, a network several times that. */
  #refuse({ network, key }: Client, size: number): void {
    const free = this.#limits.requests - this.#all.waiting;
    const freeBytes = this.#limits.bytes - this.#all.size;
    if (free <= 0 || freeBytes <= size) throw new ServerBusyError();
    const ofNetwork = this.#shareOf(network);
    const share = ofNetwork.shareOf(key);
    if (
      share.waiting >= free ||
      share.size + size > freeBytes ||
      ofNetwork.waiting >= NETWORK_SHARE * free ||
      ofNetwork.size + size > NETWORK_SHARE * freeBytes
    )
      throw new TooMuchWaitingError();
  }

  #shareOf(network: string): NetworkShare {
    let share = this.#networks.get(network);
    if (share === undefined) {
      share = new NetworkShare();
      share.used = this.#all.clock - CREDIT;
      this.#networks.set(network, share);
    }
    return share;
  }
}
