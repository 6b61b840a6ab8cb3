// Shares between the workers of one machine through their primary, the process that starts them: the side of a worker, and then of the primary.
import { createHmac } from 'node:crypto';
import { RateLimiterCluster } from 'rate-limiter-flexible';
import {
  type Channel,
  type Claim,
  createLimiter,
  type Limit,
  type Limiter,
  type Replicas,
} from './replicas.ts';
import { pack, unpack } from './value-encoding.ts';

/** What the primary does for one worker. Values are packed, so that the primary holds little and does not encode them. */
export interface SharedByPrimary
  extends Pick<Replicas, 'claim' | 'release' | 'store' | 'add' | 'load' | 'remove'> {
  /** @param channel The number by which the worker names the channel from now on. */
  openChannel(channel: number, name: string): Promise<void>;
  send(channel: number, message: object): Promise<void>;
  closeChannel(channel: number): Promise<void>;
}

/** A worker among the workers of its primary. */
export interface WorkerReplicas {
  readonly replicas: Replicas;
  /** Passes on a message of another worker. */
  receive(channel: number, message: unknown): void;
}

/**
 * Joins the other workers. A worker ends with its primary, so it is never alone, and no call is bounded in time. Nothing leaves the
 * machine, so nothing is encrypted.
 * @param secret The same one in all workers.
 */
export function joinWorkers(id: string, secret: string, primary: SharedByPrimary): WorkerReplicas {
  const listeners = new Map<number, (message: unknown) => void>();
  const digest = (text: string): string => createHmac('sha256', secret).update(text).digest('base64url');
  const limiters = new Map<string, Limiter>();
  let channels = 0;
  const open = (name: string, onMessage: (message: unknown) => void): Channel => {
    channels += 1;
    const channel = channels;
    listeners.set(channel, onMessage);
    void primary.openChannel(channel, name);
    return {
      send: (message) => primary.send(channel, message),
      close: () => {
        listeners.delete(channel);
        void primary.closeChannel(channel);
      },
    };
  };
  // A limiter listens to the messages of the primary for ever, and each attempt to start asks for the same ones.
  const limiterFor = (name: string, limit: Limit): Limiter => {
    const limiter =
      limiters.get(name) ?? createLimiter(new RateLimiterCluster({ ...limit, keyPrefix: name }), digest);
    limiters.set(name, limiter);
    return limiter;
  };
  const claim = async (name: string, duration: number): Promise<Claim> => {
    const sentAt = performance.now();
    // The clock of the primary is another one, and it may have received the claim at any time since it was sent.
    return { ...(await primary.claim(name, duration)), endsAt: sentAt + duration };
  };
  return {
    receive: (channel, message) => listeners.get(channel)?.(message),
    replicas: {
      id,
      hasOthers: true,
      report: null,
      claim,
      release: (name) => primary.release(name),
      open,
      store: async (name, value, keptFor) => primary.store(name, await packValue(value), keptFor),
      add: async (name, value, keptFor) => primary.add(name, await packValue(value), keptFor),
      async load(name) {
        const value = (await primary.load(name)) as PackedValue | undefined;
        return value === undefined ? undefined : unpack(Buffer.from(value.packed, 'base64'));
      },
      remove: (name) => primary.remove(name),
      createLimiter: limiterFor,
      digest,
      async close() {},
    },
  };
}

interface PackedValue {
  readonly packed: string;
}

const packValue = async (value: object): Promise<PackedValue> => ({
  packed: (await pack(value)).toString('base64'),
});

/** What the primary shares with a worker. */
export interface WorkerShare {
  readonly calls: SharedByPrimary;
  /** Ends the leases and channels of a worker that has ended. */
  close(): Promise<void>;
}

/**
 * Serves a worker.
 * @param member The worker's place among the replicas within the primary.
 * @param deliver Sends the worker a message of another one.
 */
export function serveWorker(
  member: Replicas,
  deliver: (channel: number, message: unknown) => void,
): WorkerShare {
  const channels = new Map<number, Channel>();
  const { claim, release, store, add, load, remove } = member;
  return {
    calls: {
      ...{ claim, release, store, add, load, remove },
      async openChannel(channel, name) {
        channels.set(
          channel,
          member.open(name, (message) => deliver(channel, message)),
        );
      },
      send: async (channel, message) => channels.get(channel)?.send(message),
      async closeChannel(channel) {
        channels.get(channel)?.close();
        channels.delete(channel);
      },
    },
    async close() {
      for (const channel of channels.values()) channel.close();
      await member.close();
    },
  };
}
