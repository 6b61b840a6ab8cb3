// Shares between the workers of one machine through their primary, the process that starts them: the side of a worker, and then of the primary.
import { createHmac } from 'node:crypto';
import { RateLimiterCluster } from 'rate-limiter-flexible';
import { createLimiter } from './limiter.ts';
import type { Channel, Claim, Limit, Limiter, Replicas } from './replicas.ts';
import { pack, unpack } from './value-encoding.ts';

/** What the primary does for one worker. Values are packed, so that the primary holds little and does not encode them. */
export interface SharedByPrimary {
  claim(name: string, duration: number): Promise<Claim>;
  release(name: string): Promise<void>;
  store(name: string, packed: string, keptFor: number): Promise<void>;
  add(name: string, packed: string, keptFor: number): Promise<boolean>;
  load(name: string): Promise<string | undefined>;
  remove(name: string): Promise<void>;
  /** @param channel The number by which the worker names the channel from now on. */
  openChannel(channel: number, name: string): void;
  send(channel: number, message: object): void;
  closeChannel(channel: number): void;
}

/** The primary, as a worker calls it. */
export type PrimaryCalls = {
  readonly [Name in keyof SharedByPrimary]: (
    ...args: Parameters<SharedByPrimary[Name]>
  ) => Promise<Awaited<ReturnType<SharedByPrimary[Name]>>>;
};

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
export function joinWorkers(id: string, secret: string, primary: PrimaryCalls): WorkerReplicas {
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
      async store(name, value, keptFor) {
        await primary.store(name, await packText(value), keptFor);
        return true;
      },
      add: async (name, value, keptFor) => primary.add(name, await packText(value), keptFor),
      async load(name) {
        const packed = await primary.load(name);
        return packed === undefined ? undefined : unpack(Buffer.from(packed, 'base64'));
      },
      remove: (name) => primary.remove(name),
      createLimiter: limiterFor,
      digest,
      async close() {},
    },
  };
}

const packText = async (value: object): Promise<string> => (await pack(value)).toString('base64');

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
  const closeChannel = (channel: number): void => {
    channels.get(channel)?.close();
    channels.delete(channel);
  };
  return {
    calls: {
      claim: (name, duration) => member.claim(name, duration),
      release: (name) => member.release(name),
      async store(name, packed, keptFor) {
        await member.store(name, { packed }, keptFor);
      },
      add: (name, packed, keptFor) => member.add(name, { packed }, keptFor),
      async load(name) {
        const value = (await member.load(name)) as { readonly packed: string } | undefined;
        return value?.packed;
      },
      remove: (name) => member.remove(name),
      openChannel: (channel, name) =>
        void channels.set(
          channel,
          member.open(name, (message) => deliver(channel, message)),
        ),
      send: (channel, message) => void channels.get(channel)?.send(message),
      closeChannel,
    },
    async close() {
      for (const channel of channels.keys()) closeChannel(channel);
      await member.close();
    },
  };
}
