// Opens the client of a Redis server, of a Sentinel's primary or of a Redis Cluster.
import { createClient, createCluster, createSentinel } from '@redis/client';
import type { RedisAddress } from './redis-address.ts';

/** How Redis is reached. */
export interface RedisOptions {
  readonly address: RedisAddress;
  /** Certificates of the trusted authorities, in PEM; null: node's. */
  readonly ca: string | null;
}

/** The commands that are used of Redis. Each may wait without end for an answer. */
export interface RedisClient {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  set(key: string, value: string, options: { PX: number }): Promise<unknown>;
  get(key: string): Promise<unknown>;
  del(key: string): Promise<unknown>;
  publish(channel: string, message: string): Promise<unknown>;
}

/** Receives the messages of a channel, which are texts unless the client is asked for buffers. */
export type RedisListener = (message: string | Buffer) => void;

/** The commands that need a connection of their own. */
interface Subscriber {
  subscribe(channel: string, listener: RedisListener): Promise<unknown>;
  unsubscribe(channel: string, listener: RedisListener): Promise<unknown>;
}

/** What a client of any kind has. */
interface Connectable {
  connect(): Promise<unknown>;
  /** Closes the connections at once. */
  destroy(): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
}

/** The connections to Redis. */
export interface RedisConnections {
  readonly commands: RedisClient;
  readonly subscriber: Subscriber;
  /** To be connected and destroyed, each once. They connect again by themselves after a loss. */
  readonly connectable: readonly Connectable[];
}

/** Longest time to connect. Milliseconds. */
const CONNECT_TIMEOUT = 2_000;
/** Shortest and longest pause before the client connects again. Milliseconds. */
const RECONNECT_PAUSES = [50, 1_000] as const;

/** Creates the connections, which are not open yet. */
export function createRedisConnections({ address, ca }: RedisOptions): RedisConnections {
  const { kind, hasTls, hosts, socket, primary, database } = address;
  const [shortest, longest] = RECONNECT_PAUSES;
  const connection = {
    connectTimeout: CONNECT_TIMEOUT,
    reconnectStrategy: (retries: number) => Math.min(shortest * 2 ** Math.min(retries, 10), longest),
    ...(hasTls ? { tls: true as const, ...(ca === null ? {} : { ca }) } : {}),
  };
  const login = {
    ...(address.username === null ? {} : { username: address.username }),
    ...(address.password === null ? {} : { password: address.password }),
  };
  // The link bounds commands in time. By its own bound, the client keeps a timer of each command for five seconds after its answer too.
  const commandOptions = { timeout: 0 };
  // All servers speak the older protocol. A command that waits for a connection would come too late.
  const options = { RESP: 2 as const, disableOfflineQueue: true, commandOptions, ...login };
  if (kind === 'server') {
    const place = socket === null ? { ...hosts[0] } : { path: socket };
    const commands = createClient({ ...options, database, socket: { ...connection, ...place } });
    const subscriber = commands.duplicate();
    return { commands, subscriber, connectable: [commands, subscriber] };
  }
  // Both keep a connection for subscriptions themselves.
  const client =
    kind === 'sentinel'
      ? createSentinel({
          name: primary ?? '',
          sentinelRootNodes: [...hosts],
          RESP: 2,
          commandOptions,
          nodeClientOptions: { ...options, database, socket: connection },
          sentinelClientOptions: { ...login, socket: connection },
        })
      : createCluster({
          rootNodes: hosts.map((host) => ({ socket: { ...connection, ...host } })),
          RESP: 2,
          defaults: { ...options, socket: connection },
        });
  return { commands: client, subscriber: client, connectable: [client] };
}
