// Shares between replicas within one process, of which a server has one, and a test may have several.
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { type Channel, createLimiter, type Limit, type Limiter, type Replicas } from './replicas.ts';

/** A replica that has opened a channel. */
interface Member {
  readonly replica: string;
  readonly onMessage: (message: unknown) => void;
}

/** The only replica of a deployment of its own, as a facade without a server for sharing is. */
export const joinAlone = (): Replicas => new LocalDeployment(false).join();

/** What replicas within one process share. Messages are copied and arrive in a later turn, as those over a network do. */
export class LocalDeployment {
  /** JSON by name. Each is forgotten when its time is over, and none before. */
  readonly #records = new LRUCache<string, string>({ ttl: 1, ttlAutopurge: true });
  readonly #limiters = new Map<string, Limiter>();
  readonly #key = randomBytes(32);
  readonly #channels = new Map<string, Set<Member>>();
  readonly #hasOthers: boolean;

  /** @param hasOthers Whether several replicas join; default true. */
  constructor(hasOthers = true) {
    this.#hasOthers = hasOthers;
  }

  join(): Replicas {
    const id = randomUUID();
    const records = this.#records;
    const store = async (name: string, value: object, keptFor: number): Promise<boolean> => {
      records.set(name, JSON.stringify(value), { ttl: keptFor });
      return true;
    };
    return {
      id,
      hasOthers: this.#hasOthers,
      report: null,
      store,
      add: async (name, value, keptFor) => !records.has(name) && store(name, value, keptFor),
      load: async (name) => {
        const text = records.get(name);
        return text === undefined ? undefined : JSON.parse(text);
      },
      remove: async (name) => void records.delete(name),
      createLimiter: (name, limit) => this.#createLimiter(name, limit),
      digest: (text) => this.#digest(text),
      open: (name, onMessage) => this.#open(name, { replica: id, onMessage }),
      close: async () => undefined,
    };
  }

  #createLimiter(name: string, limit: Limit): Limiter {
    const limiter =
      this.#limiters.get(name) ?? createLimiter(new RateLimiterMemory(limit), (text) => this.#digest(text));
    this.#limiters.set(name, limiter);
    return limiter;
  }

  #digest(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }

  #open(name: string, member: Member): Channel {
    const members = this.#channels.get(name) ?? new Set<Member>();
    this.#channels.set(name, members);
    members.add(member);
    return {
      send: async (message) => {
        const text = JSON.stringify(message);
        for (const other of members)
          if (other.replica !== member.replica)
            setImmediate(() => {
              if (members.has(other)) other.onMessage(JSON.parse(text));
            });
      },
      close: () => {
        members.delete(member);
        if (members.size === 0) this.#channels.delete(name);
      },
    };
  }
}
