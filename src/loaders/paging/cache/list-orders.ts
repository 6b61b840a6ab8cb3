// Remembers the orders of lists that the operator declares, or that were seen recently.
import { LRUCache } from 'lru-cache';
import type { Direction } from '../row-ids.ts';

/** The order of a list: the direction in which `from_id` walks it, or `none` if `from_id` loses rows. */
export type ListOrder = Direction | 'none';

/** The known order of a list, and how certain it is. */
export interface KnownOrder {
  readonly order: ListOrder;
  /** Whether the operator declares the order. Then it is not checked. */
  readonly isDeclared: boolean;
  /** The list's length when its order was seen. A walk that serves fewer rows may have lost some. */
  readonly length: number;
}

/** How long a seen order is used, in ms. A row that gets a new name can change the order of its list. */
const TRUSTED_FOR = 60_000;

/** The orders of lists, for one process. It contains no rows. */
export class ListOrders {
  readonly #declared: ReadonlyMap<string, ListOrder>;
  // The default clock is the one from the time when lru-cache was loaded; a test may have replaced it since.
  readonly #seen = new LRUCache<string, KnownOrder>({ max: 1000, ttl: TRUSTED_FOR, perf: performance });

  /** @param declared Orders by scope of the action, as the operator declares them. */
  constructor(declared: ReadonlyMap<string, ListOrder> = new Map()) {
    this.#declared = declared;
  }

  /** @param key Key of the list as one caller sees it. For another caller or parent, the order may differ. */
  orderOf(scope: string, key: string): KnownOrder | undefined {
    const declared = this.#declared.get(scope);
    return declared === undefined ? this.#seen.get(key) : { order: declared, isDeclared: true, length: 0 };
  }

  /** Records the order of a list that was read from its start to its end. */
  record(key: string, order: ListOrder, length: number): void {
    this.#seen.set(key, { order, isDeclared: false, length });
  }
}
