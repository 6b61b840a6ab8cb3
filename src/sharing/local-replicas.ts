// Shares between replicas within one process.
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import {
  type Channel,
  type Claim,
  createLimiter,
  type Limit,
  type Limiter,
  type Replicas,
} from './replicas.ts';

/** A replica that has opened a channel. */
interface Member {
  readonly replica: string;
  readonly onMessage: (message: unknown) => void;
}

/** Characters of all stored values. The least recently used are forgotten. */
const MAX_SIZE = 134_217_728;
/** What an entry counts besides its text, which bounds the number of short ones. */
const OVERHEAD = 1_000;

/** The only replica of a deployment of its own, as a facade without a server for sharing is. */
export const joinAlone = (): Replicas => new LocalDeployment(false).join();

/**
 * What replicas within one process share. The primary has a replica for each of its workers. Messages are copied and arrive in a later turn, as those over a network do.
 */
export class LocalDeployment {
  readonly #leases = new Map<string, { readonly holder: string; readonly endsAt: number }>();
  readonly #values = new LRUCache<string, string>({
    maxSize: MAX_SIZE,
    sizeCalculation: (text) => text.length + OVERHEAD,
  });
  /** Those that are not forgotten before their time. */
  readonly #added = new LRUCache<string, string>({ ttl: 1, ttlAutopurge: true });
  readonly #limiters = new Map<string, Limiter>();
  readonly #key = randomBytes(32);
  readonly #channels = new Map<string, Set<Member>>();
  readonly #hasOthers: boolean;
  #claims = 0;

  /** @param hasOthers Whether several replicas join; default true. */
  constructor(hasOthers = true) {
    this.#hasOthers = hasOthers;
  }

  join(): Replicas {
    const id = randomUUID();
    return {
      id,
      hasOthers: this.#hasOthers,
      report: null,
      claim: async (name, duration) => this.#claim(name, id, duration),
      release: async (name) => {
        if (this.#leases.get(name)?.holder === id) this.#leases.delete(name);
      },
      store: async (name, value, keptFor) => {
        const values = this.#added.has(name) ? this.#added : this.#values;
        values.set(name, JSON.stringify(value), { ttl: keptFor });
        return true;
      },
      add: async (name, value, keptFor) => {
        if (this.#added.has(name)) return false;
        this.#added.set(name, JSON.stringify(value), { ttl: keptFor });
        return true;
      },
      load: async (name) => {
        const text = this.#added.get(name) ?? this.#values.get(name);
        return text === undefined ? undefined : JSON.parse(text);
      },
      remove: async (name) => {
        this.#added.delete(name);
        this.#values.delete(name);
      },
      createLimiter: (name, limit) => this.#createLimiter(name, limit),
      digest: (text) => this.#digest(text),
      open: (name, onMessage) => this.#open(name, id, onMessage),
      close: async () => {
        for (const [name, { holder }] of this.#leases) if (holder === id) this.#leases.delete(name);
      },
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

  #claim(name: string, id: string, duration: number): Claim {
    const now = performance.now();
    this.#claims += 1;
    const lease = this.#leases.get(name);
    const isHeld = lease === undefined || lease.holder === id || lease.endsAt <= now;
    const endsAt = now + duration;
    if (isHeld) this.#leases.set(name, { holder: id, endsAt });
    return { isHeld, isAlone: false, token: this.#claims, endsAt };
  }

  #open(name: string, replica: string, onMessage: (message: unknown) => void): Channel {
    const members = this.#channels.get(name) ?? new Set<Member>();
    const member: Member = { replica, onMessage };
    this.#channels.set(name, members);
    members.add(member);
    return {
      send: async (message) => {
        const text = JSON.stringify(message);
        for (const other of members)
          if (other.replica !== replica)
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
