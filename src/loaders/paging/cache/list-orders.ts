// Finds the order of a list: the one that the operator declares, or the one that was seen recently.
import type { Direction } from '../row-ids.ts';
import type { CallerOrders } from './seen-orders.ts';

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

/** The orders that the operator declares, by scope of the action. */
export type DeclaredOrders = ReadonlyMap<string, ListOrder>;

/** The orders of lists for one caller. */
export class ListOrders {
  readonly #declared: DeclaredOrders;
  readonly #seen: CallerOrders;

  constructor(declared: DeclaredOrders, seen: CallerOrders) {
    this.#declared = declared;
    this.#seen = seen;
  }

  /** @param list Key of the list. For another parent or filter, the order may differ. */
  orderOf(scope: string, list: string): KnownOrder | undefined {
    const declared = this.#declared.get(scope);
    if (declared !== undefined) return { order: declared, isDeclared: true, length: 0 };
    const seen = this.#seen.get(list);
    return seen && { ...seen, isDeclared: false };
  }

  /** Records the order of a list that was read from its start to its end. */
  record(list: string, order: ListOrder, length: number): void {
    this.#seen.record(list, { order, length });
  }
}
