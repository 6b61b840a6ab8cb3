// Keeps the estimated costs of operations, and what each client may spend over time.
import { type ArgumentNode, type DocumentNode, type GraphQLSchema, Kind, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { networkOf } from '../../callers/requester.ts';
import type { Session } from '../../callers/session.ts';
import { type Channel, openChannel, type Replicas } from '../../sharing/replicas.ts';
import { atMost } from '../../upstream/cache-bounds.ts';
import type { Caller, Credential } from '../../upstream/http/caller.ts';
import { PerDocument } from '../documents.ts';
import type { Limits } from '../limits.ts';
import { estimateCost } from './estimate-cost.ts';

/** Cost of an operation besides its fields: about 0.15 ms of processor time for the request, the session and the response. */
export const BASE_COST = 25;
/** Cost of a document that is not valid: the names that its errors suggest take longer than a small operation. */
export const INVALID_COST = 150;

/** Estimates that are kept of one document, for other values of its variables. Most clients send one or two lengths of pages. */
const MAX_ESTIMATES = 8;

/** The names of the variables on which the costs of a document depend, and its costs by name and variables of the operation. */
const knownCosts = new PerDocument((_schema, document) => ({
  variables: listCostVariables(document),
  costs: new Map<string, number>(),
}));

/** Estimates the cost of an operation. */
export function estimate(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null,
  sent: Readonly<Record<string, unknown>>,
): number {
  const { variables, costs } = knownCosts.get(schema, document);
  const key = keyOf(operationName, variables, sent);
  let cost = key === null ? undefined : costs.get(key);
  if (cost === undefined) {
    cost = BASE_COST + Math.ceil(estimateCost(schema, document, operationName, sent));
    if (costs.size >= MAX_ESTIMATES) costs.clear();
    if (key !== null) costs.set(key, cost);
  }
  return cost;
}

/** Lists the variables on which the costs of a document depend: lengths of pages and lists, conditions, and inputs of introspection. */
function listCostVariables(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  const add = ({ value }: ArgumentNode): void => {
    if (value.kind === Kind.VARIABLE) names.add(value.name.value);
  };
  visit(document, {
    Directive: ({ arguments: args = [] }) => args.forEach(add),
    Field: ({ name, arguments: args = [] }) =>
      args
        .filter((one) => name.value === '__type' || ['first', 'includeDeprecated'].includes(one.name.value))
        .forEach(add),
    VariableDefinition({ type, variable }) {
      const nullable = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
      if (nullable.kind === Kind.LIST_TYPE) names.add(variable.name.value);
    },
  });
  return [...names];
}

/** Returns what the cost of an operation depends on. Null where that is a text or an object, which is rarely the same. */
function keyOf(
  operationName: string | null,
  variables: readonly string[],
  sent: Readonly<Record<string, unknown>>,
): string | null {
  // An empty name names no operation; no name means the only one.
  let key = operationName === null ? '' : `${operationName} `;
  for (const name of variables) {
    const value = sent[name];
    if (Array.isArray(value)) key += `[${value.length}]`;
    else if (typeof value === 'string' || (typeof value === 'object' && value !== null)) return null;
    else key += `${value},`;
  }
  return key;
}

/** Clients that are remembered. The least recently seen are forgotten, and begin with a full bucket again. */
const MAX_CLIENTS = 50_000;
/** Seconds in which the empty bucket of a client or an address becomes full. A client may spend a full one at once, while others wait. */
const FILL_TIME = 4;
/** The same for the bucket of all anonymous callers. It is short because a crowd spends a full one at once. */
const ANONYMOUS_FILL_TIME = 1;
/** Time between two messages to other replicas. Milliseconds. */
const INTERVAL = 1_000;
/** Begins the name of a client's own bucket: of a credential, or of the anonymous callers of a network. That of an address is its network. */
const CLIENT = 'client ';
/** The part of its own budget up to which a client is not refused for what others at its address have used. */
const LITTLE = 0.1;

/** What clients have spent at another replica. */
const message = z.array(z.tuple([z.string(), z.number().nonnegative()]));

/** The points that a client may still spend: of its own bucket, or of a shared one where that holds less. */
export interface Allowance {
  /** Points that the bucket holds when it is full. */
  readonly limit: number;
  /** Seconds in which an empty bucket becomes full. */
  readonly window: number;
  /** Whole points in it; zero while it is overdrawn. */
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly reset: number;
  /** Seconds until the bucket holds a point; zero while it does. */
  readonly retryAfter: number;
}

/**
 * A token bucket for each client, one for each address, and one for all anonymous callers, who may come from any number of addresses.
 * Replicas send each other what clients and addresses take; messages that are lost are not counted.
 */
export class CostBudget {
  readonly #byClient: LRUCache<string, Bucket>;
  readonly #byAddress: LRUCache<string, Bucket>;
  /** Of this process alone: it keeps the processor free for callers with credentials. */
  readonly #ofAnonymous: Bucket;
  readonly #replicas: Replicas;
  /** Null where there are no other replicas. */
  readonly #channel: Channel | null;
  readonly #names = new WeakMap<Credential, string>();
  /** What the other replicas do not know yet. */
  readonly #unsent = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  /** @param replicas Those that count together. */
  constructor(limits: Pick<Limits, 'credentialCost' | 'addressCost' | 'anonymousCost'>, replicas: Replicas) {
    this.#byClient = createBuckets(limits.credentialCost);
    this.#byAddress = createBuckets(limits.addressCost);
    this.#ofAnonymous = new Bucket(limits.anonymousCost, ANONYMOUS_FILL_TIME);
    this.#replicas = replicas;
    const onSpent = (spent: z.infer<typeof message>): void => {
      for (const [client, points] of spent) this.#bucketOf(client).take(points);
    };
    this.#channel = replicas.hasOthers ? openChannel(replicas, 'spending', message, onSpent) : null;
  }

  /**
   * What a client may still spend; null when it is unknown. An operation is accepted while that is anything. A client that has used
   * little is not refused for what others at its address have used. An anonymous one may be refused for what all of them have used.
   */
  left({ caller }: Session): Allowance | null {
    const name = this.#ownName(caller);
    if (name === null) return null;
    const own = this.#bucketOf(name);
    let least = own;
    if (caller.address !== undefined && own.points < (1 - LITTLE) * own.size)
      least = emptierOf(own, this.#bucketOf(networkOf(caller.address)));
    if (caller.credential === null) least = emptierOf(least, this.#ofAnonymous);
    return least.allowance;
  }

  /** Takes a cost, which may overdraw the buckets. Returns what is left; null when the client is unknown. */
  charge(session: Session, cost: number): Allowance | null {
    const { caller } = session;
    const own = this.#ownName(caller);
    if (own === null) return null;
    this.#take(own, cost);
    if (caller.address !== undefined) this.#take(networkOf(caller.address), cost);
    if (caller.credential === null) this.#ofAnonymous.take(cost);
    return this.left(session);
  }

  #take(client: string, cost: number): void {
    this.#bucketOf(client).take(cost);
    if (this.#channel === null) return;
    this.#unsent.set(client, (this.#unsent.get(client) ?? 0) + cost);
    this.#timer ??= setTimeout(() => this.#send(), INTERVAL).unref();
  }

  #send(): void {
    this.#timer = null;
    void this.#channel?.send([...this.#unsent]);
    this.#unsent.clear();
  }

  /** The name of a client's own bucket; null where the client is unknown. */
  #ownName({ credential, address, key }: Caller): string | null {
    if (credential !== null) return CLIENT + (this.#channel === null ? key : this.#sharedName(credential));
    return address === undefined ? null : `${CLIENT}anonymous ${networkOf(address)}`;
  }

  /** The name of a credential, the same in each replica. Nobody can guess a credential from its name. */
  #sharedName(credential: Credential): string {
    const { header, value } = credential;
    const name = this.#names.get(credential) ?? this.#replicas.digest(`${header} ${value}`);
    this.#names.set(credential, name);
    return name;
  }

  #bucketOf(client: string): Bucket {
    return (client.startsWith(CLIENT) ? this.#byClient : this.#byAddress).memo(client);
  }
}

const emptierOf = (one: Bucket, other: Bucket): Bucket => (other.points < one.points ? other : one);

const createBuckets = (size: number): LRUCache<string, Bucket> =>
  new LRUCache({ ...atMost(MAX_CLIENTS), memoMethod: () => new Bucket(size) });

/** Points that are taken at once and come back at an even rate. */
class Bucket {
  /** Points of a full bucket. */
  readonly size: number;
  /** Seconds in which it becomes full. */
  readonly #window: number;
  #points: number;
  /** The time at which it held `#points`, as `performance.now()`. */
  #at = 0;

  constructor(size: number, window = FILL_TIME) {
    this.size = size;
    this.#window = window;
    this.#points = size;
  }

  /** The points that may be spent; none or fewer while the bucket is overdrawn. */
  get points(): number {
    const filled = ((performance.now() - this.#at) / (this.#window * 1_000)) * this.size;
    return Math.min(this.size, this.#points + filled);
  }

  take(cost: number): void {
    this.#points = this.points - cost;
    this.#at = performance.now();
  }

  get allowance(): Allowance {
    const { size, points } = this;
    const window = this.#window;
    const secondsTo = (wanted: number): number => Math.max(0, Math.ceil(((wanted - points) / size) * window));
    return {
      limit: size,
      window,
      remaining: Math.max(0, Math.floor(points)),
      reset: secondsTo(size),
      retryAfter: points > 0 ? 0 : secondsTo(1),
    };
  }
}
