// Decides when calls may use the connections to the management API.
import type { Abortable } from '../upstream/abortable.ts';
import { UpstreamBusyError } from '../upstream/errors/request-errors.ts';
import type { Caller } from '../upstream/http/caller.ts';
import { networkOf } from './client-address.ts';

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

/** The calls of one caller. */
interface Queue {
  active: number;
  readonly network: string;
  /** What starts each call that waits for its turn, in their order. */
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
   * Runs a call when it is the caller's turn. Anonymous callers of one network are one caller.
   * @param onWait Called when the call has to wait. Returns what is called at the end of the wait.
   * @throws UpstreamBusyError when the turn does not come in time, and the call's own error. Rejects when the signal aborts
   *   while the call waits.
   */
  async run<T>(
    caller: Caller,
    call: () => Promise<T>,
    signal?: Abortable,
    onWait?: () => (() => void) | undefined,
  ): Promise<T> {
    signal?.throwIfAborted();
    const network = networkOf(caller.address ?? '');
    const key = caller.credential === null ? `anonymous ${network}` : caller.key;
    const queue = this.#queues.get(key) ?? { active: 0, network, waiting: new Set() };
    this.#queues.set(key, queue);
    if (queue.waiting.size > 0 || !this.#mayStart(queue)) await this.#wait(key, queue, signal, onWait);
    else this.#begin(key, queue);
    try {
      // The wait may have ended by both, a turn and the signal.
      signal?.throwIfAborted();
      return await call();
    } finally {
      this.#end(key, queue);
    }
  }

  /** Whether a queue may use one more connection. */
  #mayStart({ active, network }: Queue): boolean {
    const free = this.#connections - this.#active;
    if (free <= 0) return false;
    return active < CALLER_SHARE * free && (this.#activeByNetwork.get(network) ?? 0) < NETWORK_SHARE * free;
  }

  #begin(key: string, queue: Queue): void {
    // The caller goes to the end of the order.
    this.#queues.delete(key);
    this.#queues.set(key, queue);
    queue.active += 1;
    this.#active += 1;
    addTo(this.#activeByNetwork, queue.network, 1);
  }

  #end(key: string, queue: Queue): void {
    queue.active -= 1;
    this.#active -= 1;
    addTo(this.#activeByNetwork, queue.network, -1);
    this.#startWaiting();
    this.#removeIfIdle(key, queue);
  }

  /** Waits for a turn, which begins the call. */
  async #wait(
    key: string,
    queue: Queue,
    signal: Abortable | undefined,
    onWait: (() => (() => void) | undefined) | undefined,
  ): Promise<void> {
    if (!this.#mayWait(queue)) {
      this.#removeIfIdle(key, queue);
      throw new UpstreamBusyError();
    }
    const endWait = onWait?.();
    this.#waiting += 1;
    addTo(this.#waitingByNetwork, queue.network, 1);
    let stopWaiting = (): void => undefined;
    try {
      await new Promise<void>((start, refuse) => {
        const timer = setTimeout(() => refuse(new UpstreamBusyError()), this.#maxWait);
        const abort = (): void => refuse(signal?.reason);
        signal?.addEventListener('abort', abort, { once: true });
        queue.waiting.add(start);
        stopWaiting = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', abort);
          queue.waiting.delete(start);
        };
      });
    } catch (error) {
      stopWaiting();
      this.#removeIfIdle(key, queue);
      throw error;
    } finally {
      stopWaiting();
      endWait?.();
      this.#waiting -= 1;
      addTo(this.#waitingByNetwork, queue.network, -1);
    }
  }

  /** Starts waiting calls while connections are free, one of each caller in turn. */
  #startWaiting(): void {
    let started = true;
    while (started && this.#waiting > 0) {
      started = false;
      for (const [key, queue] of this.#queues) {
        if (this.#active >= this.#connections) return;
        const [start] = queue.waiting;
        if (start === undefined || !this.#mayStart(queue)) continue;
        queue.waiting.delete(start);
        this.#begin(key, queue);
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

  #removeIfIdle(key: string, queue: Queue): void {
    if (queue.active === 0 && queue.waiting.size === 0) this.#queues.delete(key);
  }
}

/** Adds to a count, and forgets it at zero. */
function addTo(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
