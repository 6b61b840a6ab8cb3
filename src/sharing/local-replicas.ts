// Keeps in memory what a process would share with other replicas.
import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { createLimiter, type Limiter, type Replicas } from './replicas.ts';

/** The only replica of a deployment, as a process without Redis is. */
export function joinAlone(): Replicas {
  /** JSON by name. Each is forgotten when its time is over, and none before. */
  const records = new LRUCache<string, string>({ ttl: 1, ttlAutopurge: true });
  const limiters = new Map<string, Limiter>();
  const key = randomBytes(32);
  const store: Replicas['store'] = async (name, value, keptFor) => {
    records.set(name, JSON.stringify(value), { ttl: keptFor });
    return true;
  };
  const digest = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  return {
    hasOthers: false,
    report: null,
    store,
    digest,
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
    open: () => ({ send: async () => undefined, close: () => undefined }),
    close: async () => undefined,
  };
}
