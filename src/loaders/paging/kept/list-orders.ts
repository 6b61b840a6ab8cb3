// The order of lists: what the operator declares, and which lists were seen to run by id.
import { LRUCache } from 'lru-cache';
import type { Direction } from '../row-ids.ts';

/** The order of a list: a direction in which `from_id` walks it, or `none`: `from_id` loses rows of it. */
export type ListOrder = Direction | 'none';

/** How long a list is trusted to run by id, in ms. It changes its order when a row moves, as by a new name. */
const TRUSTED_FOR = 60_000;

/** Orders of lists, for one process. It holds no rows. */
export class ListOrders {
  readonly #declared: ReadonlyMap<string, ListOrder>;
  // The default clock is the one from the time when lru-cache was loaded; a test may have replaced it since.
  readonly #lengths = new LRUCache<string, number>({ max: 1000, ttl: TRUSTED_FOR, perf: performance });

  /** @param declared Orders by scope of the action, as the operator declares them. They are not questioned. */
  constructor(declared: ReadonlyMap<string, ListOrder> = new Map()) {
    this.#declared = declared;
  }

  declaredOrder(scope: string): ListOrder | undefined {
    return this.#declared.get(scope);
  }

  /**
   * The length that a list had when it was seen to run by id from its start to its end. A walk that serves fewer rows may
   * have lost some.
   * @param key The list as one caller sees it: another caller's, or another parent's, may run otherwise.
   */
  orderedLength(key: string): number | undefined {
    return this.#lengths.get(key);
  }

  recordOrderedLength(key: string, length: number): void {
    this.#lengths.set(key, length);
  }
}
