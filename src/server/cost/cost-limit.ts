// Limits the cost of each operation, and what one client may spend in a minute.
import { type ArgumentNode, type DocumentNode, type GraphQLSchema, Kind, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import { networkOf } from '../../callers/requester.ts';
import type { Session } from '../../callers/session.ts';
import type { Replicas } from '../../sharing/replicas.ts';
import { atMost } from '../../upstream/cache-bounds.ts';
import type { Caller } from '../../upstream/http/caller.ts';
import { PerDocument } from '../documents.ts';
import { CostLimitError, TooManyRequestsError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { estimateCost } from './estimate-cost.ts';
import { SharedSpending } from './shared-spending.ts';

/** Cost of an operation besides its fields: about 0.15 ms of processor time for the request, the session and the response. */
export const BASE_COST = 25;

/**
 * Refuses operations whose estimated cost is above the limit, or whose client has spent its budget, before they are executed. Trusted
 * documents may cost more, and take at most the limit from the budget: the operator has decided about them, and the limits of calls and
 * bytes still bound them.
 */
export class CostLimit {
  readonly #limits: Pick<Limits, 'operationCost'>;
  readonly #budget: CostBudget;
  /** Documents are parsed again when the limits change, so the estimates of others stay true. */
  readonly #known = new PerDocument<KnownCosts>((_schema, document) => ({
    variables: listCostVariables(document),
    costs: new Map(),
  }));

  constructor(limits: Pick<Limits, 'operationCost'>, budget: CostBudget) {
    this.#limits = limits;
    this.#budget = budget;
  }

  /** What the client of a session may still spend; null where the client is unknown. */
  left(session: Session): Allowance | null {
    return this.#budget.left(session);
  }

  /** @throws TooManyRequestsError when nothing is left. */
  checkLeft(allowance: Allowance | null): void {
    if (allowance !== null && allowance.retryAfter > 0) throw new TooManyRequestsError(allowance.retryAfter);
  }

  /** Takes the cost of a document that has to be parsed, a point for each character. Clients pay for theirs once, as long as it is kept. */
  chargeText(session: Session, text: string): void {
    this.#budget.charge(session, text.length);
  }

  /** Estimates the cost of an operation. */
  estimate(
    schema: GraphQLSchema,
    document: DocumentNode,
    operationName: string | null,
    sent: Readonly<Record<string, unknown>>,
  ): number {
    const known = this.#known.get(schema, document);
    const key = keyOf(operationName, known.variables, sent);
    let cost = key === null ? undefined : known.costs.get(key);
    if (cost === undefined) {
      cost = BASE_COST + Math.ceil(estimateCost(schema, document, operationName, sent));
      if (known.costs.size >= MAX_ESTIMATES) known.costs.clear();
      if (key !== null) known.costs.set(key, cost);
    }
    return cost;
  }

  /** @throws CostLimitError when a cost is above the limit. */
  check(cost: number, isTrusted: boolean): void {
    const { operationCost: limit } = this.#limits;
    if (cost > limit && !isTrusted) throw new CostLimitError(cost, limit);
  }

  /** Takes the estimated cost of an operation from the budget of its client. Returns what is left; null when the client is unknown. */
  charge(session: Session, cost: number): Allowance | null {
    return this.#budget.charge(session, Math.min(cost, this.#limits.operationCost));
  }
}

/** Estimates that are kept of one document, for other values of its variables. Most clients send one or two lengths of pages. */
const MAX_ESTIMATES = 8;

/** The estimates of a document. */
interface KnownCosts {
  /** Names of the variables on which the costs depend. */
  readonly variables: readonly string[];
  /** By name and variables of the operation. */
  readonly costs: Map<string, number>;
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
  operationName: string | null | undefined,
  variables: readonly string[],
  sent: Readonly<Record<string, unknown>>,
): string | null {
  // An empty name names no operation; no name means the only one.
  let key = operationName == null ? '' : `${operationName} `;
  for (const name of variables) {
    const value = sent[name];
    if (Array.isArray(value)) key += `[${value.length}]`;
    else if (typeof value === 'string' || (typeof value === 'object' && value !== null)) return null;
    else key += `${value},`;
  }
  return key;
}

/** What clients may spend in a minute. */
type Budgets = Pick<Limits, 'credentialCost' | 'addressCost'>;

/** Clients that are remembered. The least recently seen are forgotten, and begin with a full bucket again. */
const MAX_CLIENTS = 50_000;
const MINUTE = 60_000;
/** Begins the name of a client's own bucket: of a credential, or of the anonymous callers of a network. That of an address is its network. */
const CLIENT = 'client ';
/** The part of its own budget up to which a client is not refused for what others at its address have used. */
const LITTLE = 0.1;

/** What a client may still spend: of its own bucket, or of its network's where that holds less. */
export interface Allowance {
  /** Points that the bucket holds when it is full. */
  readonly limit: number;
  /** Whole points in it; zero while it is overdrawn. */
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly reset: number;
  /** Seconds until the bucket holds a point; zero while it does. */
  readonly retryAfter: number;
}

/** A token bucket for each client, and one for each address. Replicas send each other what they take. */
export class CostBudget {
  readonly #byClient: Buckets;
  readonly #byAddress: Buckets;
  /** Null where there are no other replicas. */
  readonly #sharing: SharedSpending | null;

  /** @param replicas Those that count together. */
  constructor({ credentialCost, addressCost }: Budgets, replicas: Replicas) {
    this.#byClient = new Buckets(credentialCost);
    this.#byAddress = new Buckets(addressCost);
    this.#sharing = replicas.hasOthers
      ? new SharedSpending(replicas, (client, points) => this.#bucketsOf(client).take(client, points))
      : null;
  }

  /**
   * What a client may still spend; null when it is unknown. An operation is accepted while that is anything. A client that has used
   * little is not refused for what others at its address have used.
   */
  left({ caller }: Session): Allowance | null {
    const { own, network } = this.#clientsOf(caller);
    if (own === null) return null;
    const points = this.#byClient.pointsOf(own);
    if (network !== null && points < (1 - LITTLE) * this.#byClient.size) {
      const ofNetwork = this.#byAddress.pointsOf(network);
      if (ofNetwork < points) return this.#byAddress.allowanceFor(ofNetwork);
    }
    return this.#byClient.allowanceFor(points);
  }

  /** Takes a cost, which may overdraw the buckets. Returns what is left; null when the client is unknown. */
  charge(session: Session, cost: number): Allowance | null {
    const { own, network } = this.#clientsOf(session.caller);
    if (own !== null) this.#take(own, cost);
    if (network !== null) this.#take(network, cost);
    return this.left(session);
  }

  #take(client: string, cost: number): void {
    const buckets = this.#bucketsOf(client);
    this.#sharing?.add(client, cost);
    buckets.take(client, cost);
  }

  /** The names of a client's own bucket and of its network's; null where it is unknown. */
  #clientsOf({ credential, address, key }: Caller): { own: string | null; network: string | null } {
    const network = address === undefined ? null : networkOf(address);
    if (credential !== null) return { own: `${CLIENT}${this.#sharing?.nameOf(credential) ?? key}`, network };
    return { own: network === null ? null : `${CLIENT}anonymous ${network}`, network };
  }

  #bucketsOf(client: string): Buckets {
    return client.startsWith(CLIENT) ? this.#byClient : this.#byAddress;
  }
}

class Buckets {
  /** Points of a full bucket. */
  size: number;
  readonly #buckets = new LRUCache<string, { points: number; at: number }>(atMost(MAX_CLIENTS));

  constructor(size: number) {
    this.size = size;
  }

  take(client: string, cost: number): void {
    const points = this.pointsOf(client) - cost;
    const at = performance.now();
    const bucket = this.#buckets.get(client);
    if (bucket === undefined) this.#buckets.set(client, { points, at });
    else Object.assign(bucket, { points, at });
  }

  /** The points that a client may spend; none or fewer while its bucket is overdrawn. */
  pointsOf(client: string): number {
    const bucket = this.#buckets.get(client);
    if (bucket === undefined) return this.size;
    return Math.min(this.size, bucket.points + ((performance.now() - bucket.at) / MINUTE) * this.size);
  }

  allowanceFor(points: number): Allowance {
    const { size } = this;
    const secondsTo = (wanted: number): number => Math.max(0, Math.ceil(((wanted - points) / size) * 60));
    return {
      limit: size,
      remaining: Math.max(0, Math.floor(points)),
      reset: secondsTo(size),
      retryAfter: points > 0 ? 0 : secondsTo(1),
    };
  }
}
