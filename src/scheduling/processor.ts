// Shares the processor of this thread among clients, by the time that each has really used.
import type { Observer, TurnWait } from '../telemetry/observer.ts';
import type { Abortable } from '../upstream/abortable.ts';
import type { Client } from './client.ts';
import { ServerBusyError, TooMuchWaitingError } from './errors.ts';
import { HeavyUses } from './heavy-use.ts';
import { type ClientShare, nextClient, type Waiter, WholeShare } from './shares.ts';

/** Time for which the event loop is busy before work pauses, at least and at most. Milliseconds, like all times here. */
const SLICE = { min: 1, max: 5 };
/** Time in which each of the networks with waiting work has a turn, where slices can be short enough. */
const ROUND = 20;
/** What reading a request takes at most. What has passed beyond that was spent on other events. */
const READING = 0.2;
/** How much longer than the expected turn one may be that its client has to pay for. */
const UNUSUAL = 4;
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
  readonly #all = new WholeShare();
  /** Who has run since `#since`. Null while nobody does. */
  #current: Client | null = null;
  #since = 0;
  /** When this turn of the event loop began. */
  #turnAt = 0;
  /** Who has waited for this turn of the event loop. */
  #turnOf: ClientShare | null = null;
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
    const now = this.#arrive(client);
    if (this.#all.waiting === 0 && now - this.#turnAt < this.#slice) {
      this.#current = client;
      return undefined;
    }
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.#refuse(client, size);
    return this.#waitLimited(client, size, signal);
  }

  /** Waits as `enter` does, without a limit: something else bounds how much waits. */
  takeTurn(client: Client): Promise<void> | undefined {
    const now = this.#arrive(client);
    if (this.#all.waiting > 0 || now - this.#turnAt >= this.#slice) return this.#wait(client, 'message');
    this.#current = client;
    return undefined;
  }

  /** Lets others go first when the event loop has been busy for long. Undefined: go on. */
  pause(client: Client): Promise<void> | undefined {
    // What ran last was the work that pauses now.
    this.#current = client;
    const now = this.#mark();
    if (now - this.#turnAt < this.#slice) return undefined;
    this.#current = null;
    return this.#wait(client, 'begun');
  }

  get #slice(): number {
    return Math.max(SLICE.min, Math.min(SLICE.max, ROUND / this.#all.active.size));
  }

  #wait(client: Client, work: TurnWait['work']): Promise<void> {
    return new Promise((resolve) => this.#add(client, work, 0, resolve));
  }

  /** Charges the reading of a request to its client, unless somebody else has run. Returns the time now. */
  #arrive(client: Client): number {
    const since = this.#since;
    const isReading = this.#isWatching && this.#current === null;
    const now = this.#mark();
    if (isReading) this.#charge(client, Math.min(now - since, READING), now);
    return now;
  }

  /** Charges the time since the last call to who has run. Returns the time now. */
  #mark(): number {
    const now = this.#clock.now();
    if (!this.#isWatching) {
      this.#isWatching = true;
      this.#turnAt = now;
      this.#watch();
    } else if (this.#current !== null) this.#charge(this.#current, now - this.#since, now);
    this.#since = now;
    return now;
  }

  /** Begins the next turn after the events that have arrived, and ends it when all has run that it has begun. */
  #watch(): void {
    this.#clock.afterEvents(this.#beginTurn);
    this.#clock.afterEvents(this.#endTurn);
  }

  #charge(client: Client, passed: number, now: number): void {
    const network = this.#all.shareOf(client.network);
    const share = network.shareOf(client.key);
    // What takes much longer than the turns before is a garbage collection, which all have caused, or another process.
    const time = Math.min(passed, SLICE.min + UNUSUAL * share.expected);
    network.charge(time, this.#all.clock);
    share.charge(time, network.clock);
    // Nobody pays for time that nobody else has waited for.
    if (this.#all.waiting === network.waiting) this.#all.clock = Math.max(this.#all.clock, network.used);
    if (network.waiting === share.waiting) network.clock = Math.max(network.clock, share.used);
    if (this.#heavyUses !== null && this.#all.waiting > share.waiting)
      this.#heavyUses.add(client, passed, now);
  }

  /** Begins the next turn. */
  readonly #beginTurn = (): void => {
    this.#mark();
    this.#current = null;
    const next = this.#next();
    this.#isWatching = next !== null;
    if (next === null) return;
    this.#current = next.client;
    this.#turnAt = this.#since;
    this.#turnOf = next.share;
    this.#remove(next);
    next.start();
  };

  /** Ends a turn. The events that follow are not those of its client. */
  readonly #endTurn = (): void => {
    if (!this.#isWatching) return;
    const now = this.#mark();
    this.#current = null;
    this.#turnOf?.endTurn(now - this.#turnAt);
    this.#turnOf = null;
    this.#watch();
  };

  #next(): Waiter | null {
    const [first = null] = nextClient(this.#all)?.queue ?? [];
    if (first === null) return null;
    this.#all.advance();
    first.network.advance();
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
    const network = this.#all.shareOf(client.network);
    const share = network.shareOf(client.key);
    network.arrive(this.#all.clock);
    share.arrive(network.clock);
    const end = this.#observer.turnWait?.({ work });
    const waiter = { client, network, share, size, start, end };
    this.#count(waiter, 1);
    share.queue.add(waiter);
    network.active.add(share);
    this.#all.active.add(network);
    return waiter;
  }

  #remove(waiter: Waiter): void {
    const { network, share } = waiter;
    share.queue.delete(waiter);
    waiter.end?.();
    this.#count(waiter, -1);
    if (share.waiting === 0) network.active.delete(share);
    if (network.waiting === 0) this.#all.active.delete(network);
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
    const ofNetwork = this.#all.shareOf(network);
    const share = ofNetwork.shareOf(key);
    if (
      share.waiting >= free ||
      share.size + size > freeBytes ||
      ofNetwork.waiting >= NETWORK_SHARE * free ||
      ofNetwork.size + size > NETWORK_SHARE * freeBytes
    )
      throw new TooMuchWaitingError();
  }
}
