import { LRUCache } from 'lru-cache';

/** How ids run along a list. */
export type Direction = 'ascending' | 'descending';

/** What is known of a list: a direction in which `from_id` walks it, or `none`: `from_id` loses rows of it. */
export type ListOrder = Direction | 'none';

/** What is known of a list's order, and how surely. */
export interface KnownOrder {
  readonly order: ListOrder;
  /** Declared by the operator, and not questioned. */
  readonly isDeclared: boolean;
  /** Rows that the list had when it was seen to run in its direction: a walk that meets fewer may have lost some. */
  readonly length: number;
}

/** How long what was learnt is believed, in ms: rows that move, as by a new name in a list sorted by name, change it. */
const BELIEVED_FOR = 60_000;

/** What was learnt of lists, in one process. Facts about the upstream only; no rows, nothing of a caller. */
export class ListOrders {
  readonly #declared: ReadonlyMap<string, ListOrder>;
  readonly #learnt = createCache<KnownOrder>();
  readonly #seeming = createCache<true>();

  /** @param declared Orders by scope of the action, as the operator declared them; they are not questioned. */
  constructor(declared: ReadonlyMap<string, ListOrder> = new Map()) {
    this.#declared = declared;
  }

  /**
   * @param variant What else may change the order, e.g. a parameter `order`.
   * @param tag The one list as one caller sees it: the rows under one parent may run by id while those under another do not.
   */
  get(scope: string, variant: string, tag: string): KnownOrder | undefined {
    const declared = this.#declared.get(scope);
    if (declared !== undefined) return { order: declared, isDeclared: true, length: 0 };
    return this.#learnt.get(`${scope} ${variant}`) ?? this.#learnt.get(tag);
  }

  /**
   * That `from_id` loses rows, which all lists of the variant are kept from, whoever asks: to be told only where the
   * server's rows prove it.
   */
  learnNone(scope: string, variant: string): void {
    this.#learnt.set(`${scope} ${variant}`, { order: 'none', isDeclared: false, length: 0 });
  }

  /** That one list of so many rows was seen to run in a direction, to its end. */
  learnDirection(tag: string, direction: Direction, length: number): void {
    this.#learnt.set(tag, { order: direction, isDeclared: false, length });
  }

  /** Whether one list runs in a direction as far as it was seen. */
  seemsOrdered(tag: string): boolean {
    return this.#seeming.has(tag);
  }

  learnSeeming(tag: string): void {
    this.#seeming.set(tag, true);
  }
}

/** A cache by the clock of now, not of when lru-cache was loaded: a test may have set it. */
const createCache = <V extends object | true>() =>
  new LRUCache<string, V>({ max: 1000, ttl: BELIEVED_FOR, perf: performance });

/** Whether `b` lies further along than `a`. */
export function isBeyond(a: number, b: number, direction: Direction): boolean {
  return direction === 'ascending' ? b > a : b < a;
}

/** The direction in which ids run strictly; `any` for less than two of them, null when they run in none. */
export function directionOf(ids: readonly number[]): Direction | 'any' | null {
  const [first, second] = ids;
  if (first === undefined || second === undefined) return 'any';
  const direction = second > first ? 'ascending' : 'descending';
  return runs(ids, direction) ? direction : null;
}

/** Whether ids run strictly in a direction. */
export function runs(ids: readonly number[], direction: Direction): boolean {
  return ids.every((id, index) => {
    const previous = ids[index - 1];
    return previous === undefined || isBeyond(previous, id, direction);
  });
}

/**
 * Whether a whole list, and the rows that came of it by `from_id`, prove that `from_id` loses rows: the list runs in no
 * direction, or rows came that do not lie beyond one of its own. Only the server's rows are believed; what a cursor says
 * anybody may have written.
 */
export function provesLoss(list: readonly number[], from: number, answer: readonly number[]): boolean {
  const direction = directionOf(list);
  if (direction === null || direction === 'any') return direction === null;
  return list.includes(from) && answer.some((id) => !isBeyond(from, id, direction));
}

/**
 * Puts a whole list into the order in which a walk by `from_id` that came up to row `until` meets it: first the rows it
 * has served, then all others.
 *
 * A server may sort by anything and still filter `id > from_id`. A page is accepted only if its ids, the extra row
 * included, run in one direction, and the next page starts at the extra row. So a row can be passed over unseen only when its
 * id lies behind the last page's end; seen along the whole list, the served rows are exactly those whose id lies beyond
 * the ids of all rows before them. Rows beyond `until` that stand before it are newer than the walk, and tell nothing; where
 * row `until` is gone, they are what tells how far the walk had come.
 */
export function servedFirst<T>(
  rows: readonly T[],
  idOf: (row: T) => number,
  until: number,
  direction: Direction,
): { readonly served: readonly T[]; readonly lost: readonly T[] } {
  const served: T[] = [];
  const lost: T[] = [];
  const isUntilThere = rows.some((row) => idOf(row) === until);
  let furthest: number | null = null;
  for (const row of rows) {
    const id = idOf(row);
    const isUnmet = isBeyond(until, id, direction);
    const isRecord: boolean = furthest === null || isBeyond(furthest, id, direction);
    if (isRecord && !(isUnmet && isUntilThere)) furthest = id;
    if (isRecord && !isUnmet) served.push(row);
    else lost.push(row);
  }
  return { served, lost };
}
