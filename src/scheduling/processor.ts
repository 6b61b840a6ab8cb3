// Shares the processor of this thread among clients, by the time that each has really used.
import type { Observer, TurnWait } from '../telemetry/observer.ts';
import type { Abortable } from '../upstream/abortable.ts';
import { CallScheduler } from './call-scheduler.ts';
import type { Client } from './client.ts';
import { ServerBusyError, TooMuchWaitingError } from './errors.ts';
import { HeavyUses } from './heavy-use.ts';
import { type ClientTime, Times, type Waiter } from './time-shares.ts';

/** Time that work may take before it pauses: several times what a light request needs. Milliseconds, like all times here. */
const SLICE = 2.5;
/** Most time charged for reading a request. The rest was spent on other events. */
const READING = 0.2;
/** How much more than the free room a network may have waiting. A client may have half of that: an office or a proxy is many clients. */
const NETWORK_SHARE = 7;

/** Long documents that are read at a time. With its tokens, one takes up to 10 MiB, all of which the garbage collector has to mark. */
const LONG_DOCUMENTS = 4;

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
  readonly #times = new Times();
  readonly #longDocuments = new CallScheduler({
    calls: LONG_DOCUMENTS,
    createRefusal: () => new ServerBusyError(),
  });
  /** Who has run since `#since`. Null while nobody does. */
  #current: Client | null = null;
  #since = 0;
  /** When this turn began: of the event loop, or of the client who has waited for it. */
  #turnAt = 0;
  /** Whose turn it is. Null outside of turns. */
  #turnOf: ClientTime | null = null;
  #isWatching = false;
  /** Whether the next turn will be that of a client who waits. */
  #isAwaited = false;

  constructor({ observer = {}, limits = {}, clock = REAL_CLOCK }: ProcessorOptions = {}) {
    const { requests = 10_000, bytes = 128 * 1024 * 1024, time = 10_000 } = limits;
    this.#limits = { requests, bytes, time };
    this.#clock = clock;
    this.#observer = observer;
    this.#heavyUses = observer.heavyUse === undefined ? null : new HeavyUses(observer.heavyUse);
  }

  /** Requests and begun work that wait. */
  get waiting(): number {
    return this.#times.waiting;
  }

  /**
   * Waits until it is the turn of a client's request. Undefined when it is now, as on a server with nothing else to do.
   * @param size Bytes that wait with the request.
   * @param signal Ends the wait; the promise rejects with its reason.
   * @throws TooMuchWaitingError, ServerBusyError when it may not wait. Rejects with ServerBusyError after the longest wait.
   */
  enter(client: Client, size: number, signal?: Abortable): Promise<void> | undefined {
    if (this.#mayBegin(client)) return undefined;
    if (signal?.aborted) return Promise.reject(signal.reason);
    this.#refuse(client, size);
    return this.#waitLimited(client, size, signal);
  }

  /** Waits as `enter` does, without a limit: something else bounds how much waits. */
  takeTurn(client: Client): Promise<void> | undefined {
    return this.#mayBegin(client) ? undefined : this.#wait(client, 'message');
  }

  /**
   * Waits until a long document may be read, which takes many turns, and much memory meanwhile: few are read at a time.
   * @returns What ends the reading.
   * @throws ServerBusyError when too many wait. Rejects with it after 10 seconds, and when the signal aborts with its reason.
   */
  beginReading(client: Client, signal?: Abortable): Promise<() => void> {
    const onWait = (): (() => void) => this.#observer.turnWait?.({ work: 'request' }) ?? (() => undefined);
    return this.#longDocuments.begin({ client, signal, onWait });
  }

  /** Lets others go first when the event loop has been busy for long. Undefined: go on. */
  pause(client: Client): Promise<void> | undefined {
    // What ran last was the work that pauses now.
    this.#current = client;
    const now = this.#mark();
    if (now - this.#turnAt < SLICE) return undefined;
    this.#current = null;
    return this.#wait(client, 'begun');
  }

  /** Whether new work may begin at once: nobody waits, or it is the client's turn, and the event loop has not been busy for long. */
  #mayBegin(client: Client): boolean {
    // Charges the reading of the work to its client, unless somebody else has run.
    const reading = this.#isWatching && this.#current === null ? READING : 0;
    const since = this.#since;
    const now = this.#mark();
    if (reading > 0) this.#charge(client, Math.min(now - since, reading), now);
    if (now - this.#turnAt >= SLICE) return false;
    if (this.#times.waiting > 0 && !isOf(this.#turnOf, client)) return false;
    this.#current = client;
    return true;
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
      this.#watch();
    } else if (this.#current !== null) this.#charge(this.#current, now - this.#since, now);
    this.#since = now;
    return now;
  }

  /** Begins the next turn after the events that have arrived. */
  #watch(): void {
    this.#clock.afterEvents(this.#beginTurn);
    if (this.#times.waiting > 0) this.#await();
  }

  /** Ends the next turn when all has run that it has begun. Where nobody waits, there is nothing to end. */
  #await(): void {
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    this.#clock.afterEvents(this.#endTurn);
  }

  #charge(client: Client, passed: number, now: number): void {
    const share = this.#times.shareOf(client);
    this.#times.charge(share, passed);
    if (this.#heavyUses !== null && this.#times.waiting > share.waiting)
      this.#heavyUses.add(client, passed, now);
  }

  /** Begins the next turn. */
  readonly #beginTurn = (): void => {
    this.#mark();
    this.#current = null;
    const next = this.#times.next(SLICE);
    this.#isWatching = next !== null;
    if (next === null) return;
    this.#current = next.share.client;
    this.#turnAt = this.#since;
    this.#turnOf = next.share;
    next.end?.();
    next.start();
  };

  /** Ends a turn. The events that follow are not those of its client. */
  readonly #endTurn = (): void => {
    this.#isAwaited = false;
    // The client that waited for this turn has left. Work that waits since then has its turn after the next events.
    if (this.#turnOf === null) {
      if (this.#times.waiting > 0) this.#await();
      return;
    }
    this.#mark();
    this.#current = null;
    this.#times.endTurn(this.#turnOf);
    this.#turnOf = null;
    this.#watch();
  };

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
        this.#times.remove(waiter);
        waiter.end?.();
        reject(error);
      };
      const leave = (): void => end(signal?.reason);
      const timer = setTimeout(() => end(new ServerBusyError()), this.#limits.time);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  #add(client: Client, work: TurnWait['work'], size: number, start: () => void): Waiter {
    const share = this.#times.shareOf(client);
    const waiter = {
      share,
      isRequest: work === 'request',
      size,
      start,
      end: this.#observer.turnWait?.({ work }),
    };
    this.#times.add(waiter);
    this.#await();
    return waiter;
  }

  /** Refuses what would fill the room of others: a client may hold what is free, a network several times that. */
  #refuse(client: Client, size: number): void {
    const { requests, bytes } = this.#limits;
    const free = requests - this.#times.requests;
    const freeBytes = bytes - this.#times.size;
    if (free <= 0 || freeBytes <= size) throw new ServerBusyError();
    const share = this.#times.shareOf(client);
    const { network } = share;
    if (
      share.requests >= free ||
      share.size + size > freeBytes ||
      network.requests >= NETWORK_SHARE * free ||
      network.size + size > NETWORK_SHARE * freeBytes
    )
      throw new TooMuchWaitingError();
  }
}

const isOf = (share: ClientTime | null, { network, key }: Client): boolean =>
  share !== null && share.client.key === key && share.client.network === network;
