// Remembers the order of lists.
import { LRUCache } from 'lru-cache';
import type { Direction } from '../direction.ts';

/** The order of a list: the direction in which its ids run, or `none` if `from_id` loses rows. */
export type ListOrder = Direction | 'none';

/** The known order of a list and its source. */
export interface KnownOrder {
  readonly order: ListOrder;
  /** Whether the operator has declared the order. A declared order is not checked. */
  readonly isDeclared: boolean;
  /** The list's length when its order was learned. A walk that serves fewer rows may have lost some. */
  readonly length: number;
}

/** TTL of a learned order, in milliseconds. A list changes its order when a row moves, e.g. because of a new name. */
const TTL = 60_000;

/** Orders of lists, for one process. It holds neither rows nor data of callers. */
export class ListOrders {
  readonly #declared: ReadonlyMap<string, ListOrder>;
  readonly #learned = createCache<KnownOrder>();
  readonly #long = createCache<true>();

  /** @param declared Orders by scope of the action, as the operator declares them. */
  constructor(declared: ReadonlyMap<string, ListOrder> = new Map()) {
    this.#declared = declared;
  }

  /**
   * Returns the order of one list; undefined where it is unknown.
   * @param variant Identifies input that may change the order of the action's lists, e.g. a parameter `order`.
   * @param key Identifies the list as one caller sees it. Rows of one parent may run by id while those of another do not.
   */
  findOrder(scope: string, variant: string, key: string): KnownOrder | undefined {
    const declared = this.#declared.get(scope);
    if (declared !== undefined) return { order: declared, isDeclared: true, length: 0 };
    return this.#learned.get(`${scope} ${variant}`) ?? this.#learned.get(key);
  }

  /**
   * Records for all callers that `from_id` loses rows in all lists of a variant. Call it only when rows from the server prove
   * the loss.
   */
  recordNoOrder(scope: string, variant: string): void {
    this.#learned.set(`${scope} ${variant}`, { order: 'none', isDeclared: false, length: 0 });
  }

  /** Records that all rows of one list run in a direction. */
  recordDirection(key: string, direction: Direction, length: number): void {
    this.#learned.set(key, { order: direction, isDeclared: false, length });
  }

  /** Whether a list without a count is known to be longer than a second look reads. */
  isLong(key: string): boolean {
    return this.#long.has(key);
  }

  /** Records that a list without a count is longer than a second look reads. */
  recordLong(key: string): void {
    this.#long.set(key, true);
  }
}

/** Passes the current clock: a test may have replaced the one that lru-cache has loaded. */
const createCache = <V extends object | true>() =>
  new LRUCache<string, V>({ max: 1000, ttl: TTL, perf: performance });
