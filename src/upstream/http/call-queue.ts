// Bounds the calls under way and the bytes of their answers. Calls wait in a circle: each network in turn, and in it each client.
import { AnswerMemoryError, UpstreamBusyError } from '../errors.ts';

/** The answers of the API that are being received. */
export class AnswerBytes {
  /** Bytes that have arrived of answers that have not ended. */
  held = 0;
  /** Called when calls may begin again. */
  onFree: () => void = () => undefined;
  readonly #limit: number;

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
    const wasFull = this.isFull;
    this.held -= bytes;
    if (wasFull && !this.isFull) this.onFree();
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

/** A call in a queue. Either `begin` or `refuse` is called once, unless the call is removed before. */
export interface QueuedCall {
  readonly client: QueueClient | undefined;
  /** Begins the call, which counts as under way until `CallQueue.leave`. */
  begin(): void;
  /** Receives UpstreamBusyError when too many calls wait or this one has waited too long, AnswerMemoryError when the answers stay full. */
  refuse(error: Error): void;
  /** Reports that the call waits. Returns what is called at the end of the wait. */
  reportWait?(): (() => void) | undefined;
}

/** Calls wait only while as many as may be are under way, or the answers are full. */
export class CallQueue {
  readonly #calls: number;
  readonly #maxWait: number;
  readonly #maxWaiting: number;
  readonly #answers: AnswerBytes | undefined;
  /** The calls that wait, by the network and the key of their client. What is next stands first. */
  readonly #networks = new Map<string, Map<string, Set<QueuedCall>>>();
  /** What ends the wait of each call that waits. */
  readonly #waits = new Map<QueuedCall, () => void>();
  #underWay = 0;

  constructor({ calls = 64, maxWait = 10_000, maxWaiting = 10_000, answers }: QueueOptions = {}) {
    this.#calls = calls;
    this.#maxWait = maxWait;
    this.#maxWaiting = maxWaiting;
    this.#answers = answers;
    if (answers !== undefined) answers.onFree = this.#beginWaitingSoon;
  }

  /** Makes a call as soon as it may begin. Rejects as `QueuedCall.refuse` says. */
  run<T>(client: QueueClient, call: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const begin = (): void =>
        void call()
          .finally(() => this.leave())
          .then(resolve, reject);
      this.enter({ client, begin, refuse: reject });
    });
  }

  /** Begins a call as soon as it may. */
  enter(call: QueuedCall): void {
    if (this.#waits.size > 0 || !this.#isFree) this.#wait(call);
    else {
      this.#underWay += 1;
      call.begin();
    }
  }

  /** Gives the place of a call that has ended to the next one. */
  leave(): void {
    this.#underWay -= 1;
    this.#beginWaitingSoon();
  }

  /** Takes a call out of the queue, if it waits. */
  remove(call: QueuedCall): void {
    const endWait = this.#waits.get(call);
    if (endWait === undefined) return;
    endWait();
    this.#waits.delete(call);
    const { network, key } = call.client ?? NO_CLIENT;
    const clients = this.#networks.get(network);
    const calls = clients?.get(key);
    calls?.delete(call);
    if (calls?.size === 0) clients?.delete(key);
    if (clients?.size === 0) this.#networks.delete(network);
  }

  get #isFree(): boolean {
    return this.#underWay < this.#calls && this.#answers?.isFull !== true;
  }

  /** Begins calls that wait, after undici has freed the connection of a response, which it does after its handlers have run. */
  readonly #beginWaitingSoon = (): void => {
    if (this.#waits.size > 0) queueMicrotask(this.#beginWaiting);
  };

  readonly #beginWaiting = (): void => {
    while (this.#waits.size > 0 && this.#isFree) {
      this.#underWay += 1;
      this.#takeNext().begin();
    }
  };

  /** Takes the call that is next out of the circle. Its client and its network go to the end. */
  #takeNext(): QueuedCall {
    for (const [network, clients] of this.#networks) {
      for (const [key, calls] of clients) {
        for (const call of calls) {
          this.remove(call);
          moveToEnd(clients, key);
          moveToEnd(this.#networks, network);
          return call;
        }
      }
    }
    throw new Error('No call waits.');
  }

  #wait(call: QueuedCall): void {
    const { network, key } = call.client ?? NO_CLIENT;
    const clients = this.#networks.get(network) ?? new Map<string, Set<QueuedCall>>();
    const waiting = [...clients.values()].reduce((sum, { size }) => sum + size, 0);
    if (this.#maxWaiting - this.#waits.size <= waiting) {
      call.refuse(this.#refusal());
      return;
    }
    const endReport = call.reportWait?.();
    const timer = setTimeout(() => {
      this.remove(call);
      call.refuse(this.#refusal());
    }, this.#maxWait);
    this.#waits.set(call, () => {
      clearTimeout(timer);
      endReport?.();
    });
    this.#networks.set(network, clients.set(key, (clients.get(key) ?? new Set()).add(call)));
  }

  #refusal(): Error {
    return this.#answers?.isFull ? new AnswerMemoryError() : new UpstreamBusyError();
  }
}

const NO_CLIENT: QueueClient = { network: '', key: '' };

/** Moves an entry of a map to its end, if it is there. */
function moveToEnd<K, V>(map: Map<K, V>, key: K): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}
