// Connects to Redis, knows whether it can be used, and bounds each command in time.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { createClient } from '@redis/client';
import pTimeout from 'p-timeout';
import type { Observer } from '../../observer.ts';
import type { SharingReport } from '../replicas.ts';

/** How Redis is reached. */
export interface RedisOptions {
  /** `redis://user:password@host:port/database`, `rediss:` for TLS, or `unix://user:password@/file`. */
  readonly address: string;
  /** Certificates of the trusted authorities, in PEM; null: node's. */
  readonly ca: string | null;
}

/** Receives the messages of a channel. */
export type RedisListener = (message: string) => void;

type RedisClient = ReturnType<typeof connectTo>;

/** Longest time to connect, longest time of a command, and time between two probes. Milliseconds. */
const CONNECT_TIMEOUT = 2_000;
const COMMAND_TIMEOUT = 1_000;
const PROBE_INTERVAL = 1_000;
/** Shortest and longest pause before the client connects again. Milliseconds. */
const RECONNECT_PAUSES = [50, 1_000] as const;

/** The error of a command without a connection. */
const OFFLINE = 'ClientOfflineError';

/** Creates a client, which connects again by itself after a loss. */
function connectTo({ address, ca }: RedisOptions) {
  const [shortest, longest] = RECONNECT_PAUSES;
  return createClient({
    url: address,
    socket: {
      connectTimeout: CONNECT_TIMEOUT,
      reconnectStrategy: (retries) => Math.min(shortest * 2 ** Math.min(retries, 10), longest),
      ...(address.startsWith('rediss:') ? { tls: true as const, ...(ca !== null && { ca }) } : {}),
    },
    // All servers speak the older protocol.
    RESP: 2,
    // A command that waits for a connection would come too late.
    disableOfflineQueue: true,
    // The link bounds commands in time. By its own bound, the client keeps a timer for five seconds after each answer too.
    commandOptions: { timeout: 0 },
  });
}

/**
 * The connection to Redis. A command that fails ends its use at once, since the next ones would fail or wait too. Probes bring it back:
 * each writes a key and receives a message of its own, so that a server that is full or sends nothing counts as away.
 */
export class RedisLink {
  readonly #commands: RedisClient;
  readonly #subscriber: RedisClient;
  readonly #probeName: string;
  readonly #observer: Observer;
  readonly #closing = new AbortController();
  /** Those who receive messages, with their channels. */
  readonly #listeners = new Map<RedisListener, string>();
  /** Null before the first probe. */
  #isUsable: boolean | null = null;
  #changedAt = performance.now();
  #reason: string | null = null;
  /** Why a connection failed last. */
  #connectionFailure: string | null = null;
  #onEcho: () => void = () => undefined;

  /** @param probeName A key and a channel for the probes of this replica alone. */
  constructor(options: RedisOptions, probeName: string, observer: Observer) {
    this.#commands = connectTo(options);
    this.#subscriber = connectTo(options);
    this.#probeName = probeName;
    this.#observer = observer;
    for (const client of [this.#commands, this.#subscriber])
      client.on('error', (error) => {
        this.#connectionFailure = reasonOf(error);
        if (this.#isUsable !== null) this.#fail(error);
      });
  }

  get isUsable(): boolean {
    return this.#isUsable === true;
  }

  get report(): SharingReport {
    const since = Math.round((performance.now() - this.#changedAt) / 1000);
    return { isAlone: !this.isUsable, since, reason: this.#reason };
  }

  /** Connects, and probes from now on. Resolves after the first probe, whatever its outcome. */
  async connect(): Promise<void> {
    const connected = [this.#commands, this.#subscriber].map((client) =>
      client.connect().catch((error: unknown) => this.#fail(error)),
    );
    await within(COMMAND_TIMEOUT, Promise.all(connected)).catch(() => undefined);
    void this.subscribe(this.#probeName, () => this.#onEcho());
    await this.#probe();
    void this.#keepProbing();
  }

  /** Runs a command. Undefined when Redis cannot be used. Never rejects. */
  async run<T>(command: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    if (!this.isUsable) return undefined;
    try {
      return await within(COMMAND_TIMEOUT, command(this.#commands));
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  /**
   * Receives messages from now on, after a loss of the connection too. Resolves when that has begun, which may take long, or failed for
   * now. @param listener Each is for one channel.
   */
  async subscribe(channel: string, listener: RedisListener): Promise<void> {
    this.#listeners.set(listener, channel);
    await this.#subscriber.subscribe(channel, listener).catch((error: unknown) => this.#fail(error));
    if (!this.#listeners.has(listener)) this.unsubscribe(channel, listener);
  }

  unsubscribe(channel: string, listener: RedisListener): void {
    this.#listeners.delete(listener);
    this.#subscriber.unsubscribe(channel, listener).catch((error: unknown) => this.#fail(error));
  }

  close(): void {
    this.#closing.abort();
    this.#isUsable = false;
    for (const client of [this.#commands, this.#subscriber]) client.destroy();
  }

  async #keepProbing(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await pause(PROBE_INTERVAL, undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) await this.#probe();
    }
  }

  async #probe(): Promise<void> {
    const echo = new Promise<void>((resolve) => {
      this.#onEcho = resolve;
    });
    const probe = async (): Promise<void> => {
      await this.#commands.set(this.#probeName, '1', { PX: PROBE_INTERVAL });
      // The client forgets a subscription that begins as the connection ends.
      if (!this.isUsable)
        for (const [listener, channel] of this.#listeners) void this.subscribe(channel, listener);
      await this.#commands.publish(this.#probeName, '1');
      await echo;
    };
    try {
      await within(COMMAND_TIMEOUT, probe());
      this.#change(true, null);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const reason = reasonOf(error);
    // A command that finds no connection says nothing about the cause.
    this.#change(false, reason === OFFLINE ? (this.#connectionFailure ?? reason) : reason);
  }

  #change(isUsable: boolean, reason: string | null): void {
    if (this.#closing.signal.aborted) return;
    this.#reason = reason;
    if (isUsable === this.#isUsable) return;
    this.#isUsable = isUsable;
    this.#changedAt = performance.now();
    this.#observer.sharing?.({ isAlone: !isUsable, reason });
  }
}

class CommandTimeout extends Error {
  readonly code = 'TIMEOUT';
}

/** Waits for a promise, for at most `ms` milliseconds. @throws CommandTimeout when that has passed. */
function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  // Where this process was busy, the answer may have arrived, and is read before the next turn.
  const fail = async (): Promise<never> => {
    await nextTurn();
    throw new CommandTimeout();
  };
  return pTimeout(promise, { milliseconds: ms, fallback: () => Promise.race([promise, fail()]) });
}

/** Names a failure without its message, which may contain addresses: the code of the system or of Redis, else the kind of error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN';
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return code;
  return /^[A-Z]{2,20}(?= )/.exec(error.message)?.[0] ?? error.constructor.name;
}
