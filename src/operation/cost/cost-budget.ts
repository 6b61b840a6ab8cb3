// Limits the cost of the operations that one client sends in a minute.
import { LRUCache } from 'lru-cache';
import { networkOf } from '../../callers/client-address.ts';
import type { Session } from '../../callers/session.ts';
import type { Replicas } from '../../sharing/replicas.ts';
import { atMost } from '../../upstream/cache-bounds.ts';
import type { Caller } from '../../upstream/http/caller.ts';
import { TooManyRequestsError } from '../errors.ts';
import type { CostLimits } from '../limits.ts';
import { SharedSpending } from './shared-spending.ts';

/** What clients may spend in a minute. */
type Budgets = Pick<CostLimits, 'credentialPerMinute' | 'addressPerMinute'>;

/** Clients that are remembered. The least recently seen are forgotten, and begin with a full bucket again. */
const MAX_CLIENTS = 50_000;
const MINUTE = 60_000;
/** Begins the name of a credential's bucket; that of an address is its network. */
const CREDENTIAL = 'credential ';

/** What is left of the tightest bucket of a client. */
export interface Allowance {
  /** Points that the bucket holds when it is full. */
  readonly limit: number;
  readonly remaining: number;
}

/** A token bucket for each credential and each address. Replicas send each other what they take. */
export class CostBudget {
  readonly #byCredential: Buckets;
  readonly #byAddress: Buckets;
  /** Null where there are no other replicas. */
  readonly #sharing: SharedSpending | null;

  /** @param replicas Those that count together; null (default): there are no others. */
  constructor({ credentialPerMinute, addressPerMinute }: Budgets, replicas: Replicas | null = null) {
    this.#byCredential = new Buckets(credentialPerMinute);
    this.#byAddress = new Buckets(addressPerMinute);
    this.#sharing =
      replicas?.hasOthers === true
        ? new SharedSpending(replicas, (client, points) => this.#bucketsOf(client).take(client, points))
        : null;
  }

  /** Uses other budgets from now on. */
  resize({ credentialPerMinute, addressPerMinute }: Budgets): void {
    this.#byCredential.size = credentialPerMinute;
    this.#byAddress.size = addressPerMinute;
  }

  /**
   * Refuses clients whose buckets are overdrawn. An operation is accepted while they hold anything.
   * @throws TooManyRequestsError while a bucket is overdrawn.
   */
  check({ caller }: Session): void {
    for (const client of this.#clientsOf(caller)) this.#bucketsOf(client).check(client);
  }

  /** Whether `check` accepts an operation. */
  accepts({ caller }: Session): boolean {
    return this.#clientsOf(caller).every((client) => this.#bucketsOf(client).pointsOf(client) > 0);
  }

  /** Takes a cost, which may overdraw the buckets. Returns what is left; undefined when the client is unknown. */
  charge({ caller }: Session, cost: number): Allowance | undefined {
    let tightest: Allowance | undefined;
    for (const client of this.#clientsOf(caller)) {
      const buckets = this.#bucketsOf(client);
      this.#sharing?.add(client, cost, buckets.size);
      const left = buckets.take(client, cost);
      if (tightest === undefined || left.remaining < tightest.remaining) tightest = left;
    }
    return tightest;
  }

  /** The names of the buckets of a caller. */
  #clientsOf({ credential, address, key }: Caller): readonly string[] {
    const clients: string[] = [];
    if (credential !== null) clients.push(`${CREDENTIAL}${this.#sharing?.names.nameOf(credential) ?? key}`);
    if (address !== undefined) clients.push(networkOf(address));
    return clients;
  }

  #bucketsOf(client: string): Buckets {
    return client.startsWith(CREDENTIAL) ? this.#byCredential : this.#byAddress;
  }
}

class Buckets {
  /** Points of a full bucket. */
  size: number;
  readonly #buckets = new LRUCache<string, { points: number; at: number }>(atMost(MAX_CLIENTS));

  constructor(size: number) {
    this.size = size;
  }

  /** @throws TooManyRequestsError while the bucket is overdrawn. */
  check(client: string): void {
    const points = this.pointsOf(client);
    if (points <= 0) throw new TooManyRequestsError(Math.ceil(((1 - points) / this.size) * 60));
  }

  take(client: string, cost: number): Allowance {
    const points = this.pointsOf(client) - cost;
    this.#buckets.set(client, { points, at: performance.now() });
    return { limit: this.size, remaining: Math.max(0, Math.floor(points)) };
  }

  /** The points that a client may spend; none or fewer while its bucket is overdrawn. */
  pointsOf(client: string): number {
    const bucket = this.#buckets.get(client);
    if (bucket === undefined) return this.size;
    return Math.min(this.size, bucket.points + ((performance.now() - bucket.at) / MINUTE) * this.size);
  }
}
