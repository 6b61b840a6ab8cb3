// Connects to Redis, knows whether it can be used, and bounds each command in time.
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
type RedisListener = (message: string) => void;

type RedisClient = ReturnType<typeof connectTo>;

/**
 * Longest time of a command, and pause after a probe. A busy machine may answer late, and a late answer has each replica go on alone, so
 * the time is generous. Milliseconds.
 */
const COMMAND_TIMEOUT = 3_000;
const PROBE_INTERVAL = 1_000;
/** Longest time to connect, and shortest and longest pause before the client connects again. Milliseconds. */
const CONNECT_TIMEOUT = 2_000;
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
 * each writes a key, and pings where messages arrive, so that a server that is full or hangs counts as away.
 */
export class RedisLink {
  readonly #commands: RedisClient;
  readonly #subscriber: RedisClient;
  readonly #probeName: string;
  readonly #observer: Observer;
  /** Those who receive messages, with their channels. */
  readonly #listeners = new Map<RedisListener, string>();
  /** Null before it is known. */
  #isUsable: boolean | null = null;
  #changedAt = performance.now();
  #reason: string | null = null;
  #isClosed = false;
  #nextProbe: NodeJS.Timeout | undefined;

  /** @param probeName A key for the probes of this replica alone. */
  constructor(options: RedisOptions, probeName: string, observer: Observer) {
    this.#commands = connectTo(options).on('error', (error) => this.#fail(error));
    this.#subscriber = connectTo(options).on('error', (error) => this.#fail(error));
    this.#probeName = probeName;
    this.#observer = observer;
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
    const connected = Promise.all([this.#commands.connect(), this.#subscriber.connect()]);
    // Without a connection, the probe fails at once.
    await inTime(connected).catch(() => undefined);
    await this.#probe();
  }

  /** Runs a command. Undefined when Redis cannot be used. Never rejects. */
  async run<T>(command: (client: RedisClient) => Promise<T>): Promise<T | undefined> {
    if (!this.isUsable) return undefined;
    try {
      return await inTime(command(this.#commands));
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
    this.#isClosed = true;
    this.#isUsable = false;
    clearTimeout(this.#nextProbe);
    for (const client of [this.#commands, this.#subscriber]) client.destroy();
  }

  /** Probes, and goes on doing so. */
  async #probe(): Promise<void> {
    // The client forgets a subscription that begins without a connection, or as it ends.
    const missing = this.isUsable ? [] : [...this.#listeners];
    const probe = Promise.all([
      ...missing.map(([listener, channel]) => this.#subscriber.subscribe(channel, listener)),
      this.#commands.set(this.#probeName, '1', { PX: PROBE_INTERVAL }),
      this.#subscriber.ping(),
    ]);
    await inTime(probe).then(
      () => this.#change(true, null),
      (error: unknown) => this.#fail(error),
    );
    if (!this.#isClosed) this.#nextProbe = setTimeout(() => void this.#probe(), PROBE_INTERVAL).unref();
  }

  #fail(error: unknown): void {
    const reason = reasonOf(error);
    // A command that finds no connection says nothing about the cause.
    this.#change(false, reason === OFFLINE ? (this.#reason ?? reason) : reason);
  }

  #change(isUsable: boolean, reason: string | null): void {
    if (this.#isClosed) return;
    this.#reason = reason;
    if (isUsable === this.#isUsable) return;
    this.#isUsable = isUsable;
    this.#changedAt = performance.now();
    this.#observer.sharing?.({ isAlone: !isUsable, reason });
  }
}

const TIMEOUT = Object.assign(new Error('Redis has not answered in time.'), { code: 'TIMEOUT' });

/** Waits for Redis. @throws TIMEOUT */
const inTime = <T>(promise: Promise<T>): Promise<T> =>
  pTimeout(promise, { milliseconds: COMMAND_TIMEOUT, message: TIMEOUT });

/** Names a failure without its message, which may contain addresses: the code of the system or of Redis, else the kind of error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'UNKNOWN';
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return code;
  return /^[A-Z]{2,20}(?= )/.exec(error.message)?.[0] ?? error.constructor.name;
}
