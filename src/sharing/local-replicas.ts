// Shares between replicas within one process, of which a server has one, and a test may have several.
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createLimiter, type Limiter, type Replicas } from './replicas.ts';

/** The only replica of a deployment of its own, as a facade without a server for sharing is. */
export const joinAlone = (): Replicas => new LocalDeployment(false).join();

/** What replicas within one process share. Messages are copied and arrive in a later turn, as those over a network do. */
export class LocalDeployment {
  /** JSON by name. Each is forgotten when its time is over, and none before. */
  readonly #records = new LRUCache<string, string>({ ttl: 1, ttlAutopurge: true });
  readonly #limiters = new Map<string, Limiter>();
  readonly #key = randomBytes(32);
  /** Passes the id of the sender and the JSON of a message to the listeners of a channel. */
  readonly #channels = new EventEmitter().setMaxListeners(0);
  readonly #hasOthers: boolean;

  /** @param hasOthers Whether several replicas join; default true. */
  constructor(hasOthers = true) {
    this.#hasOthers = hasOthers;
  }

  join(): Replicas {
    const id = randomUUID();
    const [records, limiters, channels] = [this.#records, this.#limiters, this.#channels];
    const store: Replicas['store'] = async (name, value, keptFor) => {
      records.set(name, JSON.stringify(value), { ttl: keptFor });
      return true;
    };
    const digest = (text: string): string => createHmac('sha256', this.#key).update(text).digest('base64url');
    return {
      ...{ id, store, digest },
      hasOthers: this.#hasOthers,
      report: null,
      add: async (name, value, keptFor) => !records.has(name) && store(name, value, keptFor),
      load: async (name) => {
        const text = records.get(name);
        return text === undefined ? undefined : JSON.parse(text);
      },
      remove: async (name) => void records.delete(name),
      createLimiter(name, limit) {
        const limiter = limiters.get(name) ?? createLimiter(new RateLimiterMemory(limit), digest);
        limiters.set(name, limiter);
        return limiter;
      },
      open(name, onMessage) {
        const receive = (from: string, text: string): void => {
          if (from !== id) onMessage(JSON.parse(text));
        };
        channels.on(name, receive);
        return {
          async send(message) {
            setImmediate((text) => channels.emit(name, id, text), JSON.stringify(message));
          },
          close: () => void channels.off(name, receive),
        };
      },
      close: async () => undefined,
    };
  }
}
