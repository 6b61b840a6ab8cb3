// Shares between replicas through Redis.
import { randomUUID } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import type { Observer } from '../../observer.ts';
import { createLimiter, type Limit, type Replicas } from '../replicas.ts';
import { createSealing } from '../sealing.ts';
import { RedisLink, type RedisOptions } from './redis-link.ts';

/** How replicas share through Redis. */
export interface RedisReplicasOptions extends RedisOptions {
  /** The beginning of all keys and channels. Deployments that share a Redis have different ones. */
  readonly prefix: string;
  /** See `createSealing`. */
  readonly secrets: readonly string[];
  readonly observer: Observer;
}

interface SentMessage {
  readonly from: string;
  readonly message: unknown;
}

/** Joins the replicas that share through Redis. Resolves within three seconds, whether or not Redis can be used. */
export async function joinRedisReplicas(options: RedisReplicasOptions): Promise<Replicas> {
  const { prefix, secrets, observer } = options;
  const id = randomUUID();
  const sealOf = createSealing(secrets);
  const link = new RedisLink(options, `${prefix}:probe:${id}`, observer);
  await link.connect();
  const digest = (text: string): string => sealOf(`digest ${text}`).id;
  const keyOf = (name: string): string => `${prefix}:value:${sealOf(name).id}`;
  const set = async (name: string, value: object, condition: { PX: number; NX?: true }): Promise<boolean> => {
    if (!link.isUsable) return false;
    const sealed = sealOf(name).seal(value);
    return (await link.run((client) => client.set(keyOf(name), sealed, condition))) === 'OK';
  };

  return {
    hasOthers: true,
    get report() {
      return link.report;
    },
    store: (name, value, keptFor) => set(name, value, { PX: keptFor }),
    add: (name, value, keptFor) => set(name, value, { PX: keptFor, NX: true }),
    async load(name) {
      const sealed = await link.run((client) => client.get(keyOf(name)));
      return typeof sealed === 'string' ? sealOf(name).open(sealed) : undefined;
    },
    async remove(name) {
      await link.run((client) => client.del(keyOf(name)));
    },
    createLimiter: (name, limit) =>
      createLimiter(countThrough(link, `${prefix}:limit:${sealOf(name).id}`, limit), digest),
    digest,
    open(name, onMessage) {
      const seal = sealOf(name);
      const channel = `${prefix}:channel:${seal.id}`;
      const receive = (sealed: string): void => {
        const sent = seal.open(sealed) as SentMessage | undefined;
        if (sent !== undefined && sent.from !== id) onMessage(sent.message);
      };
      const opened = link.subscribe(channel, receive);
      return {
        async send(message) {
          if (!link.isUsable) return;
          // The answers to a message could not arrive before the channel is open.
          await opened;
          const sent: SentMessage = { from: id, message };
          await link.run((client) => client.publish(channel, seal.seal(sent)));
        },
        close: () => link.unsubscribe(channel, receive),
      };
    },
    close: async () => link.close(),
  };
}

/** Counts in Redis, and in memory while Redis cannot be used. */
const countThrough = (link: RedisLink, keyPrefix: string, limit: Limit): RateLimiterRedis =>
  new RateLimiterRedis({
    ...{ ...limit, keyPrefix, useRedisPackage: true, insuranceLimiter: new RateLimiterMemory(limit) },
    storeClient: {
      eval: async (script: string, given: { keys: string[]; arguments: string[] }) => {
        const reply = await link.run((client) => client.eval(script, given));
        if (reply === undefined) throw new Error('Redis cannot be used');
        return reply;
      },
    },
  });
