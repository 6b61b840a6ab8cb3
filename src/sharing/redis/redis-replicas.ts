// Shares between replicas through Redis.
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import type { Observer } from '../../observer.ts';
import { type Channel, createLimiter, type Limit, type Limiter, type Replicas } from '../replicas.ts';
import { createSealing, type Seal } from '../sealing.ts';
import { RedisLink, type RedisListener, type RedisOptions } from './redis-link.ts';

/** How replicas share through Redis. */
export interface RedisReplicasOptions extends RedisOptions {
  /** The beginning of all keys and channels. Deployments that share a Redis have different ones. */
  readonly prefix: string;
  /** See `createSealing`. */
  readonly secrets: readonly string[];
  readonly observer: Observer;
}

/** How old a message of a replica may be from which none has come before. Clocks of machines may differ by as much. Milliseconds. */
const MAX_AGE = 60_000;
/** Replicas whose last messages are remembered. */
const MAX_SENDERS = 1_000;

/** Joins the replicas that share through Redis. Resolves within two seconds, whether or not Redis can be used. */
export async function joinRedisReplicas({
  prefix,
  secrets,
  observer,
  ...options
}: RedisReplicasOptions): Promise<Replicas> {
  const id = randomUUID();
  const link = new RedisLink(options, `${prefix}:probe:${id}`, observer);
  await link.connect();
  return new RedisReplicas(id, link, prefix, createSealing(secrets));
}

interface SentMessage {
  readonly from: string;
  /** When it was sent; later than all before of the same replica. */
  readonly at: number;
  readonly message: unknown;
}

class RedisReplicas implements Replicas {
  readonly id: string;
  readonly hasOthers = true;
  readonly #link: RedisLink;
  readonly #prefix: string;
  readonly #sealOf: (name: string) => Seal;
  /** When the last message was sent, in milliseconds. Each message has a later time, which is its number. */
  #sentAt = 0;

  constructor(id: string, link: RedisLink, prefix: string, sealOf: (name: string) => Seal) {
    this.id = id;
    this.#link = link;
    this.#prefix = prefix;
    this.#sealOf = sealOf;
  }

  get report() {
    return this.#link.report;
  }

  store(name: string, value: object, keptFor: number): Promise<boolean> {
    return this.#set(name, value, { PX: keptFor });
  }

  add(name: string, value: object, keptFor: number): Promise<boolean> {
    return this.#set(name, value, { PX: keptFor, NX: true });
  }

  /** Stores a value. Returns whether Redis has stored it. */
  async #set(name: string, value: object, options: { PX: number; NX?: true }): Promise<boolean> {
    if (!this.#link.isUsable) return false;
    const { id, seal } = this.#sealOf(name);
    const reply = await this.#link.run((client) => client.set(this.#valueKey(id), seal(value), options));
    return reply === 'OK';
  }

  async load(name: string): Promise<unknown> {
    const { id, open } = this.#sealOf(name);
    const sealed = await this.#link.run((client) => client.get(this.#valueKey(id)));
    return typeof sealed === 'string' ? open(sealed) : undefined;
  }

  async remove(name: string): Promise<void> {
    const { id } = this.#sealOf(name);
    await this.#link.run((client) => client.del(this.#valueKey(id)));
  }

  createLimiter(name: string, limit: Limit): Limiter {
    const counter = new RateLimiterRedis({
      ...limit,
      keyPrefix: `${this.#prefix}:limit:${this.#sealOf(name).id}`,
      storeClient: {
        eval: async (script: string, given: { keys: string[]; arguments: string[] }) => {
          const reply = await this.#link.run((client) => client.eval(script, given));
          // The insurance counts then.
          if (reply === undefined) throw new Error('Redis cannot be used');
          return reply;
        },
      },
      useRedisPackage: true,
      insuranceLimiter: new RateLimiterMemory(limit),
    });
    return createLimiter(counter, (text) => this.digest(text));
  }

  digest(text: string): string {
    return this.#sealOf(`digest ${text}`).id;
  }

  open(name: string, onMessage: (message: unknown) => void): Channel {
    const { id, seal, open } = this.#sealOf(name);
    const channel = `${this.#prefix}:channel:${id}`;
    /** When the last message of each replica was sent. */
    const received = new LRUCache<string, number>({ max: MAX_SENDERS });
    const receive: RedisListener = (sealed) => {
      const content = open(sealed) as SentMessage | undefined;
      if (content === undefined) return;
      const { from, at, message } = content;
      // Who can publish at Redis, and has no secret, can send recorded messages again.
      if (from === this.id || !(at > (received.get(from) ?? Date.now() - MAX_AGE))) return;
      received.set(from, at);
      onMessage(message);
    };
    const opened = this.#link.subscribe(channel, receive);
    return {
      send: async (message) => {
        if (!this.#link.isUsable) return;
        // The answers to a message could not arrive before the channel is open.
        await opened;
        this.#sentAt = Math.max(this.#sentAt + 0.001, Date.now());
        const sent: SentMessage = { from: this.id, at: this.#sentAt, message };
        await this.#link.run((client) => client.publish(channel, seal(sent)));
      },
      close: () => this.#link.unsubscribe(channel, receive),
    };
  }

  async close(): Promise<void> {
    this.#link.close();
  }

  #valueKey(id: string): string {
    return `${this.#prefix}:value:${id}`;
  }
}
