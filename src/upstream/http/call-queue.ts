// Bounds the calls under way and the bytes of their answers. Calls wait in a circle: each network in turn, and in it each client.
import type { Abortable } from '../abortable.ts';
import { AnswerMemoryError, UpstreamBusyError } from '../errors.ts';

/** The answers of the API that all facades of a process are receiving. */
export class AnswerBytes {
  /** Bytes that have arrived of answers that have not ended. */
  held = 0;
  /** Calls that wait until fewer bytes are held. */
  waiting = 0;
  readonly #limit: number;
  readonly #listeners = new Set<() => void>();

  /** @param limit Bytes beyond which a response is refused. From half of them on, no call begins. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether calls have to wait. */
  get isFull(): boolean {
    return this.held > this.#limit / 2;
  }

  /** Counts bytes that have arrived. Returns false when they are too many. */
  add(bytes: number): boolean {
    this.held += bytes;
    return this.held <= this.#limit;
  }

  /** Takes back the bytes of an answer that has ended. */
  release(bytes: number): void {
    this.held -= bytes;
    if (bytes > 0) this.#announce();
  }

  /** Calls a listener when calls may begin. */
  onFree(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #announce(): void {
    if (this.waiting > 0 && !this.isFull) for (const listener of this.#listeners) listener();
  }
}

/** Whose call it is. */
export interface QueueClient {
  /** An IPv4 address or an IPv6 /64 network; empty where it is unknown. */
  readonly network: string;
  /** Distinguishes the clients of the network. */
  readonly key: string;
}

/** How many calls may be under way, and how many may wait. */
export interface QueueOptions {
  /** Calls under way at once; default 64. */
  readonly calls?: number;
  /** Longest wait, in milliseconds; default 10,000. */
  readonly maxWait?: number;
  /** Calls that wait at once; default 10,000. Those of one network take at most half of the places that are free. */
  readonly maxWaiting?: number;
  /** While these are full, no call begins. Default: nothing is counted. */
  readonly answers?: AnswerBytes | undefined;
}

/** A call that is to begin. */
export interface QueuedCall {
  readonly client: QueueClient;
  /** Ends the wait. */
  readonly signal?: Abortable | undefined;
  /** Called when the call has to wait. It may return what is called at the end of the wait. */
  readonly onWait?: (() => (() => void) | undefined) | undefined;
}

/** The calls of one network that wait, in order: by the key of the client, what starts each. */
class NetworkQueue {
  readonly clients = new Map<string, Set<() => void>>();
  waiting = 0;
}

/** Calls wait only while as many as may be are under way, or the answers are full. */
export class CallQueue {
  readonly #calls: number;
  readonly #maxWait: number;
  readonly #maxWaiting: number;
  readonly #answers: AnswerBytes | undefined;
  /** Who is next stands first. */
  readonly #networks = new Map<string, NetworkQueue>();
  #underWay = 0;
  #waiting = 0;

  constructor({ calls = 64, maxWait = 10_000, maxWaiting = 10_000, answers }: QueueOptions = {}) {
    this.#calls = calls;
    this.#maxWait = maxWait;
    this.#maxWaiting = maxWaiting;
    this.#answers = answers;
    answers?.onFree(() => this.#startNext());
  }

  /**
   * Makes a call as soon as it may begin.
   * @throws UpstreamBusyError when it waits for too long or too many wait, AnswerMemoryError when the answers stay full. Rejects with the
   *   reason when the signal aborts before the call begins.
   */
  async run<T>(queued: QueuedCall, call: () => Promise<T>): Promise<T> {
    queued.signal?.throwIfAborted();
    if (this.#waiting === 0 && this.#isFree) this.#underWay += 1;
    else await this.#wait(queued);
    try {
      // The signal may abort after the call may begin and before this runs.
      queued.signal?.throwIfAborted();
      return await call();
    } finally {
      this.#underWay -= 1;
      this.#startNext();
    }
  }

  get #isFree(): boolean {
    return this.#underWay < this.#calls && this.#answers?.isFull !== true;
  }

  #startNext(): void {
    while (this.#waiting > 0 && this.#isFree) {
      this.#underWay += 1;
      this.#takeNext()();
    }
  }

  /** Takes the call that is next out of the circle. Its client and its network go to the end. */
  #takeNext(): () => void {
    for (const [network, { clients }] of this.#networks) {
      for (const [key, starts] of clients) {
        for (const start of starts) {
          this.#remove({ network, key }, start);
          moveToEnd(clients, key);
          moveToEnd(this.#networks, network);
          return start;
        }
      }
    }
    throw new Error('No call waits.');
  }

  #wait({ client, signal, onWait }: QueuedCall): Promise<void> {
    const free = this.#maxWaiting - this.#waiting;
    if (free <= (this.#networks.get(client.network)?.waiting ?? 0)) return Promise.reject(this.#refusal());
    const endWait = onWait?.();
    return new Promise((resolve, reject) => {
      const stopWaiting = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        endWait?.();
      };
      const start = (): void => {
        stopWaiting();
        resolve();
      };
      const refuse = (reason: unknown): void => {
        this.#remove(client, start);
        stopWaiting();
        reject(reason);
      };
      const abort = (): void => refuse(signal?.reason);
      const timer = setTimeout(() => refuse(this.#refusal()), this.#maxWait);
      signal?.addEventListener('abort', abort, { once: true });
      this.#add(client, start);
    });
  }

  #refusal(): Error {
    return this.#answers?.isFull ? new AnswerMemoryError() : new UpstreamBusyError();
  }

  #add({ network, key }: QueueClient, start: () => void): void {
    const queue = this.#networks.get(network) ?? new NetworkQueue();
    this.#networks.set(network, queue);
    queue.clients.set(key, (queue.clients.get(key) ?? new Set()).add(start));
    queue.waiting += 1;
    this.#count(1);
  }

  #remove({ network, key }: QueueClient, start: () => void): void {
    const queue = this.#networks.get(network);
    const starts = queue?.clients.get(key);
    if (queue === undefined || starts?.delete(start) !== true) return;
    if (starts.size === 0) queue.clients.delete(key);
    queue.waiting -= 1;
    if (queue.waiting === 0) this.#networks.delete(network);
    this.#count(-1);
  }

  #count(change: 1 | -1): void {
    this.#waiting += change;
    if (this.#answers !== undefined) this.#answers.waiting += change;
  }
}

/** Moves an entry of a map to its end, if it is there. */
function moveToEnd<K, V>(map: Map<K, V>, key: K): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}
