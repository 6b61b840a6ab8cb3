// Keeps the orders of lists that the operator declares, or that were seen recently.
import { LRUCache } from 'lru-cache';
import type { Direction } from '../row-ids.ts';

/** The order of a list: a direction in which `from_id` walks it, or `none`: `from_id` loses rows of it. */
export type ListOrder = Direction | 'none';

/** The known order of a list, and how certain it is. */
export interface KnownOrder {
  readonly order: ListOrder;
  /** The operator declares it, so it is not questioned. */
  readonly isDeclared: boolean;
  /** The list's length when its order was seen. A walk that serves fewer rows may have lost some. */
  readonly length: number;
}

/** How long an order that was seen is trusted, in ms. A list changes its order when a row moves, as by a new name. */
const TRUSTED_FOR = 60_000;

/** Orders of lists, for one process. It holds no rows. */
export class ListOrders {
  readonly #declared: ReadonlyMap<string, ListOrder>;
  // The default clock is the one from the time when lru-cache was loaded; a test may have replaced it since.
  readonly #seen = new LRUCache<string, KnownOrder>({ max: 1000, ttl: TRUSTED_FOR, perf: performance });

  /** @param declared Orders by scope of the action, as the operator declares them. */
  constructor(declared: ReadonlyMap<string, ListOrder> = new Map()) {
    this.#declared = declared;
  }

  /** @param key The list as one caller sees it: another caller's, or another parent's, may run otherwise. */
  orderOf(scope: string, key: string): KnownOrder | undefined {
    const declared = this.#declared.get(scope);
    return declared === undefined ? this.#seen.get(key) : { order: declared, isDeclared: true, length: 0 };
  }

  /** Records the order of a list, as its rows showed it from its start to its end. */
  record(key: string, order: ListOrder, length: number): void {
    this.#seen.set(key, { order, isDeclared: false, length });
  }
}
