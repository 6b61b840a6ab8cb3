// Decides when requests may be sent to the management API, so that no client and no network occupies all connections.
import type { Abortable } from '../upstream/abortable.ts';
import type { BetweenTurns } from '../upstream/http/transport.ts';
import { Calls, ClientCalls, Line, NetworkCalls } from './call-shares.ts';
import type { Client } from './client.ts';
import { UpstreamBusyError } from './errors.ts';

/** How many calls may be in progress, and how many may wait. */
export interface SchedulerOptions {
  /** Calls in progress at once, of all clients; default 64. */
  readonly calls?: number;
  /** How many calls one network may have in progress for each free one; default 7: an office or a proxy is many people. */
  readonly networkShare?: number;
  /** Longest wait for a turn, in milliseconds; default 10,000. */
  readonly maxWait?: number;
  /**
   * If no call begins or ends for this long, or up to twice as long, waiting calls are refused, and so are new ones until one does. In
   * milliseconds; default: only `maxWait` counts.
   */
  readonly maxStall?: number;
  /** Calls that wait at once, of all clients; default 10,000. */
  readonly maxWaiting?: number;
  /** Makes the error of a call that may not wait any longer; default: an UpstreamBusyError. */
  readonly createRefusal?: () => Error;
}

/** How many calls one client may have in progress for each free one of its network. */
const CLIENT_SHARE = 2;
/** The part of all calls that is for networks without a call in progress. */
const NETWORK_RESERVE = 1 / 32;
/** The part of a network's calls that is for its clients without a call in progress. */
const CLIENT_RESERVE = 1 / 7;

/** Asks for a turn. */
export interface TurnRequest {
  readonly client: Client;
  /** Ends the wait. */
  readonly signal?: Abortable | undefined;
  /** Called when the call has to wait. Returns what is called at the end of the wait. */
  readonly onWait?: (() => () => void) | undefined;
}

/**
 * Shares calls fairly: by network first, then by client. Each may have as many in progress as are free in proportion (dynamic
 * thresholds, as in network switches), and some remain for those who have none. Those with fewest in progress are next. With 64
 * calls, a client alone gets 32, a second one of its network 7, and twelve more one each.
 */
export class CallScheduler {
  readonly #calls: number;
  readonly #networkShare: number;
  readonly #networkReserve: number;
  readonly #maxWait: number;
  readonly #maxStall: number;
  readonly #maxWaiting: number;
  readonly #createRefusal: () => Error;
  /** Networks with calls in progress or waiting. */
  readonly #networks = new Map<string, NetworkCalls>();
  readonly #line = new Line<NetworkCalls>();
  readonly #all = new Calls();

  constructor({
    calls = 64,
    networkShare = 7,
    maxWait = 10_000,
    maxStall = Number.POSITIVE_INFINITY,
    maxWaiting = 10_000,
    createRefusal = () => new UpstreamBusyError(),
  }: SchedulerOptions = {}) {
    this.#calls = calls;
    this.#networkShare = networkShare;
    this.#networkReserve = Math.floor(calls * NETWORK_RESERVE);
    this.#maxWait = maxWait;
    this.#maxStall = maxStall;
    this.#maxWaiting = maxWaiting;
    this.#createRefusal = createRefusal;
  }

  /**
   * Runs a call when it is the client's turn. Thousands of calls may wait, so a waiting one holds little: whatever it needs to be
   * sent is made in its turn.
   * @param call Takes a function that ends the turn, runs a task, and waits for another turn.
   * @throws the error of `createRefusal` when the turn does not come in time, and the call's own error. Rejects when the signal aborts
   *   while the call waits.
   */
  run<T>(request: TurnRequest, call: (betweenTurns: BetweenTurns) => Promise<T>): Promise<T> {
    const calls = this.#takeTurn(request);
    return calls instanceof Promise
      ? calls.then((begun) => this.#use(begun, request, call))
      : this.#use(calls, request, call);
  }

  /** Waits for a turn, and returns what ends it. Rejects as `run` does. */
  async begin(request: TurnRequest): Promise<() => void> {
    const calls = await this.#takeTurn(request);
    return () => this.#end(calls);
  }

  /** Runs a call in the turn that has begun, and ends the turn. */
  async #use<T>(
    begun: ClientCalls,
    request: TurnRequest,
    call: (betweenTurns: BetweenTurns) => Promise<T>,
  ): Promise<T> {
    let calls: ClientCalls | null = begun;
    const betweenTurns: BetweenTurns = async (task) => {
      if (calls !== null) this.#end(calls);
      calls = null;
      await task();
      calls = await this.#takeTurn(request);
    };
    try {
      // The signal may abort after the turn has begun and before this runs.
      request.signal?.throwIfAborted();
      return await call(betweenTurns);
    } finally {
      if (calls !== null) this.#end(calls);
    }
  }

  /** Begins a turn, at once or after a wait. Returns whose turn it is. */
  #takeTurn(request: TurnRequest): ClientCalls | Promise<ClientCalls> {
    const { client, signal } = request;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const calls = this.#callsOf(client);
    if (calls.waiting > 0 || !this.#mayBegin(calls)) return this.#wait(calls, request);
    this.#count(calls, 1, 0);
    return calls;
  }

  #end(calls: ClientCalls): void {
    this.#count(calls, -1, 0);
    for (let start = this.#next(); start !== null; start = this.#next()) start();
    this.#removeIfIdle(calls);
  }

  /** What starts the call whose turn is next; null when none may begin. */
  #next(): (() => void) | null {
    for (const network of this.#line) {
      // The networks behind it have more in progress, as have the clients behind the first one of a network.
      if (this.#roomOf(network) <= 0) return null;
      const [client] = network.line;
      if (client === undefined || !this.#mayBegin(client)) continue;
      const [start] = client.starts;
      if (start !== undefined) return start;
    }
    return null;
  }

  /** How many more calls a network may begin. */
  #roomOf({ active }: NetworkCalls): number {
    const free = this.#calls - this.#all.active;
    if (free <= 0) return 0;
    // The network may begin calls until it has `share` times as many in progress as are free then.
    const share = this.#networkShare;
    const room = Math.ceil((share * (free - this.#networkReserve) - active) / (share + 1));
    return active === 0 ? Math.max(1, room) : room;
  }

  /** Whether a client may begin one more call. */
  #mayBegin({ active, network }: ClientCalls): boolean {
    const room = this.#roomOf(network);
    if (active === 0) return room > 0;
    const reserve = Math.floor((network.active + room) * CLIENT_RESERVE);
    return active < CLIENT_SHARE * (room - reserve);
  }

  /** Waits for a turn, which begins the call. */
  #wait(calls: ClientCalls, { signal, onWait }: TurnRequest): Promise<ClientCalls> {
    if (!this.#mayWait(calls)) {
      this.#removeIfIdle(calls);
      return Promise.reject(this.#createRefusal());
    }
    const endWait = onWait?.();
    this.#count(calls, 0, 1);
    return new Promise((resolve, reject) => {
      const stopWaiting = (begun: 0 | 1): void => {
        stopWatching();
        signal?.removeEventListener('abort', abort);
        calls.starts.delete(start);
        this.#count(calls, begun, -1);
        endWait?.();
      };
      const start = (): void => {
        stopWaiting(1);
        resolve(calls);
      };
      const refuse = (error: unknown): void => {
        stopWaiting(0);
        this.#removeIfIdle(calls);
        reject(error);
      };
      const abort = (): void => refuse(signal?.reason);
      const stopWatching = this.#watchStall(calls, () => refuse(this.#createRefusal()));
      signal?.addEventListener('abort', abort, { once: true });
      calls.starts.add(start);
    });
  }

  /** Calls a function when a call has waited for too long. Returns what ends that. */
  #watchStall({ network }: ClientCalls, onEnd: () => void): () => void {
    let left = this.#maxWait;
    let awaited = this.#awaitedBy(network);
    let { moves } = awaited;
    const check = (): void => {
      const before = awaited;
      awaited = this.#awaitedBy(network);
      const hasMoved = awaited !== before || awaited.moves !== moves;
      moves = awaited.moves;
      if (left > 0 && hasMoved) {
        timer = watch();
        return;
      }
      if (left > 0) awaited.stuckAt = moves;
      onEnd();
    };
    const watch = (): NodeJS.Timeout => {
      const time = Math.min(left, this.#maxStall);
      left -= time;
      return setTimeout(check, time);
    };
    let timer = watch();
    return () => clearTimeout(timer);
  }

  /** The calls of which one has to end before a network may begin another. */
  #awaitedBy(network: NetworkCalls): Calls {
    return network.active > 0 ? network : this.#all;
  }

  /** Whether one more call may wait: no client and no network fills the places of others, and calls begin and end. */
  #mayWait({ waiting, network }: ClientCalls): boolean {
    if (this.#awaitedBy(network).isStuck) return false;
    const free = this.#maxWaiting - this.#all.waiting;
    return free > 0 && waiting < free && network.waiting < this.#networkShare * free;
  }

  #count(calls: ClientCalls, active: -1 | 0 | 1, waiting: -1 | 0 | 1): void {
    const { network } = calls;
    for (const counted of [this.#all, network, calls]) {
      counted.active += active;
      counted.waiting += waiting;
      if (active !== 0) counted.moves += 1;
    }
    network.line.settle(calls);
    this.#line.settle(network);
  }

  #callsOf({ network: name, key }: Client): ClientCalls {
    const network = this.#networks.get(name) ?? new NetworkCalls(name);
    this.#networks.set(name, network);
    const calls = network.clients.get(key) ?? new ClientCalls(key, network);
    network.clients.set(key, calls);
    return calls;
  }

  #removeIfIdle({ key, active, waiting, network }: ClientCalls): void {
    if (active === 0 && waiting === 0) network.clients.delete(key);
    if (network.clients.size === 0) this.#networks.delete(network.name);
  }
}
