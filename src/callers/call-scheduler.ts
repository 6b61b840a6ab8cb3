// Decides when calls may use the connections to the management API.
import type { Abortable } from '../upstream/abortable.ts';
import type { Caller } from '../upstream/http/caller.ts';
import type { BetweenTurns } from '../upstream/http/transport.ts';
import { networkOf } from './client-address.ts';
import { UpstreamBusyError } from './errors.ts';

/** How connections are shared. */
export interface SchedulerOptions {
  /** Calls in progress at once, of all callers; default 64. */
  readonly connections?: number;
  /** Longest wait for a turn, in milliseconds; default 10,000. */
  readonly maxWait?: number;
  /** Calls that wait at once, of all callers; default 10,000. */
  readonly maxWaiting?: number;
}

/**
 * Free connections that a caller must leave for each of its own: with 64 connections, one caller alone gets 43, and a second one 14 of
 * the other 21, so that a few callers with hanging calls do not occupy all at once.
 */
const CALLER_SHARE = 2;
/** The same for all callers of one network. It is larger, because a proxy or an office is one network for many people. */
const NETWORK_SHARE = 7;

/** Asks for a turn. */
export interface TurnRequest {
  /** Anonymous callers of one network are one caller. */
  readonly caller: Caller;
  /** Ends the wait. */
  readonly signal?: Abortable | undefined;
  /** Called when the call has to wait. Returns what is called at the end of the wait. */
  readonly onWait?: (() => () => void) | undefined;
}

/** The calls of one caller. */
interface Queue {
  readonly key: string;
  readonly network: string;
  active: number;
  /** Functions that start the calls that wait for their turn, in order. */
  readonly waiting: Set<() => void>;
}

/**
 * Shares connections fairly: a caller may use as many as are free in proportion (dynamic thresholds, as in network switches), and
 * callers who wait take turns.
 */
export class CallScheduler {
  readonly #connections: number;
  readonly #maxWait: number;
  readonly #maxWaiting: number;
  /** Queues of callers with calls in progress or waiting, those who were served longest ago first. */
  readonly #queues = new Map<string, Queue>();
  readonly #activeByNetwork = new Map<string, number>();
  readonly #waitingByNetwork = new Map<string, number>();
  #active = 0;
  #waiting = 0;

  constructor({ connections = 64, maxWait = 10_000, maxWaiting = 10_000 }: SchedulerOptions = {}) {
    this.#connections = connections;
    this.#maxWait = maxWait;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Runs a call when it is the caller's turn. Thousands of calls may wait, so a waiting one holds little: whatever it needs to be
   * sent is made in its turn.
   * @param call Takes a function that ends the turn, runs a task, and waits for another turn.
   * @throws UpstreamBusyError when the turn does not come in time, and the call's own error. Rejects when the signal aborts
   *   while the call waits.
   */
  run<T>(request: TurnRequest, call: (betweenTurns: BetweenTurns) => Promise<T>): Promise<T> {
    const queue = this.#takeTurn(request);
    return queue instanceof Promise
      ? queue.then((begun) => this.#use(begun, request, call))
      : this.#use(queue, request, call);
  }

  /** Runs a call in the turn that has begun, and ends the turn. */
  async #use<T>(
    begun: Queue,
    request: TurnRequest,
    call: (betweenTurns: BetweenTurns) => Promise<T>,
  ): Promise<T> {
    let queue: Queue | null = begun;
    const betweenTurns: BetweenTurns = async (task) => {
      if (queue !== null) this.#end(queue);
      queue = null;
      await task();
      queue = await this.#takeTurn(request);
    };
    try {
      // The signal may abort after the turn has begun and before this runs.
      request.signal?.throwIfAborted();
      return await call(betweenTurns);
    } finally {
      if (queue !== null) this.#end(queue);
    }
  }

  /** Begins a turn, at once or after a wait. Returns the caller's queue. */
  #takeTurn(request: TurnRequest): Queue | Promise<Queue> {
    if (request.signal?.aborted) return Promise.reject(request.signal.reason);
    const { address, credential, key: callerKey } = request.caller;
    const network = networkOf(address ?? '');
    const key = credential === null ? `anonymous ${network}` : callerKey;
    const queue = this.#queues.get(key) ?? { key, network, active: 0, waiting: new Set() };
    this.#queues.set(key, queue);
    if (queue.waiting.size > 0 || !this.#mayStart(queue)) return this.#wait(queue, request);
    this.#begin(queue);
    return queue;
  }

  /** Whether a queue may use one more connection. */
  #mayStart({ active, network }: Queue): boolean {
    const free = this.#connections - this.#active;
    if (free <= 0) return false;
    return active < CALLER_SHARE * free && (this.#activeByNetwork.get(network) ?? 0) < NETWORK_SHARE * free;
  }

  #begin(queue: Queue): void {
    // The caller goes to the end of the order.
    this.#queues.delete(queue.key);
    this.#queues.set(queue.key, queue);
    queue.active += 1;
    this.#active += 1;
    addTo(this.#activeByNetwork, queue.network, 1);
  }

  #end(queue: Queue): void {
    queue.active -= 1;
    this.#active -= 1;
    addTo(this.#activeByNetwork, queue.network, -1);
    this.#startWaiting();
    this.#removeIfIdle(queue);
  }

  /** Waits for a turn, which begins the call. */
  #wait(queue: Queue, { signal, onWait }: TurnRequest): Promise<Queue> {
    if (!this.#mayWait(queue)) {
      this.#removeIfIdle(queue);
      return Promise.reject(new UpstreamBusyError());
    }
    const endWait = onWait?.();
    this.#waiting += 1;
    addTo(this.#waitingByNetwork, queue.network, 1);
    return new Promise((resolve, reject) => {
      const stopWaiting = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        queue.waiting.delete(start);
        this.#waiting -= 1;
        addTo(this.#waitingByNetwork, queue.network, -1);
        endWait?.();
      };
      const start = (): void => {
        stopWaiting();
        resolve(queue);
      };
      const refuse = (error: unknown): void => {
        stopWaiting();
        this.#removeIfIdle(queue);
        reject(error);
      };
      const abort = (): void => refuse(signal?.reason);
      const timer = setTimeout(() => refuse(new UpstreamBusyError()), this.#maxWait);
      signal?.addEventListener('abort', abort, { once: true });
      queue.waiting.add(start);
    });
  }

  /** Starts waiting calls while connections are free, one of each caller in turn. */
  #startWaiting(): void {
    let started = true;
    while (started && this.#waiting > 0) {
      started = false;
      for (const queue of this.#queues.values()) {
        if (this.#active >= this.#connections) return;
        const [start] = queue.waiting;
        if (start === undefined || !this.#mayStart(queue)) continue;
        this.#begin(queue);
        start();
        started = true;
        break;
      }
    }
  }

  /** Whether a queue may hold one more waiting call: no caller and no network fills the places of others. */
  #mayWait({ waiting, network }: Queue): boolean {
    const free = this.#maxWaiting - this.#waiting;
    const ofNetwork = this.#waitingByNetwork.get(network) ?? 0;
    return free > 0 && waiting.size < free && ofNetwork < NETWORK_SHARE * free;
  }

  #removeIfIdle({ key, active, waiting }: Queue): void {
    if (active === 0 && waiting.size === 0) this.#queues.delete(key);
  }
}

/** Adds to a count, and forgets it at zero. */
function addTo(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
