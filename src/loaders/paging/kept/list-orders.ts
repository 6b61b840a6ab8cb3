// What this process has learned about the order of lists.
import { LRUCache } from 'lru-cache';
import type { Direction } from '../direction.ts';

/** The order of a list: a direction in which `from_id` walks it, or `none`: `from_id` loses rows of it. */
export type ListOrder = Direction | 'none';

/** The known order of a list, and how certain it is. */
export interface KnownOrder {
  readonly order: ListOrder;
  /** The operator declares it, so it is not questioned. */
  readonly isDeclared: boolean;
  /** The list's length when its order was learned. A walk that serves fewer rows may have lost some. */
  readonly length: number;
}

/** How long a learned order is trusted, in ms. A list changes its order when a row moves, as by a new name. */
const TRUSTED_FOR = 60_000;

/** Orders of lists, for one process. It holds facts about the upstream only: no rows, nothing of a caller. */
export class ListOrders {
  readonly #declared: ReadonlyMap<string, ListOrder>;
  readonly #learned = createCache<KnownOrder>();
  readonly #long = createCache<true>();

  /** @param declared Orders by scope of the action, as the operator declares them. */
  constructor(declared: ReadonlyMap<string, ListOrder> = new Map()) {
    this.#declared = declared;
  }

  /**
   * The order of one list.
   * @param key The list as one caller sees it: another caller's, or another parent's, may run otherwise.
   */
  orderOf(scope: string, key: string): KnownOrder | undefined {
    const declared = this.#declared.get(scope);
    if (declared !== undefined) return { order: declared, isDeclared: true, length: 0 };
    return this.#learned.get(key);
  }

  /** Records that `from_id` loses rows of a list. */
  learnNone(key: string): void {
    this.#learned.set(key, { order: 'none', isDeclared: false, length: 0 });
  }

  /** Records that one list of so many rows runs in a direction from its start to its end. */
  learnDirection(key: string, direction: Direction, length: number): void {
    this.#learned.set(key, { order: direction, isDeclared: false, length });
  }

  /** Whether a list that offers no count is longer than one look at it shows. */
  isLong(key: string): boolean {
    return this.#long.has(key);
  }

  learnLong(key: string): void {
    this.#long.set(key, true);
  }
}

/** A cache that reads the clock anew: a test may have replaced it since lru-cache was loaded. */
const createCache = <V extends object | true>() =>
  new LRUCache<string, V>({ max: 1000, ttl: TRUSTED_FOR, perf: performance });
